"""What would take for ever, or all memory, is an error with its place; what is just below takes no longer than it should.

UNSUPPORTED: sanitize
RUN: %python3 %s %t
"""
import os
import resource
import subprocess
import sys
from pathlib import Path

SECONDS, BYTES = 120, 4 << 30  # far above what any of these takes, far below what they took


def model(body, head=""):
    return f"{head}model m(vocab: int, dim = 16) {{\n  x = embed(tokens, vocab, dim)\n{body}\n  return linear(x, vocab)\n}}\n"


def doubling(kind, levels):
    first = {"def": "def d0(x) = tanh(x)", "block": "block d0(x) { return linear(x, 16) }"}[kind]
    line = {"def": "def d{}(x) = d{}(x) + d{}(x)", "block": "block d{}(x) {{ return d{}(x) + d{}(x) }}"}[kind]
    lines = [first, *(line.format(i, i - 1, i - 1) for i in range(1, levels + 1))]
    return model(f"  x = d{levels}(x)", "\n".join(lines) + "\n")


TOO_MANY = "a model has at most 10000 operations when its calls are written out, but gets more here"
WRONG = {  # name: (text, options, place, message)
    "defs": (doubling("def", 14), [], "18:7", TOO_MANY),
    "blocks": (doubling("block", 16), [], "13:32", TOO_MANY),
    "many blocks": (doubling("block", 60), [], "13:32", TOO_MANY),
    "repeats": (model("  repeat 4096 { repeat 4096 { x = tanh(exp(tanh(x))) } }"), [], "3:17", TOO_MANY),
    "parts": ("model m(vocab: int) {\n  x = split(linear(embed(tokens, vocab, 8), 16777216), 16777216)\n  return x\n}\n", [], "2:7", TOO_MANY),
    "statements": (model("  x = tanh(x)\n" * 100_000), [], "10002:7", TOO_MANY),
    "steps": (model("  repeat 4096 as a { repeat 4096 as b { n = a + b } }"), [], "3:", "the program takes more than 4000000 steps to elaborate"),
    "vocabulary": (model(""), ["--vocab", "2000000000", "--batch", "2", "--length", "8"], "4:10", "a row has at most 2^24 columns, but got [batch=2, length=8, vocab=2000000000]"),
    "layers": (model("  repeat dim { x = tanh(x) }"), ["--set", "dim=1000000"], "3:10", "a repeat runs 0 to 4096 times, but got 1000000"),
    "parentheses": (model(f"  x = {'(' * 100_000}x{')' * 100_000}"), [], "3:", "levels of nesting are allowed"),
    "signs": (model(f"  x = {'-' * 100_000}x"), [], "3:", "levels of nesting are allowed"),
    "conditions": (model("  if true { " * 10_000 + "x = x" + " }" * 10_000), [], "", "levels of nesting are allowed"),
    "a sum": (model(f"  x = {' + '.join(['x'] * 100_000)}"), [], "3:", "levels of operations"),
    "an integer": (model(f"  n = {'9' * 100_000}"), [], "3:7", "an int is at most 9223372036854775807, but got 9999"),
    "parameters": (f"model m({', '.join(f'p{i} = 1' for i in range(100_000))}, p7 = 1) {{ return tokens }}\n", [], "1:", "the parameter 'p7' is declared twice"),
}
FINE = {
    "different layers": (model("\n".join(f"  x = x + linear(rms_norm(x), dim) * {i + 1}.5" for i in range(512))), "fused"),
    "columns": (model(""), "train", "--vocab", "16777216"),
    "defs": (doubling("def", 11), "seq"),
    "blocks": (doubling("block", 11), "seq"),
}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))


def compile_file(file, *options):
    command = ["stretto-compile", str(file), "-o", os.devnull, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit_memory)


def refuses(file, place, message, *options):
    result = compile_file(file, *options)
    assert result.returncode == 1 and f"{file}:{place}" in result.stderr and message in result.stderr, (
        f"{file} {options}: status {result.returncode}, not {place} {message}:\n{result.stderr[:1500]}")


def check_specs(out):
    file = out / "m.stretto"
    for name, (text, options, place, message) in WRONG.items():
        print("refuses", name, flush=True)
        file.write_text(text)
        shape = [] if "--vocab" in options else ["--vocab", "16"]
        refuses(file, place, message, *shape, *options, "--emit=train")
    for name, (text, stage, *options) in FINE.items():
        print("takes", name, flush=True)
        file.write_text(text)
        result = compile_file(file, "--batch", "1", "--length", "8", *(options or ["--vocab", "16"]), f"--emit={stage}")
        assert result.returncode == 0, f"{name}: status {result.returncode}\n{result.stderr[:1500]}"


def check_files(out):
    fifo, large, imports = out / "fifo.stretto", out / "large.stretto", out / "imports.stretto"
    if not fifo.exists():
        os.mkfifo(fifo)
    large.write_bytes(b"//" + b"x" * (4 << 20))
    for path, reason in ((fifo, "it must be a regular file"), (Path("/dev/zero"), "it must be a regular file"),
                         (large, "it must have at most 4194304 bytes, but got 4194306"), (out, "it is a folder")):
        imports.write_text(f'import "{path}"\n' + model(""))
        for command in (["stretto-compile", path], ["stretto", "compile", path], ["stretto", "fmt", path],
                        ["stretto-compile", imports], ["stretto", "compile", imports]):
            options = [] if "fmt" in command else ["--vocab", "16", "--emit=seq"]
            result = subprocess.run([str(part) for part in [*command, *options]], capture_output=True, text=True, timeout=SECONDS)
            assert result.returncode == 1 and f"'{path}': {reason}" in result.stderr, f"{command}: {result.returncode} {result.stderr[:500]}"


out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
check_specs(out)
check_files(out)
