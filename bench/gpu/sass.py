"""Machine code as `stretto-compile --emit=sass` prints it: the instructions of each kernel, and what each reads and writes."""
import re
from dataclasses import dataclass

LINE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
LABEL = re.compile(r"^(\.\w+):")
FUNCTION = re.compile(r"^\.text\.(\S+):")
REGISTER = re.compile(r"\b(U?R)(Z|\d+)\b")
PREDICATE = re.compile(r"^!?(U?P)(T|\d)$")
MATRIX = re.compile(r"[HD]MMA\.(16|8)x?(8)x?(\d+)\b|HGMMA\.(64)x(\d+)x(\d+)\b")
GROUP_WARPS = 4  # that share the rows of a matmul of a warpgroup (HGMMA)
NO_RESULT = ("copy", "commit", "wait", "expect", "store", "barrier", "branch", "end", "none")
KINDS = [(kind, re.compile(pattern)) for kind, pattern in (
    ("copy", r"LDGSTS"), ("commit", r"LDGDEPBAR"), ("wait", r"(WARPGROUP\.)?DEPBAR"), ("expect", r"SYNCS\.ARRIVE\.TRANS64$"), ("load", r"LDG|LDL"), ("store", r"STG|STL|RED|ATOM"),
    ("shared", r"LDS|STS"), ("shuffle", r"SHFL"), ("special", r"MUFU"), ("matrix", r"HGMMA|[HD]MMA"),
    ("barrier", r"BAR"), ("branch", r"BR[AX]"), ("end", r"EXIT"), ("none", r"NOP"),
    ("float", r"FADD|FMUL|FFMA|IMAD(?!\.(WIDE|HI))|HFMA2|MOV"))]  # fmt: skip


@dataclass
class Instruction:
    guard: str  # "P0", "!P0", or ""
    name: str  # with its modifiers
    operands: list
    kind: str = "other"
    writes: tuple = ()
    reads: tuple = ()
    targets: tuple = ()  # of a branch: the numbers of instructions, several of one that a table leads

    @property
    def target(self):
        """The only one; -1 where it is unknown."""
        return self.targets[0] if len(self.targets) == 1 else -1


def split_operands(text):
    """At commas, those in brackets left alone."""
    parts, depth, now = [], 0, ""
    for c in text + ",":
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += c
    return [part for part in parts if part]


def words(name):
    """Registers of 32 bits that the widest operand of an instruction takes; of matrices their result."""
    if match := re.search(r"\.(64|128)\b", name):
        return int(match[1]) // 32
    if name.startswith("LDSM"):  # so many matrices of 8 x 8 halves
        return int(name.rpartition(".")[2]) if name[-2:] in (".2", ".4") else 1
    if MATRIX.match(name):
        return 4
    return 2 if ".WIDE" in name or name.startswith(("DADD", "DMUL", "DFMA")) or name == "CS2R" else 1


def matrix_shape(name):
    """(rows of a warp, columns, depth, bytes of an element) of an instruction that multiplies rows x depth by depth x columns."""
    rows, columns, depth = (int(group) for group in MATRIX.match(name).groups() if group)
    return (rows // GROUP_WARPS if is_of_group(name) else rows), columns, depth, 8 if name.startswith("D") else 4 if ".TF32" in name else 2


def is_of_group(name):
    """Whether a matmul is one of a warpgroup, which goes on in the background."""
    return name.startswith("HGMMA")


def matrix_cycles(name):
    """Of a tensor core at its peak, which is 512 multiply-adds a cycle of f16 or bf16, 256 of tf32, 32 of f64: what the data sheet of an
    H100 says, by 132 multiprocessors of four at 1.83 GHz."""
    rows, columns, depth, size = matrix_shape(name)
    return rows * columns * depth / {2: 512, 4: 256, 8: 32}[size]


def operand_widths(name):
    """Registers of the matrices a, b, c of a matmul; one of a group has descriptors, and sums that nothing else waits for."""
    rows, _, depth, size = matrix_shape(name)
    return 4 * (1,) if is_of_group(name) else (rows * depth * size // 128, depth * 8 * size // 128, 4)


def registers(text, width=1):
    """Those named in a text; the first of `width` neighbours is what is written."""
    return tuple(f"{file}{int(number) + i}" for file, number in REGISTER.findall(text) if number != "Z"
                 for i in range(width))  # fmt: skip


def is_predicate(text):
    return bool(PREDICATE.match(text))


def result_count(instruction):
    """How many of the first operands are results: a register and predicates beside it."""
    name, operands = instruction.name, instruction.operands
    if instruction.kind in NO_RESULT or name.startswith("STS"):
        return 0
    if name.startswith(("SHFL", "ISETP", "UISETP", "FSETP", "DSETP", "PLOP3", "UPLOP3")):
        return 2
    if name.startswith(("SEL", "USEL", "FSEL", "FMNMX", "VIMNMX", "IMNMX", "UIMNMX")):
        return 1
    count = 1
    while count < len(operands) and is_predicate(operands[count]) and not operands[count].startswith("!"):
        count += 1
    return min(count, len(operands)) if count < len(operands) else 1


def understand(instruction):
    name, operands = instruction.name, instruction.operands
    instruction.kind = next((kind for kind, pattern in KINDS if pattern.match(name)), "other")
    if instruction.guard == "!PT":  # it only holds a place
        instruction.kind = "none"
    results = result_count(instruction)
    width = words(name)
    for operand in operands[:results]:
        instruction.writes += (operand,) if is_predicate(operand) else registers(operand, width)
    # The data of a store are as wide as its name says; so is the last operand of a wide multiplication.
    matrices = operand_widths(name) if instruction.kind == "matrix" else ()
    for number, operand in enumerate(operands[results:], results):
        is_wide = instruction.kind == "store" or name.startswith("STS") or ".WIDE" in name and number == 3
        taken = 2 if ".64" in operand else width if is_wide and not operand.startswith(("[", "desc")) else 1
        taken = matrices[number - 1] if matrices else taken
        instruction.reads += (operand.lstrip("!"),) if is_predicate(operand) else registers(operand, taken)
    if instruction.guard:
        instruction.reads += (instruction.guard.lstrip("!"),)
    return instruction


def functions(text):
    """The instructions of each kernel in a listing, by its symbol."""
    result, labels, code, branches = {}, {}, None, []
    for line in text.splitlines():
        if match := FUNCTION.match(line):
            code, labels = result.setdefault(match[1], []), {}
        elif (match := LABEL.match(line)) and code is not None:
            labels[match[1]] = len(code)
        elif (match := LINE.match(line)) and code is not None:
            code.append(understand(Instruction(match[1] or "", match[2], split_operands(match[3]))))
            if code[-1].kind == "branch":
                branches.append((code[-1], labels))
    for branch, known in branches:
        branch.targets = tuple(known.get(name, -1) for name in re.findall(r"(\.L\w+)", " ".join(branch.operands)))
    return result
