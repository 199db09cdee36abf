# RUN: %python3 %s %root %t
"""./setup test counts cases, not CTest entries, and misses no failure."""
import shutil
import subprocess
import sys
from pathlib import Path

ROOT, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])


def count(entries, details):
    """The exit status and the last line for CTest entries {name: status} and detailed files {name: text}."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    cases = "".join(f'<testcase name="{name}" status="{status}"/>' for name, status in entries.items())
    (FOLDER / "ctest.xml").write_text(f"<testsuite>{cases}</testsuite>")
    for name, text in details.items():
        (FOLDER / name).write_text(text)
    result = subprocess.run([sys.executable, ROOT / "tools/setup/count_tests.py", FOLDER / "ctest.xml", FOLDER],
                            capture_output=True, text=True)
    return result.returncode, result.stdout.splitlines()[-1]


PASS = '<testcase classname="a" name="b"/>'
FAIL = '<testcase classname="a" name="c"><failure message="no"/></testcase>'
SKIP = '<testcase classname="a" name="d"><skipped message="later"/></testcase>'
OFF = '<testcase classname="a" name="e" status="notrun" result="suppressed"/>'


def suite(*cases):
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


# An entry without details is one case.
assert count({"x": "run", "y": "run"}, {}) == (0, "2 passed, 0 failed")
assert count({"x": "run", "y": "fail"}, {}) == (1, "1 passed, 1 failed")
assert count({"x": "disabled", "y": "run"}, {}) == (0, "1 passed, 0 failed")
# Details replace their entry; skipped cases are neither passed nor failed.
assert count({"lit-ir": "run"}, {"lit-ir.xml": suite(PASS, PASS, SKIP, OFF)}) == (0, "2 passed, 0 failed")
assert count({"unit-ir": "fail"}, {"stretto_unit_ir.xml": suite(PASS, FAIL)}) == (1, "1 passed, 1 failed")
# A failure that no case shows: a crash before the results were written, at exit, or while they were.
assert count({"unit-ir": "fail"}, {}) == (1, "0 passed, 1 failed")
assert count({"unit-ir": "fail"}, {"stretto_unit_ir.xml": suite(PASS)}) == (1, "1 passed, 1 failed")
assert count({"unit-ir": "fail"}, {"stretto_unit_ir.xml": "<testsuites><tests"}) == (1, "0 passed, 1 failed")
# Nothing run is no success.
assert count({}, {}) == (1, "0 passed, 0 failed")
assert count({"lit-ir": "run"}, {"lit-ir.xml": suite(SKIP)}) == (1, "0 passed, 0 failed")

# Several runs are added up; one without results is a failure.
count({"unit-ir": "run"}, {"stretto_unit_ir.xml": suite(PASS, PASS)})
(FOLDER / "other.xml").write_text('<testsuite><testcase name="seeded" status="run"/></testsuite>')
for more, expected in (("other.xml", (0, "3 passed, 0 failed")), ("none.xml", (1, "2 passed, 1 failed"))):
    result = subprocess.run([sys.executable, ROOT / "tools/setup/count_tests.py", FOLDER / "ctest.xml", FOLDER, FOLDER / more, FOLDER / "none"],
                            capture_output=True, text=True)
    assert (result.returncode, result.stdout.splitlines()[-1]) == expected, result.stdout
