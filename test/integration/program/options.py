"""The options that `stretto train` knows are those of compiler and program, in both directions; a wrong name gets the nearest
of either, before anything is compiled.

REQUIRES: compiler, runtime
RUN: %python3 %s
"""
import re

from programs import HELLO, SMALL, TASK, contains, expect, program, run


def names(text):
    return set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text))


def listed(text):
    """The options at the starts of lines of a help text."""
    return {name for words in re.findall(r"^ +((?:--?[A-Za-z][\w-]*,?)+)", text, re.M) for name in words.split(",")}


help_text = run("stretto", "help", "train")
compiler = names(help_text.split("explains them):")[1].split("Options of the program")[0])
ours = names(help_text.split("explains them):")[2].split("The cache is")[0])
said_by_compiler = listed(run("stretto", "help", "compile"))
said_by_program = listed(run(program(HELLO, *TASK, *SMALL), "--help"))
only_compile = {"-o", "--emit", "--dump-ir", "--locations", "--explain", "--summary", "--json", "--in-place", "--help", "--version"}
both = {"--task", "--task-set", "--preset"}
expect(compiler == said_by_compiler - only_compile, f"compiler: {compiler ^ (said_by_compiler - only_compile)}")
expect(ours == said_by_program - both, f"program: {ours ^ (said_by_program - both)}")
expect(compiler & said_by_program == both, "options that only one of the two should take")

spec = [HELLO, *TASK, *SMALL]
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
