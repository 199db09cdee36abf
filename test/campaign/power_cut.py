"""The power is cut while a program runs: whatever of its writes has come to the disk, the newest checkpoint that was
finished is found, whole, or a newer one, and metrics end where it does.

Case i is one recorded run, which may have been killed and resumed on the way, and STATES states of its disk. In each, the
runtime looks for what it would go on from; from some, the program goes on, and must end with the bits of a run that was
left alone."""
import os
import random
import re
import shutil

from attempts import Attempts, difference, result_of, tell_faults
from disk import Disk, read_log
from small_programs import make_program

CASES, SHORT = 100, 2
STATES, BATCH, RESUMED = 1000, 25, 50  # states of a case; inspected at once; one of how many is resumed


def write_state(state, folder):
    """Makes a folder hold a state."""
    for path, content in state.items():
        place = os.path.join(folder, path)
        if content is None:
            os.makedirs(place, exist_ok=True)
        else:
            with open(place, "wb") as file:
                file.write(content)


def safe_steps(records):
    """For each operation the newest checkpoint that must be there behind it, and the newest that may."""
    bounds, safe, named, folder = [], -1, -1, ""
    for record in records:
        if record.name in ("rename", "exchange") and re.fullmatch(r"\d{8}", os.path.basename(record.target)):
            named, folder = max(named, int(os.path.basename(record.target))), os.path.dirname(record.target)
        elif record.name == "sync" and record.path == folder:
            safe = named
        bounds.append((safe, named))
    return bounds


class PowerCut:
    def __init__(self, tools):
        self.tools, self.attempts, self.known = tools, Attempts(tools), {}

    def expected(self, program):
        """What a run directory must hold at each step, and at the end of a run."""
        if program.name not in self.known:
            folder = f"{self.tools.folder('alone')}/run"
            end, said = self.attempts.run(program.shared, program.run_options(folder))
            if end != "exit 0":
                raise RuntimeError(f"{program.name} left alone: {end}\n{said}")
            whole = result_of(folder)
            shutil.rmtree(folder)
            self.attempts.run(program.shared, program.run_options(folder, "--keep", 100))
            steps = {}
            while (line := self.attempts.inspect(program.shared, [folder])[0].split())[0] != "-1":
                steps[int(line[0])] = line[1:3]
                shutil.rmtree(f"{folder}/ckpt/{int(line[0]):08}")
                os.remove(f"{folder}/ckpt/latest") if os.path.exists(f"{folder}/ckpt/latest") else None
            steps[-1] = line[1:3]
            self.known[program.name] = whole, steps
        return self.known[program.name]

    def record(self, program, draw):
        """The log of a run that was killed up to two times on the way; its folder."""
        folder, log = self.tools.folder("logged"), os.path.join(self.tools.scratch, "log")
        if os.path.exists(log):
            os.remove(log)
        options = [*program.run_options(f"{folder}/run"), "--resume"]
        for _ in range(draw.randint(0, 2)):
            kill = f"{draw.randint(1, 400)}:{draw.choice(['before', 'after'])}"
            self.attempts.run(program.shared, options, faults=tell_faults(below=folder, log=log, kill=kill))
        end, said = self.attempts.run(program.shared, options, faults=tell_faults(below=folder, log=log))
        if end != "exit 0":
            raise RuntimeError(f"{program.name} that was killed: {end}\n{said}")
        return folder, read_log(log)

    def check(self, number):
        draw, program = random.Random(f"power-cut {number}"), make_program(self.tools, number)
        expected = self.expected(program)
        folder, records = self.record(program, draw)
        disk, bounds = Disk(folder, records), safe_steps(records)
        counts, problems, seen, batch = {"states": 0, "different states": 0, "resumed": 0}, [], set(), []
        while counts["states"] < STATES:
            moment = draw.randrange(len(records))
            state = disk.state(moment, draw)
            counts["states"] += 1
            if counts["states"] % RESUMED == 0:
                counts["resumed"] += 1
                problems += self.resume(program, state, records[moment], expected[0])
            key = hash((*sorted(state.items(), key=lambda item: item[0]), bounds[moment]))
            if key not in seen:
                seen.add(key)
                batch.append((state, moment))
            if len(batch) == BATCH or counts["states"] == STATES:
                problems += self.inspect(program, batch, records, bounds, expected[1])
                batch = []
        counts["different states"] = len(seen)
        return counts, problems

    def inspect(self, program, batch, records, bounds, steps):
        root, folders, problems = self.tools.folder("states"), [], []
        for number, (state, _) in enumerate(batch):
            folders.append(f"{root}/{number}/run")
            os.makedirs(f"{root}/{number}")
            write_state({path: text for path, text in state.items() if path != "run/build/program"}, f"{root}/{number}")
        for (_, moment), line in zip(batch, self.attempts.inspect(program.shared, folders) if folders else []):
            record, (safe, named) = records[moment], bounds[moment]
            where = f"{program.name} cut behind operation {moment}, {record.name} of {record.path}"
            if line.startswith("error"):
                problems.append(f"{where}: {line}")
                continue
            step, *found, refused = line.split()
            if not safe <= int(step) <= named:
                problems.append(f"{where}: checkpoint {step} is found, not {safe} to {named}")
            elif found != steps[int(step)]:
                problems.append(f"{where}: checkpoint {step} or its metrics differ from those of a run left alone")
            elif refused != "0":
                problems.append(f"{where}: {refused} checkpoints are refused")
        return problems

    def resume(self, program, state, record, expected):
        folder = self.tools.folder("resumed")
        write_state(state, folder)
        end, said = self.attempts.run(program.shared, [*program.run_options(f"{folder}/run"), "--resume"])
        found = f"{end}: {said}" if end != "exit 0" else difference(result_of(f"{folder}/run"), expected)
        return [f"{program.name} resumed, cut behind {record.name} of {record.path}: {found}"] if found else []
