"""Runs the examples of the reference: reference_examples.py FOLDER, where FOLDER holds its pages.

Every operation and every pass must have one. That of an operation (or attribute) has to parse and to pass its
verifiers; values that it does not define get the types that it reads them with. That of a pass is a module on which
stretto-opt runs the pass, or the flags that a first comment `// stretto-opt --flags` gives. Where a second block
follows, its lines must stand in the result (or, when it is a `text` block, among the messages), one below the other;
`...` stands for anything within a line, and alone on a line for any lines. The command has to fail where the second
block shows an error, and to succeed elsewhere.
"""
import re
import subprocess
import sys
from pathlib import Path

ENTRY = re.compile(r"^### `?(-?[\w.-]+)`?.*\n((?:(?!^##).*\n?)*)", re.M)
BLOCK = re.compile(r"^```(mlir|text)\n(.*?)^```$", re.M | re.S)
VALUE = re.compile(r"%[A-Za-z_$.][\w$.-]*")
DEFINED = re.compile(r"(%[\w$.-]+)(?::\d+)?(?=(?:, %[\w$.-]+(?::\d+)?)* = )|(%[\w$.-]+)(?=: )")


def stretto_opt(text, *flags):
    done = subprocess.run(["stretto-opt", "-", *flags], input=text, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def values_for(text):
    """Lines that make the values which an example reads and does not define."""
    defined = {name for pair in DEFINED.findall(text) for name in pair}
    types = {name: "none" for name in dict.fromkeys(VALUE.findall(text)) if name not in defined}
    while True:
        lines = "".join(f'{name} = "example.value"() : () -> {each}\n' for name, each in types.items())
        _, _, said = stretto_opt(text + lines, "--allow-unregistered-dialect")
        wrong = re.search(r"definition of SSA value '(%[\w$.-]+)#0' has type 'none'.*?previously used here with type '(.*?)'\n",
                          said, re.S)  # fmt: skip
        if not wrong:
            return lines
        types[wrong[1]] = wrong[2]


def problem_of_operation(name, text):
    if name not in text and not text.startswith("#"):
        return f"the example does not hold {name}"
    if text.startswith("#"):
        text = f'"example.attribute"() {{value = {text.strip()}}} : () -> ()\n'
    status, _, said = stretto_opt(text + values_for(text), "--allow-unregistered-dialect")
    return said if status else None


def pattern_of(lines):
    """A regular expression for the lines of a result, whatever their indentation."""
    pattern = ""
    for line in lines:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r"[ ]*" + r".*".join(map(re.escape, line.strip().split("..."))) + r"[ ]*\n"
    return re.compile(r"^" + pattern, re.M)


def problem_of_pass(name, text, result):
    """`result`: (kind of block, text), or None."""
    first = text.splitlines()[0]
    flags = first.removeprefix("// stretto-opt").split() if first.startswith("// stretto-opt") else [f"-{name}"]
    if not any(flag.lstrip("-").partition("=")[0] == name.lstrip("-") for flag in flags):
        return f"the flags of the example do not hold {name}"
    status, printed, said = stretto_opt(text, *flags)
    shows_error = bool(result) and "error:" in result[1]
    if bool(status) != shows_error:
        return f"exit status {status}:\n{said}"
    if result and not pattern_of(result[1].splitlines()).search(said if result[0] == "text" else printed):
        return f"these lines are not in the result:\n{result[1]}but it is\n{(printed + said)[:4000]}"
    return None


def problem_of(name, body):
    blocks = BLOCK.findall(body)
    is_pass = name.startswith("-")
    if not blocks:
        return "it has no example" if is_pass or "." in name else None  # attributes may go without
    if is_pass:
        return problem_of_pass(name, blocks[0][1], blocks[1] if len(blocks) > 1 else None)
    problems = [problem_of_operation(name, text) for kind, text in blocks if kind == "mlir"]
    return next((problem for problem in problems if problem), None)


def main(folder):
    count, failures = 0, 0
    for page in sorted(Path(folder).glob("*.md")):
        for name, body in ENTRY.findall(page.read_text(encoding="utf-8")):
            count += 1
            if problem := problem_of(name, body):
                failures += 1
                print(f"{page.name}: {name}: {problem}")
    print(f"{count - failures} of {count} entries are well")
    return bool(failures) or not count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
