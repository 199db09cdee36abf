"""Every mistake before a program runs, as docs/errors.md tells it.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import os
import sys

from programs import HELLO, SMALL, TASK, Promises, empty, expect, obeying_permissions, program, run

folder = empty(sys.argv[1])
promises = Promises("Before a program runs")
compiler = ["stretto", "compile", "--vocab", "16", "--batch", "2", "--length", "8", "--emit=seq"]


def spec(statement, end="linear(x, vocab)"):
    path = os.path.join(folder, "m.stretto")
    with open(path, "w", encoding="utf-8") as file:
        file.write("model m(vocab: int, dim = 16, deep = false, at = {A, B}) {\n  x = embed(tokens, vocab, dim)\n"
                   f"  {statement}\n  return {end}\n}}\n")
    return path


def check_spec(mistake, statement, **more):
    promises.check(mistake, [*compiler, spec(statement, **more)])


with open(f"{folder}/open.stretto", "w", encoding="utf-8") as file:
    file.write("model m(vocab: int) {\n  x = embed(tokens, vocab, 8)\n  return linear(x, vocab }\n")
promises.check("syntax error", [*compiler, f"{folder}/open.stretto"])
check_spec("type error", "x = linear(x, deep)")
check_spec("shape mismatch", "x = x + linear(x, 2 * dim)")
check_spec("one number of a token where many are", "x = x * sigmoid(linear(x, 1))")
check_spec("an assignment that there is not", "x += x")
check_spec("unknown operation", "x = liner(x, dim)")
check_spec("an unknown operation that is near none", "x = perceptron(x, dim)")
check_spec("an operation's name from elsewhere", "x = cat(x, x)")
check_spec("what has another form here", "x = abs(x)")
check_spec("what the standard library has", "x = log_softmax(x)")
check_spec("an operator that there is not", "x = x ** 2")
check_spec("a division by `//`", "x = x * (dim // 2)")
promises.check("a division by `//` that nothing closes", [*compiler, spec("n = dim // 2\n  x = linear(linear(x, n), dim)")], status=0)
check_spec("a variable of another layer of a repeat", "repeat 2 as i { if i == 0 { kept = x }  x = kept }")
check_spec("the index of a repeat behind it", "repeat 2 as i { x = (i + 1) * x }  x = i * x")
check_spec("a parameter that an operation does not have", "x = softmax_attention(x, x, x, 2, dropout = 0.1)")
check_spec("a parameter that has another form here", "x = softmax_attention(x, x, x, 2, scale = 0.5)")
check_spec("a list", "xs = [x, x]")
check_spec("a weight in place of activations", "x = x * shift(parameter(16), 1)")
check_spec("weights of other rows, side by side", "x = linear(x, weight = concat(parameter(16, 8), parameter(8, 8)))")
check_spec("a comparison of tensors", "x = x * (x > 0)")
check_spec("a choice whose value stands first", "x = x if deep else -x")
check_spec("a repeat that names its index by `in`", "repeat i in 3 { x = i * x }")
check_spec("a symbol that a set does not take", "if C in at { x = -x }")
check_spec("a rate of dropout that leaves nothing", "x = dropout(x, 1)")
check_spec("a window of attention that looks ahead", "x = softmax_attention(x, x, x, 2, causal = false, window = 8)")
check_spec("a bias of attention that is not a number for each head and distance", "x = softmax_attention(x, x, x, 2, bias = parameter(2))")
check_spec("a decay of attention that is not one number for each head", "x = softmax_attention(x, x, x, 2, decay = x)")
check_spec("a factor of the learning rate below 0", "w = parameter(dim, lr_factor = -1)")
check_spec("a factor of a weight that is not trained", "w = parameter(dim, frozen = true, weight_decay_factor = 0)")
promises.check("a norm that is told the width", [*compiler, spec("x = rms_norm(x, dim)")], status=0)
promises.check("a value that nothing reads", [*compiler, spec("y = tanh(x)")], status=0)
promises.check("a weight that nothing reads", [*compiler, spec("w = parameter(dim)")], status=0)
promises.check("a weight for what a repeat carries and nothing reads",
               [*compiler, spec("y = x  repeat 2 { x = tanh(x)  y = linear(y, dim) }")], status=0)
promises.check("a parameter that nothing reads", [*compiler, spec("block b(x, wide = true) { return x }")], status=0)
check_spec("an initializer of a weight that is given", "x = linear(x, weight = parameter(dim, dim), init = ones)")
check_spec("parts of another number of experts", "x = expert_sum(expert_linear(x, x, 4, 2), x, dim)")
promises.check("what is added to the loss and is no number of each token", [*compiler, spec("", "linear(x, vocab), x")])
check_spec("weights by a default of a shared block", "shared block s(y, w = parameter(dim, dim)) { return linear(y, weight = w) }  x = s(x)")
check_spec("a model that grows without measure", "repeat 4096 { repeat 4096 { x = tanh(exp(tanh(x))) } }")
check_spec("a number that the model's type does not hold", "x = 1e39 * x")
check_spec("a row of too many columns", "y = linear(x, 2000000000)")
check_spec("a division that is not exact", "x = linear(x, dim / 3)")
check_spec("a constraint of the model", "require dim % 3 == 0")
check_spec("an argument out of range", "x = canon(x, kernel = 9)")

train = ["stretto", "train", HELLO, *TASK]
promises.check("unknown parameter", [*train, "--set", "dmi=3"])
promises.check("a parameter of another type", [*train, "--set", "layers=true"])
promises.check("a parameter out of range", [*train, "--set", "dim=0"])
promises.check("unknown command", ["stretto", "trian", HELLO], status=2)
promises.check("unknown option", ["stretto", "compile", HELLO, "--lenght", "8"], status=2)
promises.check("an option that is given twice", ["stretto", "compile", HELLO, "-o", "a", "-o", "b"], status=2)
promises.check("a name that is empty", ["stretto", "compile", HELLO, "--task", "", "-o", "a"], status=2)
promises.check("more than a command takes", [*train, "b.stretto"], status=2)
promises.check("an option's name from elsewhere", [*train, "--learning-rate", "1e-3"], status=2)
promises.check("an option's value out of range", [*train, "--batch", "0"], status=2)
promises.check("a batch that no program can hold", [*train, "--batch", "70000", "--length", "70000"])
promises.check("unknown task", ["stretto", "train", HELLO, "--task", "depo3"])
promises.check("unknown preset", ["stretto", "train", HELLO, "--task", "depo1", "--preset", "one-hp"])
promises.check("unknown parameter of a task", [*train, "--task-set", "nn=3"])
promises.check("a task's parameter out of range", [*train, "--task-set", "n=1"])
promises.check("a length that a task's instances do not fit", [*train, "--length", "16"])
promises.check("unknown CPU", [*train, "--cpu", "znver99"])
only = ["stretto", "program", *train[2:]]
promises.check("unknown target", [*train, "--target=cud"], status=2)
promises.check("unknown GPU", [*only, "--target=cuda", "--chip=sm_91a"])
promises.check("no assembler for the GPU", [*only, "--target=cuda", f"--cuda-path={folder}"])
promises.check("what only a GPU has", [*train, "--dtype=bf16"], status=2)
given = [*train, "--kernel-schedule"]
promises.check("a schedule for a kernel that there is not", [*given, "layer.forward.*:rows=4"])
promises.check("a number that a schedule lacks", [*given, "*:threads=32"])
promises.check("a schedule that cannot be", [*given, "layers.*:threads=48", "--target=cuda", "--emulate"])
promises.check("a schedule that is no schedule", [*given, "rows=4"], status=2)
promises.check("factors of weights that there are not", [*train, "--lr-factors", "x.wieght=0"], status=1)
promises.check("factors that are no factors", [*train, "--weight-decay-factors", "*norm*"], status=2)
os.mkfifo(f"{folder}/pipe.stretto")
promises.check("a spec that is no file", ["stretto", "train", f"{folder}/pipe.stretto", *TASK])
os.symlink("/proc/self/mem", f"{folder}/failing.stretto")  # a regular file without anything at its begin
promises.check("a spec on a disk that fails", ["stretto", "train", f"{folder}/failing.stretto", *TASK])
promises.check("missing spec", ["stretto", "train", f"{folder}/none.stretto", *TASK])

promises.check("an option of another command", ["stretto", "summary", HELLO, "--emit=fused"], status=2)
promises.check("a program without a name", compiler[:-1] + [HELLO], status=2)
promises.check("an output that would replace what is read", [*compiler, own := spec("x = tanh(x)"), "-o", own], status=2)
with open(f"{folder}/two.stretto", "w", encoding="utf-8") as file:
    file.write("model a(vocab: int) { }\nmodel b(vocab: int) { }\n")
promises.check("several models in a file", [*compiler, f"{folder}/two.stretto"])
fused, onGPU = f"{folder}/fused.mlir", f"{folder}/on-gpu.mlir"
run(*compiler[:-1], HELLO, "--emit=fused", "-o", fused)
run(*compiler[:-1], HELLO, "--emit=fused", "--target=cuda", "-o", onGPU)
run(*compiler[:-1], HELLO, "--emit=fused", "-o", f"{folder}/ir.stretto")
run(*compiler[:-1], HELLO, "--emit=llvm", "-o", f"{folder}/code.mlir")
promises.check("IR under the name of a spec", [*compiler, f"{folder}/ir.stretto"])
promises.check("LLVM IR", [*compiler, f"{folder}/code.mlir"])
promises.check("IR for another target", ["stretto", "compile", onGPU, "-o", f"{folder}/p"])
promises.check("an option that comes too late for IR", ["stretto", "compile", fused, "--fuse=none", "-o", f"{folder}/p"])

whole = spec("x = softmax_attention(x, x, x, 2, causal = false)")
ahead = ["stretto", "compile", whole, "--vocab", "16", "--batch", "2", "--length", "8", "--emit=train", "-o", f"{folder}/ahead.mlir"]
told = promises.check("text from a model that looks ahead", [*ahead, "--decode", "4"])
expect("please report" not in told, f"the compiler is blamed: {told}")
promises.check("training of a model that looks ahead", ahead, status=0)
whole = spec("y = next_token_loss(linear(x, vocab))", "linear(x * spread(y, dim), vocab)")
told = promises.check("training of a model whose logits depend on the loss", ahead)
expect("please report" not in told, f"the compiler is blamed: {told}")

promises.check("a budget for saved values that is too small",
               ["stretto", "compile", HELLO, *TASK, "--memory-budget", "1K", "-o", f"{folder}/tight.o", "--emit=object"], status=0)

run(program(HELLO, *TASK, *SMALL), *TASK, "--steps", 1, "--quiet", "--out", f"{folder}/run")
os.remove(f"{folder}/run/build/program")
promises.check("a run whose program is gone", ["stretto", "train", "--resume", "--out", f"{folder}/run", "--steps", 2, "--quiet"], status=0)
os.truncate(f"{folder}/run/build/options.txt", 20)
promises.check("options of a run that were cut", ["stretto", "eval", f"{folder}/run"])

early = f"{folder}/early.mlir"
run("stretto", "compile", HELLO, *TASK, *SMALL, "--emit=seq", "-o", early)
run(program(early, *TASK), *TASK, "--steps", 1, "--quiet", "--out", f"{folder}/staged")
os.remove(f"{folder}/staged/build/stage.mlir")
promises.check("a run whose stage is gone", ["stretto", "eval", f"{folder}/staged"], status=2)

sweep = ["stretto", "sweep", HELLO, *TASK, "--over", "seed=0", "--out", f"{folder}/sweep"]
os.makedirs(f"{folder}/sweep")
for mistake, text in (("a sweep.toml that is cut", 'options = []\nspec = ["a'), ("a sweep.toml that lacks something", "options = []\n"),
                      ("a sweep.toml with another type", "options = 7\n"),
                      ("a sweep.toml with keys in keys without end", "[a" + 100000 * ".a" + "]\n")):
    with open(f"{folder}/sweep/sweep.toml", "w", encoding="utf-8") as file:
        file.write(text)
    promises.check(mistake, sweep)
os.remove(f"{folder}/sweep/sweep.toml")
os.mkdir(f"{folder}/sweep/sweep.toml")
promises.check("a folder in place of a sweep.toml", sweep)
os.rmdir(f"{folder}/sweep/sweep.toml")
os.mkdir(f"{folder}/sweep/seed-0")
promises.check("a run that the sweep did not begin", sweep, status=2)

compared = f"{folder}/compared"
promises.check("a comparison of what is no run", ["stretto", "compare", compared])
os.makedirs(f"{compared}/build/settings.json")
good = {"metrics.jsonl": '{"step": 1}\n', "timing.jsonl": "", "run.toml": "", "build/plan.json": '{"blocks": []}', "build/settings.json": "[]"}


def refuse_run(mistake, name, text):
    for file, content in {**good, name: text}.items():
        with open(f"{compared}/{file}", "w", encoding="utf-8") as file:
            file.write(content)
    promises.check(mistake, ["stretto", "compare", compared])


with open(f"{compared}/metrics.jsonl", "w", encoding="utf-8") as file:
    file.write(good["metrics.jsonl"])
promises.check("a folder in place of a run's settings", ["stretto", "compare", compared])
os.rmdir(f"{compared}/build/settings.json")
refuse_run("a run's settings that are nested without end", "build/settings.json", 200000 * "[")
refuse_run("a run's plan that is cut", "build/plan.json", '{"blocks": ')
refuse_run("a line of a run that is no JSON", "metrics.jsonl", '{"step": 1}\nstep 2\n')
refuse_run("a line of a run without its step", "timing.jsonl", '{"seconds": 1}\n')
refuse_run("a run.toml with another type", "run.toml", "settings = 7\n")

promises.check("a smaller vocabulary than that of the task", ["stretto", "compile", HELLO, *TASK, "--vocab", 9, "--emit=seq"])
os.makedirs(f"{folder}/readonly")
os.chmod(f"{folder}/readonly", 0o555)
promises.check("read-only folder for the program",
               obeying_permissions(["stretto", "compile", HELLO, *TASK, "-o", f"{folder}/readonly/p"]))
promises.check("a cache that cannot be written", train, env={**os.environ, "STRETTO_CACHE": "/dev/null/cache"})
own = {"env": {**os.environ, "STRETTO_CACHE": f"{folder}/cache"}}


def with_small_files(kilobytes, command):
    """A command whose files cannot have more: as on a disk that is full, writing fails halfway."""
    return ["bash", "-c", f'ulimit -f {kilobytes}; exec "$0" "$@"', *command]


small = ["stretto", "train", HELLO, *TASK, *SMALL]
promises.check("a disk that is full below the cache", with_small_files(8, small), **own)
promises.check("the same below a program of `stretto compile`",
               with_small_files(8, ["stretto", "compile", HELLO, *TASK, *SMALL, "-o", f"{folder}/full"]), status=73)
run("stretto-compile", HELLO, *TASK, *SMALL, "--emit=object", "-o", f"{folder}/hello.o")
failing = {**own["env"], "CXX": "false"}  # as a linker does whose program has no room
promises.check("the same for the linker", with_small_files(os.path.getsize(f"{folder}/hello.o") // 1024 + 2, small), env=failing)
expect(os.listdir(f"{folder}/cache") == [], "half a program is kept")
made = run("stretto", "program", HELLO, *TASK, *SMALL, environment=own["env"]).strip()
os.truncate(made, os.path.getsize(made) // 2)
promises.check("a damaged program in the cache", ["stretto", "train", HELLO, *TASK, *SMALL, "--version"], status=0, **own)
promises.finish()
