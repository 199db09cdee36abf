"""Every operation on files, and every allocation, fails once in a run of a program: it must say what failed and end with
status 1, or go on with a warning; earlier checkpoints stay, and a resume ends with the bits of a run left alone.

Case i is kind i of failure in program i // 5: one operation fails; that one and all behind it fail; a write takes half of
its bytes; one allocation fails; that one and all behind it fail."""
import errno
import os
import re
from dataclasses import replace

from attempts import Attempts, difference, result_of, tell_faults
from disk import read_log
from kills import Alone
from small_programs import COUNT, make_program

KINDS = ["one", "all", "half", "allocation", "allocations"]
CASES, SHORT = COUNT * len(KINDS), len(KINDS)
# Of the allocations of a run every one of so many; the case chooses which. In a short campaign also of the operations.
ALLOCATIONS_APART, SHORT_APART = 29, 11
STEPS = 6  # three checkpoints, of which two are kept
WHOLE = ["--keep", "100"]

CODES = {"open": errno.EMFILE, "create": errno.ENOSPC, "append": errno.EACCES, "mkdir": errno.ENOSPC, "write": errno.ENOSPC,
         "sync": errno.EIO, "rename": errno.EIO, "exchange": errno.EIO, "unlink": errno.EROFS, "rmdir": errno.EROFS,
         "resize": errno.EIO, "read": errno.EIO, "list": errno.EMFILE}  # fmt: skip


def complaint(end, said, *names):
    """What is wrong with the way in which a program ended after something failed."""
    if end not in ("exit 0", "exit 1"):
        return f"{end}: {said[-600:]}"
    lines = [line for line in said.splitlines() if re.match(r"(error|warning): ", line)]
    if end == "exit 1" and sum(line.startswith("error: ") for line in lines) != 1:
        return f"must say one error, but got: {said[-600:]}"
    if names and not lines:
        return "must say what failed, but says nothing"
    if names and not any(name in line for line in lines for name in names):
        return f"must name what failed, but got: {said[-600:]}"
    return ""


class Failures:
    def __init__(self, tools):
        self.tools, self.attempts = tools, Attempts(tools)
        self.alone = Alone(tools, self.attempts)

    def check(self, number):
        program, kind = make_program(self.tools, number // len(KINDS)), KINDS[number % len(KINDS)]
        program = replace(program, options=[*program.options, "--steps", str(STEPS)])
        faults = self.allocations(program, kind, number) if kind.startswith("alloc") else self.operations(program, kind)
        counts, problems = {"failures": 0, "runs that went on": 0}, []
        for where, names, settings in faults:
            folder = f"{self.tools.folder('failing')}/run"
            options = [*program.run_options(folder), "--resume"]
            end, said = self.attempts.run(program.shared, options, faults=settings(folder))
            counts["failures"] += 1
            counts["runs that went on"] += end == "exit 0"
            problem = complaint(end, said, *(name.replace("FOLDER", folder) for name in names))
            problem = problem or self.resume(program, folder)
            problems += [f"{program.name}, {where}: {problem}"] if problem else []
        return counts, problems

    def resume(self, program, folder):
        end, said = self.attempts.run(program.shared, [*program.run_options(folder), "--resume"])
        if end != "exit 0" or "warning: " in said:
            return f"resumed: {end}: {said}"
        # Checkpoints that could not be written are missing, so that older ones are still there.
        expected, found = self.alone(replace(program, options=[*program.options, *WHOLE]))[0], result_of(folder)
        last = f"ckpt/{STEPS:08}/"
        wanted = {name: text for name, text in expected.items()
                  if name in found or not name.startswith("ckpt/0") or name.startswith(last)}  # fmt: skip
        problem = difference(found, wanted)
        return f"resumed: {problem}" if problem else ""

    def operations(self, program, kind):
        """For each operation on files: what it is, what a message must name, and the settings that let it fail."""
        folder, log = f"{self.tools.folder('logged')}/run", os.path.join(self.tools.scratch, "log")
        if os.path.exists(log):
            os.remove(log)
        options = [*program.run_options(folder), "--resume"]
        self.attempts.run(program.shared, options, faults=tell_faults(below=folder, log=log))
        for record in read_log(log)[:: SHORT_APART if self.tools.short else 1]:
            if record.name == "begin" or (kind == "half" and record.name != "write"):
                continue
            code = 0 if kind == "half" else CODES[record.name]
            fail = f"{record.number}:{code}" + (":all" if kind == "all" else "")
            names = [re.sub(r"(\.tmp-|tfevents).*", "", name.replace(folder, "FOLDER"))
                     for name in (record.path, record.target) if name]  # fmt: skip
            names = [] if kind == "half" else ["FOLDER"] if kind == "all" else names  # a short write is no failure
            yield (f"{record.name} {record.number} of {record.path} fails ({kind})", names,
                   lambda folder, fail=fail: tell_faults(below=folder, fail=fail))  # fmt: skip

    def allocations(self, program, kind, number):
        many = 10**9
        folder = f"{self.tools.folder('counted')}/run"
        options = [*program.run_options(folder), "--resume"]
        _, said = self.attempts.run(program.shared, options, faults=tell_faults(allocation=many))
        count = many - int(re.search(r"allocations left: (\d+)", said)[1])
        apart = ALLOCATIONS_APART * (SHORT_APART if self.tools.short else 1)
        for failing in range(1 + number % apart, count + 1, apart):
            fail = f"{failing}" + (":all" if kind == "allocations" else "")
            yield f"allocation {failing} of {count} fails ({kind})", [], lambda _, fail=fail: tell_faults(allocation=fail)
