"""The groups of kern-form-groups against the least number that is legal.

    minimum_kernels.py IR REMARKS BATCHxTIME

IR is a module in generic form after the pass, REMARKS what the pass said. Values are rows when their shapes begin with
BATCHxTIME, so no other shape may. Knows nothing of the pass: from the graph of values alone it computes, for each
function, the least number of kernels over rows (a kernel cannot begin before the matmuls that it reads are done, nor
a matmul before the kernels that it reads), and checks

* each row operation has a group and nothing else has one;
* no group waits for itself;
* groups above the minimum are explained by at least as many missed remarks of their function.
"""
import re
import sys
from collections import Counter, defaultdict

LINE = re.compile(r'\s*(?:(?P<results>%[\w, %:]+) = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)(?P<rest>.*)')
VALUE = re.compile(r"%\w+(?:#\d+)?")
MOVES = {"seq." + name for name in "broadcast slice concat permute tap reshape column_index".split()}
MOVED = MOVES - {"seq.reshape"}
ROWS = {"seq." + name for name in "sigmoid softplus dropout reduce column_sum".split()}
FREE = {"arith.constant", "arith.cmpf", "arith.cmpi", "arith.sitofp"}  # repeated in each kernel


class Op:
    def __init__(self, match, rows):
        self.name = match["name"]
        self.operands = VALUE.findall(match["operands"])
        count = re.match(r"(%\w+)(?::(\d+))?", match["results"] or "%none")
        self.results = [count[1]] if not count[2] else [f"{count[1]}#{i}" for i in range(int(count[2]))]
        group = re.search(r"kern\.group = (\d+)", match["rest"])
        self.group = int(group[1]) if group else None
        signature = match["rest"].rsplit(" : ", 1)[-1]
        shapes = re.findall(r"tensor<([\dx]*)x?\w+>", signature)
        self.is_row = any(shape.startswith(rows + "x") for shape in shapes)  # it reads or makes [batch, time, ...]

    def is_repeated(self):
        """Whether each kernel that reads the result computes it by itself: views, constants, simple arithmetic on weights."""
        of_weights = self.name.startswith("arith.") and not self.is_row and self.group is None
        return self.name in MOVES | FREE or of_weights

    def is_compute(self):
        if self.name in MOVES or self.name in FREE or not self.is_row:
            return False
        return self.name in ROWS or self.name.startswith(("arith.", "math."))


def functions(text, rows):
    """Name -> operations in order."""
    name, ops = None, []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        if match["name"] == "func.func":
            if name:
                yield name, ops
            name, ops = re.search(r'sym_name = "([\w.]+)"', line)[1], []
        elif name:
            ops.append(Op(match, rows))
    yield name, ops


def kernel_operations(ops):
    """Those that some kernel computes: arithmetic, and rows that others than kernels read, perhaps in another shape, otherwise
    than they lie, which are stored: shifted, joined, repeated, in another order, or a part of them. What others write is
    joined by writing it side by side, if nothing else reads the pieces, and read in part where it lies."""
    others = [op for op in ops if not op.is_compute() and op.name not in MOVES | FREE]
    stored = {value for op in others for value in op.operands}
    for op in reversed(ops):
        if op.name == "seq.reshape" and op.results[0] in stored:
            stored.add(op.operands[0])
    written = {value for op in others for value in op.results}
    reads = Counter(value for op in ops for value in op.operands)

    def is_stored(op):
        if op.name == "seq.concat" and op.is_row and all(value in written and reads[value] == 1 for value in op.operands):
            return False
        if op.name == "seq.slice" and op.operands[0] in written:
            return False
        return op.name in MOVED and op.is_row and op.results[0] in stored

    return {op for op in ops if op.is_compute() or is_stored(op)}


def minimum(ops):
    """The least number of kernels over rows: the longest chain of kernels that must wait for each other."""
    during, after = defaultdict(int), defaultdict(int)  # first kernel that may read a value, first one behind it
    last, computed = -1, kernel_operations(ops)
    for op in ops:
        begin = max((during[v] for v in op.operands), default=0)
        end = max((after[v] for v in op.operands), default=0)
        if op in computed:
            last = max(last, begin)
            end = begin + 1
            if op.name == "seq.column_sum":
                begin = end
        elif op.name not in MOVES and op.name not in FREE and op.is_row:
            begin = end  # a library operation
        for result in op.results:
            during[result], after[result] = begin, end
    return last + 1


def waits_for_itself(ops):
    """A group that needs, through something outside of it, what it computes itself; or None."""
    behind = defaultdict(set)  # value -> groups that must be complete before it exists
    inside = defaultdict(set)  # value -> the groups that compute it or what it is moved from
    needs = defaultdict(set)
    sums = {}  # column sum -> its group, which may also put its sums side by side
    for op in ops:
        before = set().union(*(behind[v] for v in op.operands))
        made = set().union(*(inside[v] for v in op.operands))
        joins_own = op.name == "seq.concat" and all(sums.get(v) == op.group for v in op.operands)
        if op.group is not None and not joins_own:
            needs[op.group] |= before | (made - {op.group})
            made = {op.group}
        elif not op.is_repeated():
            before, made = before | made, set()
        if op.name == "seq.column_sum":
            before, made = before | made, set()
            sums[op.results[0]] = op.group
        for result in op.results:
            behind[result], inside[result] = before, made
    reached = {group: set(direct) for group, direct in needs.items()}
    for _ in reached:
        for group in reached:
            for other in set(reached[group]):
                reached[group] |= reached.get(other, set())
    return next((group for group in reached if group in reached[group]), None)


def count(text, remarks, rows):
    """What is wrong, and for each function (kernels, the least number, how many missed remarks explain the rest)."""
    missed = re.findall(r"\[Missed\] (?:NotFused|Unrelated) .*?Function=([\w.]+)", remarks)
    problems, counts = [], {}
    for name, ops in functions(text, rows):
        for op in ops:
            if op.is_compute() and op.group is None:
                problems.append(f"{name}: {op.name} has no group")
            if op.group is not None and op.name.startswith("seq.") and op.name not in MOVES | ROWS:
                problems.append(f"{name}: {op.name} has a group")
        if (group := waits_for_itself(ops)) is not None:
            problems.append(f"{name}: group {group} waits for itself")
        groups, least = len({op.group for op in kernel_operations(ops)}), minimum(ops)
        counts[name] = groups, least, missed.count(name)
        if groups < least:
            problems.append(f"{name}: {groups} groups are fewer than the least legal number, {least}")
        if groups - least > missed.count(name):
            problems.append(f"{name}: {groups} groups, {least} would do, only {missed.count(name)} missed remarks")
    return problems, counts


def main(ir, remarks, rows):
    found, counts = count(open(ir, encoding="utf-8").read(), open(remarks, encoding="utf-8").read(), rows)
    for name, (groups, least, explained) in counts.items():
        print(f"{name}: {groups} kernels, at least {least}, {explained} explained")
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
