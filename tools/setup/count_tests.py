"""Counts test cases after a run of CTest and prints `N passed, N failed` as the last line.

    count_tests.py (<JUnit file of ctest> <folder of detailed results>)...

A CTest entry counts as many cases as its detailed result file (GoogleTest or lit, both in JUnit's form) has;
an entry without such a file counts as one. An entry that failed although all of its cases passed (a crash
at exit, a time limit) adds one failure. Exit status: 0 if at least one case passed and none failed, else 1.
"""
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def case_name(case):
    return f"{case.get('classname')}/{case.get('name')}"


def read_cases(file):
    """The names of the passed, failed and skipped cases of a detailed result file."""
    passed, failed, skipped = [], [], []
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(case_name(case))
        elif case.find("skipped") is not None or case.get("result") in ("skipped", "suppressed"):
            skipped.append(case_name(case))
        else:
            passed.append(case_name(case))
    return passed, failed, skipped


def details_of(name, folder):
    """The detailed result file of a CTest entry, or None."""
    for stem in (name, name.replace("unit-", "stretto_unit_", 1)):
        file = folder / f"{stem}.xml"
        if file.is_file():
            return file
    return None


def count(junit, folder):
    passed, failed, skipped = [], [], []
    for entry in ElementTree.parse(junit).getroot().iter("testcase"):
        name, status = entry.get("name"), entry.get("status")
        file = details_of(name, folder)
        if file is None:
            {"run": passed, "fail": failed}.get(status, skipped).append(name)
            continue
        try:
            cases = read_cases(file)
        except ElementTree.ParseError as error:
            failed.append(f"{name}: result file cut short ({error})")
            continue
        for all_of_kind, of_entry in zip((passed, failed, skipped), cases):
            all_of_kind += of_entry
        if status == "fail" and not cases[1]:
            failed.append(f"{name}: did not end well although no case failed")
    return passed, failed, skipped


def main():
    passed, failed, skipped = [], [], []
    for junit, folder in zip(map(Path, sys.argv[1::2]), map(Path, sys.argv[2::2]), strict=True):
        counts = count(junit, folder) if junit.is_file() else ([], [f"{junit}: no results"], [])
        for all_of_kind, of_run in zip((passed, failed, skipped), counts):
            all_of_kind += of_run
    if skipped:
        print(f"{len(skipped)} skipped:")
        print("".join(f"  {name}\n" for name in skipped), end="")
    if failed:
        print(f"{len(failed)} failed:")
        print("".join(f"  {name}\n" for name in failed), end="")
    if not passed and not failed:
        print("no test was run")
    print(f"{len(passed)} passed, {len(failed)} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
