"""The options that `stretto train` knows are those of compiler and program, in both directions; a wrong name gets the nearest
of either, before anything is compiled.

REQUIRES: compiler, runtime
RUN: %python3 %s
"""
import re

from programs import HELLO, SMALL, TASK, contains, expect, program, run


def listed(text):
    """The options at the starts of lines of a help text, and whether each takes a value, which stands in capitals."""
    lines = re.findall(r"^ +((?:--?[A-Za-z][\w-]*,? ?)+)([A-Z][A-Z:=.,N]*)?\b", text, re.M)
    return {name.strip(): bool(value) for words, value in lines for name in re.split("[ ,]+", words.strip())}


spec = [HELLO, *TASK, *SMALL]
help_text = run("stretto", "help", "train")
shapes, ours = help_text.split("Options of the program:")
compiler, ours = listed(shapes), listed(ours.split("The cache is")[0])
said_by_compiler = listed(run("stretto", "help", "compile"))
only_compile = {"-o", "--bundle", "--emit", "--dump-ir", "--locations", "--explain", "--summary", "--help", "--version"}
both = {"--task", "--task-set", "--preset", "--nll-square", "--z-loss", "--lr-factors", "--weight-decay-factors"}
for name in only_compile:
    said_by_compiler.pop(name)
expect(compiler == said_by_compiler, f"compiler: {compiler.items() ^ said_by_compiler.items()}")
said_by_program = listed(run(program(*spec), "--help"))
expect(ours == said_by_program, f"program: {ours.items() ^ said_by_program.items()}")
expect(len(ours) > 40 and len(compiler) > 15, f"too few options: {help_text}")
expect(compiler.keys() & ours.keys() == both, "options that only one of the two should take")
for command in ("eval", "generate", "program", "sweep"):
    contains(run("stretto", "help", command), help_text.split("\n\n", 2)[2].split("\nThe cache is")[0])

for wrong, nearest in (("--lenght", "--length"), ("--stepz=3", "--steps"), ("--treads", "--threads"), ("--memory-budgt", "--memory-budget")):
    contains(run("stretto", "train", *spec, wrong, "7", status=2), f"unknown option '{wrong.split('=')[0]}'; did you mean '{nearest}'?")
for habit, ours in (("--learning_rate=1", "--lr"), ("--batch-size", "--batch"), ("--seq-len", "--length"), ("--warmup-steps", "--warmup"),
                    ("--weight_decay", "--weight-decay"), ("--output-dir", "--out"), ("--epochs", "--steps")):
    contains(run("stretto", "train", *spec, habit, status=2), f"unknown option '{habit.split('=')[0]}'; did you mean '{ours}'?")
contains(run("stretto", "train", *spec, "--zzzzzz", status=2), "'stretto help train' lists them")
contains(run("stretto", "compile", HELLO, "--emti=seq", status=2), "did you mean '--emit'?")
contains(run(program(*spec), *TASK, "--chek-finite", status=1), "did you mean '--check-finite'?")
contains(run("stretto", "data", "depo1", "--sampels", "3", status=2), "did you mean '--samples'?")
contains(run("stretto", "compare", "--tabel", "x", status=2), "did you mean '--table'?")
contains(run("stretto", "eval", "x", "--eval-bathces", "3", status=2), "did you mean '--eval-batches'?")
