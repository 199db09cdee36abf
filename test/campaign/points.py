"""Each operation that changes files in a short run is where the run is killed once, before and behind it; then it is resumed.

Case i is program i with all of its operations."""
import os
from dataclasses import replace

from attempts import Attempts, difference, result_of, tell_faults
from disk import read_log
from kills import Alone
from small_programs import COUNT, make_program

CASES, SHORT = COUNT, 1


class Points:
    def __init__(self, tools):
        self.tools, self.attempts = tools, Attempts(tools)
        self.alone = Alone(tools, self.attempts)

    def operations(self, program):
        """What a run does to files, in order."""
        folder, log = f"{self.tools.folder('logged')}/run", os.path.join(self.tools.scratch, "log")
        if os.path.exists(log):
            os.remove(log)
        self.attempts.run(program.shared, program.run_options(folder), faults=tell_faults(below=folder, log=log))
        return [record for record in read_log(log) if record.name not in ("begin", "open", "read", "list")]

    def check(self, number):
        program, problems = make_program(self.tools, number), []
        program = replace(program, options=[*program.options, "--steps", "6"])  # three checkpoints; two are kept
        expected, _ = self.alone(program)
        counts = {"kills": 0}
        for record in self.operations(program)[:: 9 if self.tools.short else 1]:
            for when in ("before", "after"):
                folder = f"{self.tools.folder('killed')}/run"
                options = [*program.run_options(folder), "--resume"]
                where = f"{program.name} killed {when} operation {record.number}, {record.name} of {record.path}"
                faults = tell_faults(below=folder, kill=f"{record.number}:{when}")
                end, said = self.attempts.run(program.shared, options, faults=faults)
                if end != "signal 9":
                    problems.append(f"{where}: {end}: {said}")
                    continue
                counts["kills"] += 1
                end, said = self.attempts.run(program.shared, options)
                found = f"{end}: {said}" if end != "exit 0" or "warning" in said else difference(result_of(folder), expected)
                problems += [f"{where}: {found}"] if found else []
        return counts, problems
