"""One thread of a kernel, followed through its machine code: which instructions it comes to.

What follows from constants and from the numbers of the thread and of its block is computed, so that loops run as often as
they do and each block takes its own branches. What comes from memory or from reals is unknown, and a branch that depends on it
is not taken.
"""
import re
import struct

from sass import is_predicate

MOST_STEPS = 2_000_000  # a thread that has not come to its end by then waits for data
MASK = 0xFFFFFFFF
COMPARE = {"LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b,
           "EQ": lambda a, b: a == b, "NE": lambda a, b: a != b}  # fmt: skip


def signed(value):
    return value - (1 << 32) if value >> 31 else value


def halves(texts):
    """A constant that an instruction writes as two numbers of 16 bits, the upper one first."""
    try:
        high, low = (struct.unpack("<H", struct.pack("<e", float(text)))[0] for text in texts)
    except (ValueError, OverflowError):
        return None
    return high << 16 | low


def look_up(inputs, table, mask):
    """Any function of three bits, by its table."""
    result = 0
    for row in range(8):
        if table >> row & 1:
            a, b, c = (x if row & bit else ~x for x, bit in zip(inputs, (4, 2, 1)))
            result |= a & b & c & mask
    return result


def permute(low, selection, high):
    """Four bytes of eight, each chosen by four bits; the highest of these asks for its sign alone."""
    both, result = low | high << 32, 0
    for place in range(4):
        chosen = selection >> 4 * place & 15
        byte = both >> 8 * (chosen & 7) & 255
        result |= (255 * (byte >> 7) if chosen & 8 else byte) << 8 * place
    return result


class Thread:
    """A thread of a block: known numbers of 32 bits by register, known predicates, where it stands."""

    def __init__(self, code, block_x, block_y, number=0):
        self.code, self.at, self.known = code, 0, {}
        self.guesses = 0  # loops that may run more often than is known
        self.compared = []  # (relation, a, b) of all comparisons of known numbers, in order
        self.special = {"SR_CTAID.X": block_x, "SR_CTAID.Y": block_y, "SR_TID.X": number}

    def value(self, text):
        """A register's, a constant's or a predicate's; None where it is unknown."""
        text = text.replace(".reuse", "")
        if is_predicate(text):
            value = 1 if text.endswith("T") else self.known.get(text.lstrip("!"))
            return None if value is None else value ^ text.startswith("!")
        name = text.lstrip("-~")
        if name in ("RZ", "URZ", "SRZ"):
            value = 0
        elif re.fullmatch(r"0x[0-9a-f]+|\d+", name):
            value = int(name, 0)
        else:
            value = self.known.get(name)
        if value is None or name == text:
            return value
        return (-value if text[0] == "-" else ~value) & MASK

    def forget(self, registers):
        for register in registers:
            self.known.pop(register, None)

    def compute(self, i):
        """The effect of an instruction on what is known."""
        results = self.results(i)
        self.forget(i.writes)
        for register, value in zip(i.writes, results):
            if value is not None:
                self.known[register] = int(value) & MASK

    def results(self, i):
        """What is written, in order; shorter where the rest is unknown."""
        name, ops = i.name.removeprefix("U"), i.operands
        if name.startswith("S2"):
            return [self.special.get(ops[1])]
        if name == "LDC" and ops[1].startswith("c[0x2]"):  # a table of branches: its entry stands for what is there
            return [self.value(re.fullmatch(r"c\[0x2\]\[(\w+?)(\+0x[0-9a-f]+)?\]", ops[1])[1])]
        if name.startswith("HFMA2"):
            return [halves(ops[-2:])] if ops[1:3] == ["-RZ", "RZ"] else []
        if name.startswith(("MOV", "CS2R", "IMAD.MOV", "R2UR")):
            value = self.value(ops[-1])
            return [value, 0 if value == 0 else None]
        if name.startswith("SHFL.BFLY") and self.value(ops[3]) == 0:  # from the lane itself
            return [None, self.value(ops[2])]
        # The thread is the first of its warp; what it waits for has come, and the registers that it asks for are free.
        if name == "ELECT" or name.startswith(("SYNCS.PHASECHK", "SETMAXREG.TRY_ALLOC")):
            return [1]
        if name == "P2R":
            return self.pack(ops)
        if name.startswith("ISETP"):
            return self.compare(name, ops)
        if name.startswith("IADD3"):
            return self.add(i, ops)
        if name.startswith("IMAD.WIDE"):
            return self.multiply_wide(ops[:1] + ops[2:], carries=True) if is_predicate(ops[1]) else self.multiply_wide(ops)
        if name.startswith("LEA"):
            return self.shift_and_add(i, ops)
        values = [self.value(op) for op in ops[1:]]
        if name.startswith("PLOP3"):
            return [] if None in values[1:5] else [look_up(values[1:4], values[4], 1)]
        if name.startswith("PRMT") and values[1] == 0x7610:  # a number of 16 bits; nobody reads what is above it
            values[2] = 0
        if name.startswith("LOP3"):
            return [] if None in values[:4] or is_predicate(ops[0]) else [look_up(values[:3], values[3], MASK)]
        return [] if None in values else self.arithmetic(name, values)

    @staticmethod
    def arithmetic(name, values):
        if name.startswith("SEL"):
            return [values[0] if values[2] else values[1]]
        if name.startswith("IMAD.HI.U32"):
            return [(values[0] * values[1] >> 32) + values[2]]
        if name.startswith("IMAD") and not name.startswith("IMAD.HI"):
            return [values[0] * values[1] + sum(values[2:])]
        if name.startswith("PRMT"):
            return [permute(*values)]
        if name.startswith(("VIMNMX", "IMNMX")):
            order = (lambda x: x) if ".U32" in name else signed
            return [(min if values[2] else max)(values[:2], key=order)]
        if name.startswith("VIADDMNMX"):
            order = (lambda x: x) if ".U32" in name else signed
            return [(min if values[3] else max)(values[0] + values[1] & MASK, values[2], key=order)]
        if name.startswith("SGXT.U32"):
            return [values[0] & (1 << values[1]) - 1]
        if name.startswith("VIADD"):
            return [values[0] + values[1]]
        if name.startswith("SHF.L.U32"):
            return [values[0] << (values[1] & 31)]
        if name.startswith("SHF.R.U32.HI"):
            return [values[2] >> (values[1] & 31)]
        both = values[0] | values[2] << 32 if len(values) > 2 else 0
        if name.startswith("SHF.R.U64"):
            return [both >> (values[1] & 63)]
        if name.startswith("SHF.L.U64.HI"):
            return [both << (values[1] & 63) >> 32]
        return []

    def pack(self, ops):
        """Predicates as bits, those of a mask; the others are of a number."""
        number, mask = (self.value(op) for op in ops[2:4])
        bits = {1 << i: self.known.get(f"P{i}") for i in range(7) if mask >> i & 1}
        if number is None or None in bits.values():
            return []
        return [number & ~mask | sum(bit for bit, is_set in bits.items() if is_set)]

    def multiply_wide(self, ops, carries=False):
        a, b, low = (self.value(op) for op in ops[1:4])
        upper = re.sub(r"(\d+)", lambda number: str(int(number[1]) + 1), ops[3].replace(".reuse", ""), count=1)
        high = self.value(upper)
        if None in (a, b, low, high):
            return []
        result = a * b + (low | high << 32)
        return [result, result >> 32, *[result >> 64][:carries]]

    def shift_and_add(self, i, ops):
        """a shifted left, or its upper word, and b; with the carry, where a predicate asks for it or brings it."""
        carries = sum(map(is_predicate, i.writes))
        values = [self.value(op) for op in ops[1 + carries:]]
        if None in values:
            return []
        low, b, *others = values
        carry = others.pop() if ".X" in i.name else 0
        shift = others.pop() if others else 0
        high = others.pop() if ".HI" in i.name and others else 0
        shifted = (low | high << 32) << shift >> 32 if ".HI" in i.name else low << shift
        result = (shifted & MASK) + b + carry
        return [result, *[result >> 32][:carries]]

    def compare(self, name, ops):
        a, b, other = (self.value(op) for op in ops[2:5])
        low = self.value(ops[5]) if ".EX" in name else 0  # of the lower words
        if None in (a, b, other, low):
            return []
        if ".U32" not in name:
            a, b = signed(a), signed(b)
        relation = name.split(".")[1]
        self.compared.append((relation, a, b))
        result = COMPARE[relation](a, b)
        if ".EX" in name and a == b:
            result = low
        return [result or other if ".OR" in name else result and other]

    def add(self, i, ops):
        """A sum, and its carries, where two predicates ask for them one each: a register that is subtracted counts as its complement
        and one."""
        carries = sum(map(is_predicate, i.writes))
        terms = [1 << 32 if op.startswith(("-R", "-UR")) and self.value(op) == 0 else self.value(op) for op in ops[1 + carries:]]
        terms = terms if ".X" in i.name else terms[:3]
        if None in terms:
            return []
        carry = sum(terms) >> 32
        return [sum(terms), *[carry >= 1, carry >= 2][:carries]]

    def expected_bytes(self, i):
        """What an mbarrier is told to wait for: TMA brings it."""
        count = self.value(i.operands[-1])
        self.guesses += count is None
        return count or 0

    def branch(self, i, runs):
        """Goes where a branch leads; the lanes of a warp stay together."""
        if i.name == "BRA.DIV":
            return
        if i.name == "BRX":
            self.branch_by_table(i)
            return
        for condition in filter(is_predicate, i.operands):
            runs = runs and self.value(condition)
        if runs:
            self.at = i.target
        self.guesses += runs is None and 0 <= i.target < self.at

    def branch_by_table(self, i):
        """Goes where the entry leads that was read; a table that names a place twice is listed with it once."""
        entry = self.value(i.operands[0].split()[0])
        if entry is None or entry // 4 >= len(i.targets):
            self.guesses += 1
        else:
            self.at = i.targets[entry // 4]

    def steps(self):
        """The instructions that are issued, in order."""
        for _ in range(MOST_STEPS):
            if self.at >= len(self.code):
                return
            i = self.code[self.at]
            self.at += 1
            runs = self.value(i.guard) if i.guard else 1
            yield i, runs
            if i.kind == "branch":
                self.branch(i, runs)
            elif i.kind == "end" and runs:
                return
            elif runs:
                self.compute(i)
            elif runs is None:
                self.forget(i.writes)
        self.guesses += 1
