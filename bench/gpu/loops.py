"""Loops whose turns are alike are followed for a few turns; the others are added up.

Turns are alike where every known number of the thread grows by the same amount in each, every comparison has the same outcome, and the
warp does and waits for the same. That goes on until a comparison, whose sides grow evenly, has another outcome.
"""
from thread import COMPARE

ALIKE = 1e-6  # of the cycles of a turn, in which turns that are alike may differ
PERIODS = (1, 2)  # turns after which everything repeats; two where buffers alternate


def growth(a, b):
    """b - a of each number, by name; None where they have not the same names."""
    return {name: b[name] - a[name] for name in b} if a.keys() == b.keys() else None


def turns_until(relation, a, b, more):
    """After how many turns, in each of which a - b grows by `more`, a comparison has another outcome; None: never."""
    compare, distance = COMPARE[relation], a - b
    now = compare(distance, 0)
    about = -distance // more if more else 0
    turns = [n for n in (1, about, about + 1) if n >= 1 and compare(distance + n * more, 0) != now]
    return min(turns) if turns and more else None


class Turn:
    """What is known at the end of a turn of a loop, and what was compared in it."""

    def __init__(self, thread, warp, compared):
        self.known, self.state, self.compared = dict(thread.known), warp.state(), compared


class Loops:
    """Watches a thread go back to where it was, and lets it and its warp skip turns."""

    def __init__(self, thread, warp):
        self.thread, self.warp, self.last = thread, warp, 0
        self.turns, self.begun = {}, {}  # by edge: the last turns; how much had been compared at the end of the last one

    def step(self):
        """To be called before each instruction is issued, the thread being behind it."""
        edge = self.last, self.thread.at
        self.last = self.thread.at
        if edge[1] > edge[0]:
            return
        compared = self.thread.compared
        history = self.turns.setdefault(edge, [])
        history.append(Turn(self.thread, self.warp, compared[self.begun.get(edge, 0):]))
        del history[: -2 * PERIODS[-1] - 1]
        self.begun[edge] = len(compared)
        if any(self.skip(history, period) for period in PERIODS):
            history.clear()

    def skip(self, history, period):
        """Whether turns were skipped: all that are alike, but for the last."""
        if len(history) <= 2 * period:
            return False
        first, middle, last = (history[-1 - n * period] for n in (2, 1, 0))
        numbers, more = growth(middle.known, last.known), growth(middle.state, last.state)
        if None in (numbers, more) or growth(first.known, middle.known) != numbers or not alike(growth(first.state, middle.state), more):
            return False
        before, now = ([each for turn in history[end - period : end] for each in turn.compared]
                       for end in (len(history) - period, len(history)))  # fmt: skip
        if [relation for relation, *_ in before] != [relation for relation, *_ in now]:
            return False
        ends = [turns_until(relation, a, b, a - b - (old_a - old_b)) for (_, old_a, old_b), (relation, a, b) in zip(before, now)]
        count = min((end for end in ends if end), default=1) - 1
        if count:
            known = self.thread.known
            self.thread.known = {name: value + count * numbers[name] & 0xFFFFFFFF for name, value in known.items()}
            self.warp.skip({name: count * each for name, each in more.items()})
        return count > 0


def alike(a, b):
    return a is not None and a.keys() == b.keys() and all(
        abs(a[name] - b[name]) <= ALIKE * b["cycles"] if name == "cycles" else a[name] == b[name] for name in b)  # fmt: skip
