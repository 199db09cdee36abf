"""What a step of W ranks costs beside W programs that know nothing of each other, ours and PyTorch's, in turns.

    .deps/venv/bin/python bench/ranks/run.py [--ranks 2] [--shape 256] [--canon shift|none] [--rounds 15] [--steps 3] [--ours]

Llama of bench/step (shape 256: 4 layers, batch 4 x 512 a rank), one thread a rank, Gloo on this host. Each round asks each
form for some steps, in an order that turns; `both` are W programs at once, asked at the same moment: on shared cores they
are the measure, not one program alone. Prints medians and least of wall and processor time, and ratios within rounds.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "step"))
from sizes import SHAPES, case  # noqa: E402
from workers import Process, write_data  # noqa: E402


class Form:
    """Processes that take a step together; those that answer are asked at the same moment."""

    def __init__(self, name, processes, answering):
        self.name, self.processes, self.answering, self.samples = name, processes, answering, []

    def ask(self, request):
        for process in self.answering:
            process.child.stdin.write(request + "\n")
            process.child.stdin.flush()
        return [json.loads(process.read()) for process in self.answering]

    def measure(self, steps):
        """Wall and processor seconds of a step of a rank."""
        answers = self.ask(f"time {steps}")
        self.samples.append([statistics.median(value for answer in answers for value in answer[key])
                             for key in ("seconds", "cpu_seconds")])

    def close(self):
        for process in self.processes:
            process.close()


def measured_case(arguments):
    return case("llama", arguments.shape, "none" if arguments.canon == "none" else "canon")


def program(arguments, folder):
    path = f"{folder}/program"
    subprocess.run([*measured_case(arguments).compile_command(f"{arguments.build}/bin/stretto-compile"), "-o", path], check=True)
    return path


def ours(arguments, folder, data):
    command = [program(arguments, folder), "--tokens", data, "--bench", "--threads", "1", "--lr", "1e-4", "--beta1", "0.9",
               "--beta2", "0.98", "--epsilon", "1e-6", "--weight-decay", "0.1", "--clip", "1"]
    alone = [Process(command, 1, folder) for _ in range(arguments.ranks)]
    shared = [Process([*command, "--ranks", str(arguments.ranks)], 1, folder)]
    return [Form("stretto, both", alone, alone), Form(f"stretto, {arguments.ranks} ranks", shared, shared)]


def pytorch(arguments, folder, data, form):
    def start(rank):
        return Process([sys.executable, f"{HERE}/pytorch_rank.py", form, str(rank), str(arguments.ranks),
                        f"{folder}/meeting-{form}", arguments.shape, arguments.canon, data], 1, folder)

    processes = [start(rank) for rank in range(arguments.ranks)]
    answering = processes if form == "alone" else processes[:1]
    for process in answering:
        process.read()
    return Form(f"pytorch, {'both' if form == 'alone' else form}", processes, answering)


def ratio(form, base, clock):
    return [sample[clock] / other[clock] for sample, other in zip(form.samples, base.samples)]


def table(forms, arguments):
    lines = [f"shape {arguments.shape}, canon {arguments.canon}, {arguments.ranks} ranks, {arguments.rounds} rounds of "
             f"{arguments.steps} steps", "",
             "| form | wall, ms: median, least | processor, ms: median, least | wall / both: median (least / least) | "
             "processor / both: median (least / least) |", "|---|---|---|---|---|"]
    bases = {form.name.split(",")[0]: form for form in forms if form.name.endswith("both")}
    for form in forms:
        base, cells = bases[form.name.split(",")[0]], []
        for clock in (0, 1):
            values = [1000 * sample[clock] for sample in form.samples]
            cells.append(f"{statistics.median(values):.1f}, {min(values):.1f}")
        for clock in (0, 1):
            least = min(s[clock] for s in form.samples) / min(s[clock] for s in base.samples)
            cells.append(f"{statistics.median(ratio(form, base, clock)):.3f} ({least:.3f})")
        lines.append(f"| {form.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--shape", default="256", choices=SHAPES)
    parser.add_argument("--canon", default="shift", choices=["none", "shift"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=3, help="of each form in a round")
    parser.add_argument("--build", default=f"{ROOT}/build", help="folder with the tools")
    parser.add_argument("--ours", action="store_true", help="leave PyTorch out")
    parser.add_argument("--out", help="also write every sample there, as JSON")
    return parser.parse_args()


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as folder:
        data = write_data(folder, measured_case(arguments))
        forms = ours(arguments, folder, data)
        forms += [pytorch(arguments, folder, data, form) for form in ("alone", "ddp", "fsdp2") if not arguments.ours]
        for form in forms:
            form.ask("time 2")
        for number in range(arguments.rounds):
            turn = number % len(forms)
            for form in forms[turn:] + forms[:turn]:
                form.measure(arguments.steps)
        for form in forms:
            form.close()
    print(table(forms, arguments))
    if arguments.out:
        with open(arguments.out, "w") as file:
            given = {name: value for name, value in vars(arguments).items() if name not in ("build", "out")}
            json.dump({"date": datetime.date.today().isoformat(), "arguments": given,
                       "samples": {form.name: form.samples for form in forms}}, file, indent=1)


if __name__ == "__main__":
    main()
