"""Checks of what programs may be asked for besides: micro-batches, documents, other heads and sizes, text."""
import rows
from checks import expect
from suite import REPEATED, SETTINGS, apart, distance, gradients_apart

# Of the norm of a gradient: matmuls of other sizes add up in another order, and round to bf16 after it. A chunk of rows that is
# missing is a tenth of it.
GRADIENT_TOLERANCE = 0.03
# What rounding to bf16 does at least: to a loss, and to a gradient as a part of its norm.
LEAST_LOSS, LEAST_GRADIENT = 5e-4, 2e-3


class Wider:
    def check_smoke(self, program):
        """Three steps, of which the second is captured and the third replayed, and without a graph."""
        captured = self.train(program, f"smoke-{program}", "--save-every", 3, steps=3, quiet=False)
        attention = self.told.partition("attention by ")[2].partition("\n")[0]
        expect(attention or self.emulated, f"nothing is said of attention: {self.told[:1500]}")
        plain = self.train(program, f"smoke-plain-{program}", "--save-every", 3, "--graph", "off", steps=3)
        self.same_bits(captured, plain, 3)
        return f"losses {rows.losses(captured)}; attention by {attention or 'the CPU'}"

    def with_and_without_graph(self, program, name, *more):
        """A run of the short length, which has the same bits without graphs."""
        captured = self.short(program, name, *more)
        self.same_bits(captured, self.short(program, f"{name}-plain", *more, "--graph", "off"), REPEATED)
        return captured

    def check_accumulated(self):
        """Micro-batches, against PyTorch with batches of twice the size, and in bf16."""
        folder = self.with_and_without_graph("f32", "accumulated-f32", "--accumulate", 2)
        self.with_and_without_graph("bf16", "accumulated-bf16", "--accumulate", 2)
        twice = 2 * self.programs["f32"]["batch"]
        theirs = self.reference("f32", self.start(), steps=REPEATED, batch=twice)["losses"]
        return self.close(rows.losses(folder), theirs)

    def check_documents(self):
        path = self.gradients("documents")
        folder = self.with_and_without_graph("documents", "documents", "--dump-gradients", path)
        return self.compare_bf16("documents", folder, path, REPEATED)

    def gradients(self, name):
        return f"{self.out}/gradients-{name}.safetensors"

    def check_bf16(self, program, *more, steps=REPEATED):
        """`more`: options."""
        name = "-".join(["curve", program, *more]).replace("--", "")
        path = self.gradients(name)
        folder = self.train(program, name, *more, "--dump-gradients", path, steps=steps)
        return self.compare_bf16(program, folder, path, steps)

    def compare_bf16(self, program, folder, gradients, steps):
        """Rounding makes curves and gradients part; PyTorch's own mixed precision says how far that may be."""
        start = self.start(program)
        exact, mixed = self.references(program, start, *({"dtype": dtype, "steps": steps} for dtype in ("f32", "bf16")))
        far, allowed = (distance(losses, exact["losses"]) for losses in (rows.losses(folder), mixed["losses"]))
        ours, theirs = (gradients_apart(path, exact["gradients"]) for path in (gradients, mixed["gradients"]))
        worst = max(ours, key=lambda name: ours[name] / (theirs[name] + LEAST_GRADIENT))
        text = (f"from PyTorch in f32: losses {far:.1e}, its autocast {allowed:.1e}; gradients {ours[worst]:.1e}, its autocast "
                f"{theirs[worst]:.1e} ({worst})")  # fmt: skip
        expect(far <= 3 * allowed + LEAST_LOSS and ours[worst] <= 3 * (theirs[worst] + LEAST_GRADIENT), text)
        return text

    def check_two_schedules(self):
        """The benchmark's step, whole and in micro-batches, whose kernels have other grids and chunks: losses and gradients."""
        whole, part = "bench-canon-32k", "bench-canon-2k"
        pieces = self.programs[whole]["batch"] // self.programs[part]["batch"]
        paths = self.gradients(whole), self.gradients(part)
        losses = [rows.losses(self.train(program, program, *more, "--dump-gradients", path, steps=3))
                  for program, path, *more in ((whole, paths[0]), (part, paths[1], "--accumulate", pieces))]  # fmt: skip
        gradients = gradients_apart(*paths)
        worst = max(gradients, key=gradients.get)
        far, step = apart(*losses)
        text = f"losses apart by {far:.1e} (step {step}), gradients by {gradients[worst]:.1e} of their norm ({worst})"
        expect(gradients[worst] <= GRADIENT_TOLERANCE and far <= 2e-3, text)
        return text

    def check_text(self):
        """Tokens one by one and some at a time, with graphs as soon as they come again."""
        return self.python("decode.py", self.folder, self.start(), SETTINGS["seed"]).strip().splitlines()[-1]
