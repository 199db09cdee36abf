"""One warp of a kernel, followed through its machine code: what it issues, and when its loads let it go on."""
from dataclasses import dataclass, field

from loops import Loops
from sass import is_of_group, matrix_cycles, words
from thread import Thread

WORDS = ("load", "copy", "store", "shared")  # kinds that count words of 32 bits


@dataclass
class Trace:
    """What one warp did. Cycles are of its own clock, bytes of all its lanes."""

    cycles: float = 0
    loaded: int = 0  # to registers, by asynchronous copies, and by TMA
    outstanding: int = 0  # the most bytes on their way to it at once
    barriers: int = 0
    is_sure: bool = True  # whether no loop depended on data
    issued: dict = field(default_factory=dict)  # by kind: how many, words of WORDS, cycles of a tensor core of matrices


class Warp:
    """`latencies`: cycles until a result is there, by kind. `gap`: cycles from one of its instructions to the next, where warps
    that wait for each other share a scheduler and its tensor core, which takes `matrix` times the cycles of its peak."""

    def __init__(self, latencies, gap, matrix):
        self.latencies, self.gap, self.matrix = latencies, gap, matrix
        self.trace, self.now, self.core_is_free = Trace(), 0.0, 0.0
        self.ready, self.coming = {}, []  # when registers are; (when, bytes) of what is on its way
        self.open_copies, self.groups = 0.0, []  # when copies to shared memory are there, or matmuls done: those not in a group yet, by group

    def issue(self, i, runs):
        if runs != 0:  # who needs a result, or its register, waits for it
            self.now = max([self.now] + [self.ready[r] for r in i.reads + i.writes if r in self.ready])
        self.count(i)
        latency = self.latencies.get(i.kind, self.latencies["other"])
        if runs != 0:
            self.begin(i, latency)
        if i.kind == "barrier":
            self.trace.barriers += 1
            self.now += latency
        self.now += self.gap

    def count(self, i):
        amount = words(i.name) if i.kind in WORDS else matrix_cycles(i.name) if i.kind == "matrix" else 1
        for kind, more in (("issue", 1), (i.kind, amount)):
            self.trace.issued[kind] = self.trace.issued.get(kind, 0) + more

    def begin(self, i, latency):
        """What an instruction that runs sets going."""
        if i.kind == "matrix":
            self.now = max(self.now, self.core_is_free)
            self.core_is_free = self.now + self.gap * self.matrix * matrix_cycles(i.name)
            if is_of_group(i.name) and "gsb0" in i.operands:  # the last one of a group that may be waited for
                self.groups.append(self.core_is_free)
        for register in i.writes:
            self.ready[register] = self.now + latency
        if i.kind in ("load", "copy"):
            self.fetch(128 * words(i.name), latency)
        if i.kind == "copy":
            self.open_copies = self.now + latency
        elif i.kind == "commit":
            self.groups.append(self.open_copies)
        elif i.kind == "wait":
            self.wait(int(i.operands[-1], 0))

    def fetch(self, size, latency):
        self.trace.loaded += size
        self.coming = [each for each in self.coming if each[0] > self.now] + [(self.now + latency, size)]
        self.trace.outstanding = max(self.trace.outstanding, sum(size for _, size in self.coming))

    def wait(self, left):
        """Until no more than so many groups of copies or matmuls are on their way."""
        done = self.groups[: max(0, len(self.groups) - left)]
        self.now = max([self.now, *done])
        self.groups = self.groups[len(done) :]

    #===- Turns of a loop ---------------------------------------------------===#

    def state(self):
        """Numbers that grow alike where the turns of a loop are alike."""
        return {"cycles": self.now, "loaded": self.trace.loaded, "barriers": self.trace.barriers} | self.trace.issued

    def skip(self, growth):
        """Goes on as if the turns of a loop had been taken that make state() grow so."""
        more = growth["cycles"]
        self.now, self.core_is_free = self.now + more, self.core_is_free + more
        self.open_copies, self.groups = self.open_copies + more, [when + more for when in self.groups]
        self.ready = {register: when + more for register, when in self.ready.items()}
        self.coming = [(when + more, size) for when, size in self.coming]
        self.trace.loaded += growth["loaded"]
        self.trace.barriers += growth["barriers"]
        for kind in self.trace.issued:
            self.trace.issued[kind] += growth.get(kind, 0)


def follow(code, block_x, block_y, latencies, gap, matrix=1.0, first=0):
    """A warp, whose first thread is `first`, from its start to its end; see Warp. It never waits for what other warps do."""
    thread, warp = Thread(code, block_x, block_y, first), Warp(latencies, gap, matrix)
    loops = Loops(thread, warp)
    for i, runs in thread.steps():
        loops.step()
        warp.issue(i, runs)
        if i.kind == "expect" and runs != 0:
            warp.trace.loaded += thread.expected_bytes(i)
    warp.trace.cycles, warp.trace.is_sure = warp.now, thread.guesses == 0
    return warp.trace
