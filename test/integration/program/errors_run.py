"""Every mistake when a compiled program runs, as docs/errors.md tells it.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys

from programs import HELLO, SMALL, TASK, Promises, contains, digest, empty, expect, obeying_permissions, program, read, run, until

folder = empty(sys.argv[1])
promises = Promises("When a program runs")
small = program(HELLO, *TASK, *SMALL)
wide = program(HELLO, *TASK, *SMALL, "--set", "dim=32")
quiet = ["--threads", "1", "--eval-batches", "0", "--quiet"]
options = [*TASK, *quiet, "--steps", "40", "--save-every", "10"]
start = [small, *options]

run(*start, "--out", f"{folder}/good")
good = digest(f"{folder}/good", 40)
weights = f"{folder}/good/ckpt/00000040/weights.safetensors"


def command_line():
    promises.check("unknown option of the program", [*start, "--stepz", "3"])
    promises.check("an option of the compiler", [*start, "--batch-size", "3"])
    promises.check("a word that an option does not know", [*start, "--schedule", "cosin"])
    promises.check("a path that is empty, as that of a variable that is not set", [*start, "--resume", "--out", ""])
    promises.check("what the first step writes, without a step", [*start, "--steps", "0", "--dump-batch", f"{folder}/batch"])
    promises.check("several prompts one by one", [*start, "--prompt", "1", "--prompt", "2"])
    promises.check("a prompt that is empty", [*start, "--prompt", ""])
    promises.check("a temperature below 0", [*start, "--temperature", "-0.5"])
    promises.check("an evaluation of nothing", ["stretto", "eval", f"{folder}/good"], status=0)
    promises.check("what only training reads, for an evaluation", ["stretto", "eval", f"{folder}/good", "--lr", "5"], status=2)
    promises.check("what only eval reads, for generate", ["stretto", "generate", f"{folder}/good", "--prompt", "1", "--scores", "s"], status=2)
    promises.check("what only generate reads, for an evaluation", ["stretto", "eval", f"{folder}/good", "--write", "3"], status=2)
    promises.check("results that nobody gets", ["bash", "-c", 'exec "$0" "$@" > /dev/full', "stretto", "eval", f"{folder}/good"])
    for words in (["help"], ["program", HELLO, *TASK, *SMALL], ["generate", f"{folder}/good", "--prompt", "1 2"]):
        told = run("bash", "-c", 'exec "$0" "$@" > /dev/full', "stretto", *words, status=1)
        contains(told, "the output could not be written")
    promises.check("a setting out of range", [*start, "--beta2", "1"])
    promises.check("unknown task of the program", [small, "--task", "depo3", *quiet, "--out", "none"])
    promises.check("a task the program was not made for",
                   [small, "--task", "copy", "--task-set", "n=10", *quiet, "--out", "none"])
    promises.check("another length", [*start, "--task-set", "length=32", "--out", "none"])
    with open(f"{folder}/own.toml", "w", encoding="utf-8") as file:
        file.write('[task]\nlength = 32\n[settings]\ntask = "depo1"\npreset = "one-hop"\n')
    promises.check("another length in a file of settings", [small, *quiet, "--config", f"{folder}/own.toml", "--out", "none"])
    with open(f"{folder}/own.toml", "w", encoding="utf-8") as file:
        file.write('[task]\nn = 3\n[settings]\npreset = "two-hops"\n')
    promises.check("a parameter in a file for another preset", [*start, "--steps", "0", "--config", f"{folder}/own.toml", "--out", "none"], status=0)
    run("stretto", "data", "copy", "--set", "n=4", "--set", "symbols=40", "--samples", "100", "--export", f"{folder}/own.tokens")
    promises.check("answers that the task does not ask for",
                   [small, "--task", "tokens", "--task-set", f"file={folder}/own.tokens", *quiet, "--eval-generate", "8", "--out", "none"])
    promises.check("another loss", [*start, "--z-loss", "0.5", "--out", "none"])
    promises.check("a loss that cannot be", [*start, "--nll-square=-1", "--out", "none"])


def needs(name):
    """Bytes that do not depend on the batch, and all, as a program says when nothing fits."""
    text = run(name, *options, "--out", "none", "--memory-limit", 1, status=1)
    sizes = dict(re.findall(r"(needs|activations|rest) ([\d.]+ [KM]iB)", text))
    numbers = {key: float(value.split()[0]) * {"KiB": 1 << 10, "MiB": 1 << 20}[value.split()[1]]
               for key, value in sizes.items()}
    return int(numbers["needs"] - numbers["activations"] - numbers["rest"]), int(numbers["needs"])


def memory():
    """What is said to fit does fit, and nothing is allocated before."""
    batch = 64  # so that what activations take is more than what libraries do, on any machine
    big = program(HELLO, *TASK, *SMALL, "--batch", batch)
    fixed, total = needs(big)
    limit = fixed + (total - fixed) * 9 // 16  # some of libraries' needs grow with the batch, too
    text = promises.check("a batch that does not fit memory", [big, *options, "--out", "none", "--memory-limit", limit])
    fits = int(re.search(r"again with --batch (\d+)", text)[1])
    smaller = program(HELLO, *TASK, *SMALL, "--batch", fits)
    run(smaller, *options, "--steps", 1, "--out", "none", "--memory-limit", limit)
    fixed, total = needs(small)
    promises.check("a length that does not fit memory", [*start, "--out", "none", "--memory-limit", fixed + (total - fixed) // 3])
    expect(fits >= batch * 3 // 8, f"batch {fits}")


def other_machine():
    """AVX10.2 and APX together: no machine that this runs on today has them."""
    other = program(HELLO, *TASK, *SMALL, "--cpu", "diamondrapids")
    if "avx10_2" not in open("/proc/cpuinfo").read():
        promises.check("a CPU that lacks what the program needs", [other, *options, "--out", "none"])
    else:
        promises.messages.pop("a CPU that lacks what the program needs")


def damage(path, kind):
    if kind == "cut":
        os.truncate(path, os.path.getsize(path) // 2)
        return
    with open(path, "r+b") as file:
        file.seek(-3, os.SEEK_END)
        byte = file.read(1)
        file.seek(-3, os.SEEK_END)
        file.write(bytes([byte[0] ^ 16]))


def weights_of_the_user():
    load = [*start, "--out", "none", "--init-from"]
    promises.check("missing weights", [*load, f"{folder}/none"])
    promises.check("a folder that holds no weights", [*load, f"{folder}/good/build"])
    copy = shutil.copy(weights, f"{folder}/copy")
    os.chmod(copy, 0)
    promises.check("unreadable weights", obeying_permissions([*load, copy]))
    os.chmod(copy, 0o644)
    odd = shutil.copy(weights, f"{folder}/w{os.fsdecode(bytes([233]))}.safetensors")
    promises.check("a name that is no text", [*start, "--out", f"{folder}/odd", "--init-from", odd])
    expect(not os.path.exists(f"{folder}/odd"), "a refused run made its directory")
    damage(copy, "cut")
    promises.check("truncated weights", [*load, copy])
    with open(copy, "wb") as file:
        file.write(b"no weights" * 100)
    promises.check("foreign weights", [*load, copy])
    with open(copy, "wb") as file:
        file.write(b"PK\x03\x04" * 100)
    promises.check("weights that torch.save wrote", [*load, copy])
    promises.check("weights of another model", [wide, *load[1:], weights])
    run(program(HELLO, *TASK, *SMALL, "--set", "layers=2"), *options, "--steps", "1", "--out", f"{folder}/deep")
    promises.check("weights of more layers", [*load, f"{folder}/deep"])
    run("stretto", "export", f"{folder}/good", "--moments", "-o", f"{folder}/moments.safetensors")
    promises.check("weights with moments", [*load, f"{folder}/moments.safetensors"])
    early = shutil.copytree(f"{folder}/good", f"{folder}/early")
    shutil.rmtree(f"{early}/ckpt")
    promises.check("weights of a run that has written none yet", [*load, early])
    for command in (["eval"], ["export"], ["generate", "--prompt", "1 2"]):
        contains(run("stretto", command[0], early, *command[1:], status=1), "has no checkpoint: its run has come to step")
    shutil.copytree(f"{folder}/good", f"{folder}/altered")
    damage(weights.replace("good", "altered"), "flip")
    promises.check("altered weights of a checkpoint", [*load, weights.replace("good", "altered")])


def scores_of_a_run():
    """What eval and generate read is what the run wrote, or they say so, on the terminal and with the scores."""
    less = ["--threads", "1", "--eval-batches", "1"]
    altered = shutil.copytree(f"{folder}/good", f"{folder}/older")
    damage(f"{altered}/ckpt/00000040/weights.safetensors", "flip")
    told = promises.check("weights of a run whose newest checkpoint is altered", ["stretto", "eval", altered, *less], status=0)
    contains(told, "these are the scores of step 30, not those of step 40")
    promises.check("the same with --strict", ["stretto", "eval", altered, *less, "--strict"])
    result = subprocess.run(["stretto", "generate", altered, "--prompt", "1 2", "--write", "3"], capture_output=True, text=True)
    contains(result.stderr, "warning: these are the weights of step 30, not those of step 40")
    expect(len(result.stdout.split()) == 3, f"answers and warnings are mixed: {result.stdout}")
    contains(run("stretto", "generate", altered, "--prompt", "1 2", "--strict", status=1), "with --strict no other is used")

    edited = shutil.copytree(f"{folder}/good", f"{folder}/edited")
    text = read(f"{edited}/spec.stretto").decode()
    with open(f"{edited}/spec.stretto", "w", encoding="utf-8") as file:
        file.write(text.replace("silu(", "gelu("))
    expect("silu(" in text, "the model has no silu")
    promises.check("a run whose spec was edited", ["stretto", "eval", edited, *less])
    told = run("stretto", "generate", edited, "--prompt", "1 2", status=1)
    contains(told, "spec and settings must be those that run")
    contains(told, f"stretto generate SPEC --init-from {edited}")
    transfer = ["stretto", "eval", f"{edited}/spec.stretto", *TASK, *SMALL, *less, "--init-from", f"{folder}/good"]
    promises.check("weights for another spec, of the same shapes", transfer, status=0)
    contains(run("stretto", "eval", f"{folder}/good", *less, "--set", "dim=32", status=1), "spec and settings must be those that run")
    for same in (["--batch", "3"], ["--length", "96"], ["--dtype", "f64"], ["--set", "dim=16"], ["--target=cuda", "--emulate"],
                 ["--fuse=none"], ["--task-set", "n=3"]):
        told = run("stretto", "eval", f"{folder}/good", *less, *same)
        expect("trained with" not in told, f"{same}: {told}")

    cut = shutil.copytree(f"{folder}/good", f"{folder}/settings")
    os.truncate(f"{cut}/run.toml", read(f"{cut}/run.toml").index(b"lr = "))
    promises.check("settings of a run that were cut", ["stretto", "eval", cut, *less])
    os.truncate(f"{cut}/metrics.jsonl", read(f"{cut}/metrics.jsonl").index(b'{"step": 7'))
    shutil.copy(f"{folder}/good/run.toml", cut)
    promises.check("metrics that lack steps", [small, *quiet, "--resume", "--out", cut], status=0)


def other_vocabularies():
    """Weights, tasks and files of tokens of another vocabulary than the model's."""
    copy = ["--task", "copy", "--task-set", "n=10", "--task-set", "symbols=10"]
    other = program(HELLO, *copy, *SMALL)
    promises.check("weights of another vocabulary", [other, *copy, *quiet, "--out", "none", "--init-from", weights])
    promises.check("a run evaluated on another task", ["stretto", "eval", f"{folder}/good", "--task", "mano", "--task-set", "l=20"])
    transfer = ["--task", "copy", "--task-set", "n=10", "--task-set", "symbols=51"]
    promises.check("prompts for another task than that of the run", ["stretto", "generate", f"{folder}/good", *transfer, "--prompt", "1 2"])
    promises.check("another task in training, which may be meant",
                   [small, *transfer, *quiet, "--steps", "1", "--out", "none", "--init-from", weights], status=0)
    promises.check("a run evaluated with other tokens under its ids", ["stretto", "eval", f"{folder}/good", "--task-set", "k=2"])
    promises.check("the same where a new run begins with its weights",
                   ["stretto", "train", HELLO, *TASK, *SMALL, "--task-set", "k=3", "--out", "none", "--init-from", weights])
    run("stretto", "data", *copy[1:2], "--set", "length=64", "--set", "n=10", "--export", f"{folder}/copy.tokens", "--samples", "9")
    tokens = [small, *quiet, "--out", "none", "--task", "tokens", "--task-set"]
    promises.check("a token file of another vocabulary", [*tokens, f"file={folder}/copy.tokens"])
    promises.check("a run evaluated on a task of another vocabulary",
                   ["stretto", "eval", f"{folder}/good", *tokens[-3:], f"file={folder}/copy.tokens"])
    promises.check("a token file in place of a file of sequences", [small, *quiet, "--out", "none", "--tokens", f"{folder}/copy.tokens"])
    run(small, *options, "--steps", "1", "--out", "none", "--dump-batch", f"{folder}/rows.safetensors")
    rows = [small, *quiet, "--steps", "1", "--out", "none", "--tokens", f"{folder}/rows.safetensors"]
    promises.check("answers to a file of sequences", [*rows, "--eval-generate", "8"])
    run(*rows)
    content = read(f"{folder}/rows.safetensors")
    with open(f"{folder}/rows.safetensors", "wb") as file:
        file.write(content[:-2 * 64] + bytes(2 * 64))
    promises.check("a file of sequences whose mask marks nothing", rows)
    some = f"{folder}/some.safetensors"
    run(small, *options, "--steps", "1", "--accumulate", "2", "--out", "none", "--dump-batch", some)
    content = read(some)
    with open(some, "wb") as file:
        file.write(content[:-2 * 64] + bytes(2 * 64))
    promises.check("steps none of whose targets count", [small, *quiet, "--steps", "4", "--out", "none", "--tokens", some], status=0)
    with open(f"{folder}/own.tokens", "wb") as file:
        file.write(b"sttokens" + struct.pack("<IIQqqQ", 1, 2, 53, -1, -1, 4500) + bytes(9000))
    shrinks = 'file=$1; shift; "$@" --out "$0" & until test -e "$0/metrics.jsonl"; do sleep 0.05; done; truncate -s 1000 "$file"; wait $!'
    promises.check("a token file that is written to while it is read",
                   ["bash", "-c", shrinks, f"{folder}/shrunk", f"{folder}/own.tokens", small, *quiet, "--eval-batches", "0", "--steps",
                    "10000000", "--task", "tokens", "--task-set", f"file={folder}/own.tokens"])
    damage(f"{folder}/copy.tokens", "cut")
    promises.check("a damaged token file", [*tokens, f"file={folder}/copy.tokens"])
    promises.check("a task whose instances the length cannot hold", ["stretto", "eval", f"{folder}/good", "--task-set", "n=40"])


def prompts():
    def refuse(mistake, *words, **more):
        promises.check(mistake, ["stretto", "generate", f"{folder}/good", "--threads", "1", *words], **more)

    def file_of(text):
        with open(f"{folder}/prompts.txt", "w", encoding="utf-8") as file:
            file.write(text)
        return f"{folder}/prompts.txt"

    refuse("no prompt", "--prompt", "", status=2)
    refuse("a prompt longer than the cache", "--prompt", " ".join(60 * ["1"]), "--write", "9")
    refuse("a prompt that is no numbers", "--prompts", file_of("1 2\n3 four\n"))
    refuse("a prompt with a word that the task does not have", "--text", "--prompts", file_of("<begin> <answer>\n<begin> <query>\n"))
    promises.check("text without prompts", [small, "--threads", "1", "--quiet", "--text", "--tokens", file_of("")])
    promises.check("text of no task", [small, "--threads", "1", "--quiet", "--text", "--prompt", "1"])
    refuse("a token that the model does not know", "--prompts", file_of("1 2\n3 53\n"))
    refuse("a line without a prompt", "--prompts", file_of("1 2\n\n3\n"))
    refuse("a file without prompts", "--prompts", file_of(""))
    refuse("an end that the model does not know", "--prompt", "1", "--end-token", "53")


def no_numbers():
    """Weights that are NaN: nothing is predicted right, and nothing is written."""
    size = int.from_bytes(read(weights)[:8], "little")
    header, data = read(weights)[:8 + size], read(weights)[8 + size:]
    broken = f"{folder}/nan.safetensors"
    with open(broken, "wb") as file:
        file.write(header + len(data) // 4 * b"\0\0\xc0\x7f")
    own = [HELLO, *TASK, *SMALL, "--threads", "1", "--init-from", broken]
    told = promises.check("weights that are no numbers", ["stretto", "generate", *own, "--prompt", "1 2"])
    expect("0 0" not in told, f"tokens of no distribution are written: {told}")
    for way in ([], ["--temperature", "1"]):  # without a cache
        judged = ["--steps", "0", "--out", "none", "--eval-generate", "1"]
        again = run(small, *TASK, *quiet, *judged, "--init-from", broken, *way, status=1)
        contains(again, "the scores of the next token must be numbers")
    promises.check("an evaluation of weights that are no numbers", ["stretto", "eval", *own, "--eval-batches", "1"])
    copy = ["--task", "copy", "--task-set", "n=31", "--task-set", "symbols=51"]  # some answers have the last id, which NaNs predict
    scored = run(small, *copy, "--threads", "1", "--steps", "0", "--out", "none", "--init-from", broken, "--on-nonfinite", "skip")
    contains(scored, "warning: the loss of the evaluation must be a number, but got nan\n")
    expect(re.search(r"^token_accuracy +0.00 %", scored, re.M), f"weights that are NaN predict tokens: {scored}")


def checkpoints():
    for mistake, kind in (("truncated checkpoint", "cut"), ("altered checkpoint", "flip")):
        copy = shutil.copytree(f"{folder}/good", f"{folder}/{kind}")
        damage(f"{copy}/ckpt/00000040/moments.safetensors", kind)
        promises.check(mistake, [small, *quiet, "--resume", "--out", copy], status=0)
        expect(digest(copy, 40) == good, f"bits differ after a {mistake}")
        expect(b"run.toml:" not in read(f"{copy}/run.toml"), "settings of a resumed run lose their origins")
    linked = shutil.copytree(f"{folder}/good", f"{folder}/linked")
    os.rename(f"{linked}/ckpt/00000040/weights.safetensors", f"{folder}/stored")
    os.symlink(f"{folder}/stored", f"{linked}/ckpt/00000040/weights.safetensors")
    promises.check("a checkpoint whose file is a link", [small, *quiet, "--resume", "--out", linked], status=0)
    for step in ("00000020", "00000030", "00000040"):
        os.truncate(f"{folder}/cut/ckpt/{step}/manifest.json", 10)
    promises.check("no checkpoint that can be used", [small, *quiet, "--resume", "--out", f"{folder}/cut"])
    gelu = program(f"{folder}/edited/spec.stretto", *TASK, *SMALL)
    promises.check("resume with another spec", [gelu, *quiet, "--resume", "--out", f"{folder}/good"])
    promises.check("resume with the same spec, but other settings", [wide, *quiet, "--resume", "--out", f"{folder}/good"])
    run("stretto", "compile", HELLO, *TASK, *SMALL, "--emit=seq", "-o", f"{folder}/stage.mlir")
    promises.check("resume with a stage of the spec",
                   ["stretto", "train", f"{folder}/stage.mlir", *TASK, *SMALL[:4], *quiet, "--resume", "--out", f"{folder}/good"])
    promises.check("resume with another number of virtual ranks",
                   [small, *quiet, "--resume", "--virtual-ranks", "4", "--out", f"{folder}/good"])
    promises.check("resume with another seed", [small, *quiet, "--resume", "--seed", "5", "--out", f"{folder}/good"])
    promises.check("resume without a run directory", [small, *options, "--resume"])
    promises.check("prompts for a run that is gone on with", [small, *quiet, "--resume", "--out", f"{folder}/good", "--prompt", "1 2"])


def changed_file():
    """Another text of the same vocabulary in a file that the task is made from: a resume is refused, eval warns."""
    def write(*rules):
        with open(f"{folder}/own.grammar", "w", encoding="utf-8") as file:
            file.write(f"terminals {' '.join(words)}\nS -> {' | '.join(rules)}\n")

    words = [f"w{i}" for i in range(52)]
    rules = [" ".join(words[i:i + 13]) for i in range(0, 52, 13)]
    write(*rules)
    lano = [small, *quiet, "--task", "lano", "--task-set", f"grammar={folder}/own.grammar", "--eval-generate", "0",
            "--schedule", "constant"]
    for out, steps in (("whole", 4), ("file", 2)):
        run(*lano, "--steps", steps, "--out", f"{folder}/{out}")
    resume = [small, *quiet, "--resume", "--steps", "4", "--out", f"{folder}/file"]
    words.append("another")
    write(*rules, "another")
    promises.check("resume with a file that has more words", resume)
    promises.check("the same by a program that is compiled for them",
                   ["stretto", "train", HELLO, *SMALL, *lano[len(quiet) + 1:], *resume[1:]])
    words.pop()
    write(*rules[::-1])
    promises.check("resume with a file that was changed", resume)
    scored = ["stretto", "eval", f"{folder}/file", "--threads", "1", "--eval-batches", "1", "--eval-generate", "0"]
    promises.check("weights that were trained when a file was another", scored, status=0)
    shutil.copy(f"{folder}/own.grammar", f"{folder}/other.grammar")
    write(*rules)
    for same in ([], ["--task-set", f"grammar={folder}/other.grammar"]):
        expect("warning" not in run(*scored, *same), f"eval warns with {same}")
    run(*resume)
    expect(digest(f"{folder}/file", 4) == digest(f"{folder}/whole", 4), "the refused resume lost something")


def run_directories():
    promises.check("a run directory that is not new", [*start, "--out", f"{folder}/good"])
    os.makedirs(f"{folder}/sources/build")
    promises.check("a run directory that is a folder with something else", [*start, "--out", f"{folder}/sources"])
    expect(os.listdir(f"{folder}/sources") == ["build"], "a refused run wrote something")
    os.makedirs(f"{folder}/sweep")
    open(f"{folder}/sweep/sweep.toml", "w").close()
    promises.check("a run directory that is a sweep's", [*start, "--out", f"{folder}/sweep"])
    os.symlink("nothing", f"{folder}/dangling")
    promises.check("a run directory that is a link to nothing", [*start, "--out", f"{folder}/dangling"])
    busy = subprocess.Popen([small, *options, "--steps", "10000000", "--out", f"{folder}/busy"], stderr=subprocess.PIPE)
    until(lambda: os.path.exists(f"{folder}/busy/metrics.jsonl"), "the run directory")
    promises.check("a run directory in use", [*start, "--out", f"{folder}/busy"])
    busy.send_signal(signal.SIGTERM)
    expect(busy.wait() == 128 + signal.SIGTERM, "exit status after SIGTERM")
    moves = '"$@" --out "$0" & until test -e "$0/metrics.jsonl"; do sleep 0.05; done; mv "$0" "$0-moved"; wait $!'
    promises.check("a run directory that is moved or removed",
                   ["bash", "-c", moves, f"{folder}/away", *start, "--steps", "10000000", "--save-every", "1000"])
    promises.check("other weights to begin with, for a run that goes on",
                   [small, "--resume", "--out", f"{folder}/good", "--init-from", weights])
    promises.check("an output in place of a file that is read",
                   [*start, "--out", "none", "--init-from", weights, "--dump-batch", weights])
    promises.check("an output in place of a file of a run", [*start, "--out", "none", "--dump-gradients", weights])
    told = run("stretto", "eval", f"{folder}/good", "--scores", f"{folder}/good/run.toml", status=1)
    contains(told, f"--scores must not name a file of a run, but got '{folder}/good/run.toml'")
    spec = shutil.copy(HELLO, f"{folder}/own.stretto")
    told = run("stretto", "train", spec, *TASK, *SMALL, *quiet, "--out", "none", "--scores", spec, status=2)
    contains(told, f"--scores must not name a file that is read, but got '{spec}'")
    promises.check("scores that cannot be written", [*start, "--out", "none", "--eval-batches", "1", "--scores", "/dev/full"])
    os.makedirs(f"{folder}/readonly")
    os.chmod(f"{folder}/readonly", 0o555)
    promises.check("read-only folder", obeying_permissions([*start, "--out", f"{folder}/readonly/run"]))
    expect(digest(f"{folder}/good", 40) == good, "a refused run changed the run directory")


def full_disk():
    """A small file system of its own; where that cannot be mounted, a limit on the size of files."""
    disk = empty(f"{folder}/disk")
    size = f"size={os.path.getsize(small) + 700 * 1024}"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", disk], capture_output=True).returncode == 0
    limit = {} if mounted else {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (90000, 90000))}
    try:
        command = [*start, "--steps", "2000" if mounted else "1200", "--keep", "1000", "--out", f"{disk}/run"]
        promises.check("disk full", command, **limit)
        steps = [int(name) for name in os.listdir(f"{disk}/run/ckpt") if name.isdigit()]
        expect(len(steps) >= 2, "no checkpoint before the disk was full")
        if mounted:
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        told = run(small, *quiet, "--resume", "--steps", max(steps) + 5, "--out", f"{disk}/run")
        expect("refused" not in told, f"a checkpoint was damaged by the full disk: {told}")
    finally:
        if mounted:
            subprocess.run(["umount", disk], check=True)


def numbers():
    """A learning rate that throws the weights away makes the next step's gradients infinite."""
    wild = [*start, "--lr", "1e6", "--save-every", "1"]
    promises.check("a loss or gradient that is no number", [*wild, "--out", f"{folder}/nan"])
    expect(sorted(os.listdir(f"{folder}/nan/ckpt")) == ["00000001", "latest"], "a checkpoint holds what is no number")
    for again in ([], [small, *quiet, "--resume", "--out", f"{folder}/nan"]):
        if again:
            run(*again, status=1)
        steps = re.findall(rb'"step": (\d+)', read(f"{folder}/nan/metrics.jsonl"))
        expect(steps == [b"1", b"2"], f"the metrics must end with the step that is no number: {steps}")
    contains(run("stretto", "compare", "--table", f"{folder}/nan"), "Without figures, as their last loss or norm of gradients is not finite: 1 of the 1 runs")
    skipped = [*wild, "--on-nonfinite=skip", "--steps", "12", "--out", f"{folder}/skip"]
    told = promises.check("the same with --on-nonfinite=skip", skipped, status=0)
    expect(re.findall(r"step (\d+) is skipped", told) == ["2", "3", "4", "5", "9"], f"not each skipped step is told: {told}")
    contains(told, "warning: 11 steps have been skipped, the last of them step 12")
    lines = open(f"{folder}/skip/metrics.jsonl").read().splitlines()
    expect(len(lines) == 12, f"skipped steps are not in the metrics: {lines}")
    contains(lines[1], '"grad_norm": "nan"')
    promises.check("the same with --check-finite", [*wild, "--check-finite", "--out", "none"])


for part in (command_line, memory, other_machine, weights_of_the_user, scores_of_a_run, other_vocabularies, prompts, no_numbers, checkpoints, changed_file, run_directories, full_disk, numbers):
    part()
promises.finish()
