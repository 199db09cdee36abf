"""Plans the memory of random modules and runs each plan on shadows of values.

RUN: %python3 %s 1 150 > %t.mlir
RUN: stretto-opt %t.mlir --split-input-file --kern-plan-memory --kern-verify-memory -o /dev/null
RUN: stretto-opt %t.mlir --split-input-file --seq-set-activation-type --kern-round-activations --kern-plan-memory --kern-verify-memory -o %t.rounded.mlir
RUN: grep -q bf16 %t.rounded.mlir

The modules hold every pattern that decides where values lie: carried values that stay, swap, accumulate or are stacked,
stacks read as slices or as a whole, one value as the gradient of two parameters, constants as initial values, columns
of matmuls, concatenations, kernels that may and may not work in place. A failure is repeated by its seed alone.
"""
import random
import sys


class Function:
    """One function under construction: row values by width, weights [16, 16], text."""

    def __init__(self, rng, prefix):
        self.rng, self.prefix, self.lines, self.count = rng, prefix, [], 0
        self.rows = {8: [], 16: []}
        self.weights = []

    def fresh(self):
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def row(self, width=None):
        width = width or self.rng.choice([w for w in self.rows if self.rows[w]])
        return self.rng.choice(self.rows[width]) if self.rows[width] else None

    def emit(self, text):
        self.lines.append("  " + text)

    def kernel(self, width, operands, body, results):
        names = [self.fresh() for _ in range(results)]
        row, whole = f"tensor<{width}xf32>", f"tensor<2x8x{width}xf32>"
        arguments = ", ".join(f"%a{i}: {row}" for i in range(len(operands)))
        types = ", ".join([whole] * len(operands))
        self.emit(f"{', '.join(names)} = kern.rowwise({', '.join(operands)}) maps [{', '.join(['row'] * len(operands))}] {{")
        self.emit(f"^bb0({arguments}):")
        for line in body(row):
            self.emit("  " + line)
        self.emit(f"}} : ({types}) -> ({', '.join([whole] * results)})")
        self.rows[width] += names

    def step(self):
        width = self.rng.choice([w for w in self.rows if self.rows[w]])
        a, b = self.row(width), self.row(width)
        kind = self.rng.randrange(9)
        if kind == 0:
            self.kernel(width, [a, b], lambda t: [f"%0 = arith.addf %a0, %a1 : {t}", f"kern.yield %0 : {t}"], 1)
        elif kind == 1:
            self.kernel(width, [a, b], lambda t: [f"%0 = seq.tap %a0 by -1 : {t}", f"%1 = arith.addf %0, %a1 : {t}",
                                                  f"kern.yield %1 : {t}"], 1)
        elif kind == 2:
            self.kernel(width, [a, b], lambda t: [f"%0 = arith.addf %a0, %a1 : {t}", f"%1 = arith.mulf %a0, %0 : {t}",
                                                  f"kern.yield %0, %1 : {t}, {t}"], 2)
        elif kind == 3 and self.weights:
            w, y = self.rng.choice(self.weights), self.fresh()
            x = self.row(16)
            if x:
                residual = self.rng.choice(["", f" add {self.row(16)}"])
                self.emit(f"{y} = seq.linear {x}, {w}{residual} : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>")
                self.rows[16].append(y)
        elif kind == 4 and self.row(16):
            y = self.fresh()
            self.emit(f"{y} = seq.slice {self.row(16)} at {self.rng.choice([0, 8])} : tensor<2x8x16xf32> -> tensor<2x8x8xf32>")
            self.rows[8].append(y)
        elif kind == 5 and self.row(8):
            y = self.fresh()
            self.emit(f"{y} = seq.concat {self.row(8)}, {self.row(8)} : tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>")
            self.rows[16].append(y)
        elif kind == 6 and self.row(8) and self.weights:
            y, n = self.fresh(), self.fresh()
            self.emit(f"{n} = seq.linear_weight_grad {self.row(8)}, {self.row(8)} : tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<8x8xf32>")
            self.emit(f"{y} = seq.linear {self.row(8)}, {n} : tensor<2x8x8xf32>, tensor<8x8xf32> -> tensor<2x8x8xf32>")
            self.rows[8].append(y)
        elif kind == 7 and self.row(16):
            y, old = self.fresh(), self.rng.choice(self.weights + [""])
            accumulate = f" accumulate {old} : tensor<16x16xf32>" if old else ""
            self.emit(f"{y} = seq.linear_weight_grad {self.row(16)}, {self.row(16)}{accumulate} : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>")
            self.weights.append(y)
        elif kind == 8:
            y, z = self.fresh(), self.fresh()
            self.emit(f"{y} = seq.reshape {a} : tensor<2x8x{width}xf32> -> tensor<4x4x{width}xf32>")
            self.emit(f"{z} = seq.reshape {y} : tensor<4x4x{width}xf32> -> tensor<2x8x{width}xf32>")
            self.rows[width].append(z)

    def steps(self, count):
        for _ in range(count):
            self.step()


ROW, WEIGHT = "tensor<2x8x16xf32>", "tensor<16x16xf32>"


def stacked(kind, trips):
    return kind.replace("tensor<", f"tensor<{trips}x")


class Module:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions, self.parameters = [], []

    def body(self, name, kinds):
        """A scan body over (carry, slices, invariants) of the given types; returns its numbers of stacks by type."""
        f = Function(self.rng, "b")
        carry, slices, invariants = kinds
        names = [f"%c{i}" for i in range(len(carry) + len(slices) + len(invariants))]
        for argument, kind in zip(names, carry + slices + invariants):
            (f.rows[16] if kind == ROW else f.weights).append(argument)
        for _ in range(self.rng.randrange(2, 9)):
            if any(f.rows.values()):
                f.step()
        pools = {ROW: f.rows[16], WEIGHT: f.weights}
        stacks = [kind for kind in self.rng.choices([ROW, WEIGHT], k=self.rng.randrange(4)) if pools[kind]]
        returned = [self.rng.choice(pools[kind]) for kind in carry + stacks]
        arguments = ", ".join(f"{n}: {k}" for n, k in zip(names, carry + slices + invariants))
        types = ", ".join(carry + stacks)
        end = f"  return {', '.join(returned)} : {types}" if returned else "  return"
        self.functions.append("\n".join([f"func.func private @{name}({arguments}) -> ({types}) {{", *f.lines, end, "}"]))
        return stacks

    def parameter(self, kind):
        name = f"p{len(self.parameters)}"
        rank = kind.count("x") - kind.count("xf32")
        stack = "stacked " if rank == 2 else ""
        label = f"l.{{}}.{name}" if stack else name
        self.parameters.append(f'seq.parameter @{name} parts [#seq.part<"{label}", 16, <normal, 0.0 : f64, 1.0 : f64>>] {stack}: {kind}')
        return name

    def initial(self, f, kind):
        """A value that a scan carries at first: now and then zeros."""
        if self.rng.random() >= 0.25:
            return self.rng.choice(f.rows[16] if kind == ROW else f.weights)
        value = f.fresh()
        f.emit(f"{value} = arith.constant dense<0.0> : {kind}")
        return value

    def slices(self, f, stacks, trips):
        """What a scan reads entry by entry: some of the stacks with as many, and perhaps a parameter."""
        chosen = [s for s in stacks if s[2] == trips and self.rng.random() < 0.7]
        if self.rng.random() < 0.5:
            kind, value = stacked(WEIGHT, trips), f.fresh()
            f.emit(f"{value} = seq.get_parameter @{self.parameter(kind)} : {kind}")
            chosen.append((value, WEIGHT, trips))
        return chosen

    def scan(self, f, name, stacks):
        """A scan of a new body; adds its stacks."""
        rng, trips = self.rng, self.rng.choice([1, 2, 3, 4])
        sliced = self.slices(f, stacks, trips)
        carry = rng.choices([ROW, ROW, WEIGHT], k=rng.randrange(4))
        initial = [self.initial(f, kind) for kind in carry]
        invariants = rng.choices([ROW, WEIGHT], k=rng.randrange(1, 3))
        pools = {ROW: f.rows[16], WEIGHT: f.weights}
        shared = [rng.choice(pools[kind]) for kind in invariants]
        new = self.body(name, (carry, [s[1] for s in sliced], invariants))
        if not carry + new:
            return
        results = [f.fresh() for _ in carry + new]
        types = carry + [stacked(kind, trips) for kind in new]
        operands = carry + [stacked(s[1], trips) for s in sliced] + invariants
        f.emit(f"{', '.join(results)} = seq.scan @{name} trips {trips} {rng.choice(['', 'reverse '])}carry({', '.join(initial)}) "
               f"slices({', '.join(s[0] for s in sliced)}) invariants({', '.join(shared)}) : ({', '.join(operands)}) -> ({', '.join(types)})")
        for value, kind in zip(results, carry):
            pools[kind].append(value)
        stacks += [(value, kind, trips) for value, kind in zip(results[len(carry):], new)]

    def gradients(self, f, stacks):
        """Gradients of new parameters: of stacks, each of one or two, of weights, of zeros."""
        for value, kind, trips in stacks:
            if kind == WEIGHT and self.rng.random() < 0.7:
                for _ in range(self.rng.choice([1, 1, 2])):
                    f.emit(f"seq.gradient @{self.parameter(stacked(kind, trips))}, {value} : {stacked(kind, trips)}")
        for _ in range(self.rng.randrange(3)):
            f.emit(f"seq.gradient @{self.parameter(WEIGHT)}, {self.rng.choice(f.weights)} : {WEIGHT}")
        if self.rng.random() < 0.3:
            zero, kind = f.fresh(), stacked(WEIGHT, 3)
            f.emit(f"{zero} = arith.constant dense<0.0> : {kind}")
            f.emit(f"seq.gradient @{self.parameter(kind)}, {zero} : {kind}")

    def build(self):
        """The text of the module: an entry point of steps and up to three scans."""
        f = Function(self.rng, "v")
        f.rows[16] += ["%x0", "%x1"]
        f.emit(f"%w0 = seq.get_parameter @{self.parameter(WEIGHT)} : {WEIGHT}")
        f.weights.append("%w0")
        stacks = []  # (value, type of an entry, trips)
        for number in range(self.rng.randrange(1, 4)):
            f.steps(self.rng.randrange(4))
            self.scan(f, f"body{number}", stacks)
        f.steps(self.rng.randrange(4))
        self.gradients(f, stacks)
        returned = self.rng.choices(f.rows[16], k=self.rng.randrange(1, 3))
        types = ", ".join([ROW] * len(returned))
        entry = "\n".join([f"func.func @gradients(%x0: {ROW}, %x1: {ROW}) -> ({types}) {{", *f.lines,
                           f"  return {', '.join(returned)} : {types}", "}"])
        return "\n".join(self.parameters + self.functions + [entry])


first, count = int(sys.argv[1]), int(sys.argv[2])
for seed in range(first, first + count):
    print(f"// seed {seed}\n{Module(seed).build()}\n// -----")
