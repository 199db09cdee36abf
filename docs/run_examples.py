"""Runs the examples of a page of the manual, in order, in one empty folder, so that what it shows stays true.

    run_examples.py [--update] <page.md> <scratch folder>

Fenced blocks are told apart by the words after the fence:
  ```stretto file=NAME     written to the file NAME
  ```sh run                run line by line by bash; must succeed
  ```sh run fails          run; must fail
  ```sh run steps=N        the same, with N steps for all that trains (a long run cut short)
  ```text output           what the block above printed (both streams), numbers aside but for bytes; --update writes it anew
  anything else            not touched
The scratch folder holds a link `models`; build/bin is on the path where the test suite runs this.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*?)```$", re.M)
NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*(?:e[+-]?[0-9]+)?")
BYTES = re.compile(rf"({NUMBER.pattern} (?:[KMGT]iB|bytes)\b)")


@dataclass
class Block:
    words: list      # after the fence
    text: str
    begin: int       # of the text in the page
    line: int        # of the fence, from 1

    def value(self, name):
        return next((word[len(name) + 1:] for word in self.words if word.startswith(name + "=")), None)


def blocks_of(page):
    return [Block(match[1].split(), match[2], match.start(2), page.count("\n", 0, match.start()) + 1)
            for match in FENCE.finditer(page)]


def without_numbers(line):
    """Bytes stay, as the compiler counts them; what a process takes (`resident`) is a matter of the machine."""
    parts = [line] if "resident" in line else BYTES.split(line)
    return "".join(part if at % 2 else NUMBER.sub("#", part) for at, part in enumerate(parts))


def comparable(text):
    """Lines without what differs from run to run and machine to machine: numbers, widths of columns."""
    return [re.sub(r"\s+", " ", without_numbers(line)).strip() for line in text.rstrip().splitlines()]


def shortened(line, steps):
    if "--steps" in line:
        return re.sub(r"--steps[ =]\d+", f"--steps {steps}", line)
    return re.sub(r"\bstretto (train|sweep) \S+", rf"\g<0> --steps {steps}", line)


def run(block, folder):
    """What the block prints. Stops where it fails although it should not, and the other way round."""
    script = block.text
    if steps := block.value("steps"):
        script = "\n".join(shortened(line, steps) for line in script.splitlines())
    result = subprocess.run(["bash", "-euc", script], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if (result.returncode != 0) != ("fails" in block.words):
        wanted = "should fail but did not" if "fails" in block.words else "failed"
        sys.exit(f"line {block.line}: this {wanted} (exit status {result.returncode}):\n{script}{result.stdout}")
    return result.stdout


def differences(block, printed):
    wanted, got = comparable(block.text), comparable(printed)
    if wanted == got:
        return ""
    lines = difflib.unified_diff(wanted, got, "the page", "this run", lineterm="", n=2)
    return f"line {block.line}: the output differs (write it anew with --update):\n" + "\n".join(lines) + "\n"


def walk(page, folder, update):
    """Runs all blocks; the page with its outputs written anew, and what differed."""
    printed, cut_short, problems, pieces, done, ran = None, False, "", [], 0, 0
    for block in blocks_of(page):
        if name := block.value("file"):
            (folder / name).write_text(block.text, encoding="utf-8")
        elif block.words[:2] == ["sh", "run"]:
            printed, cut_short = run(block, folder), bool(block.value("steps"))
            ran += 1
        elif block.words[:2] == ["text", "output"]:
            if printed is None:
                sys.exit(f"line {block.line}: output of no command")
            if update and not cut_short:
                pieces += [page[done:block.begin], printed.rstrip("\n") + "\n"]
                done = block.begin + len(block.text)
            elif not cut_short:
                problems += differences(block, printed)
            printed = None
    if not ran:
        sys.exit("no block of this page is marked to be run")
    return "".join(pieces) + page[done:], problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    update, file, folder = arguments.update, arguments.page, arguments.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.symlink(ROOT / "models", folder / "models")
    os.environ["NO_COLOR"] = "1"
    page, problems = walk(file.read_text(encoding="utf-8"), folder, update)
    if update:
        file.write_text(page, encoding="utf-8")
    print(problems, end="")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
