"""Lano by dynamic programming in plain Python, in two ways each: membership of a string, and the exact distribution of
the token that follows each of its openings."""
import itertools
from pathlib import Path

GRAMMARS = Path(__file__).resolve().parents[2] / "tasks/lano/grammars"

# What a token counts in inside and forward probabilities: those of the longest sentences stay within doubles, and a
# power of two does not round.
SCALE = 2.0


def read_grammar(name):
    """{symbol: its rules}, the root first, as in the built-in files, which write a symbol a line."""
    rules = {}
    for line in (GRAMMARS / f"{name}.grammar").read_text().splitlines():
        line = line.split("#")[0]
        if "->" in line:
            symbol, right = line.split("->")
            rules[symbol.strip()] = [tuple(rule.split()) for rule in right.split("|")]
    return rules


def bottom_up(rules):
    """The symbols, each behind all that its rules use."""
    order = []

    def visit(symbol):
        if symbol in rules and symbol not in order:
            for child in itertools.chain(*rules[symbol]):
                visit(child)
            order.append(symbol)

    visit(next(iter(rules)))
    return order


def binarised(rules):
    """{first child: [(second child, symbol)]} with a helper symbol for all but the first child of a longer rule."""
    pairs = {}
    for symbol, alternatives in rules.items():
        for rule in alternatives:
            left = symbol
            while len(rule) > 2:
                helper = " ".join(rule[1:])
                pairs.setdefault(rule[0], set()).add((helper, left))
                left, rule = helper, rule[1:]
            pairs.setdefault(rule[0], set()).add((rule[1], left))
    return {first: sorted(rest) for first, rest in pairs.items()}


class PlainMembership:
    """The textbook: every span, shortest first, every split of it."""

    def __init__(self, rules):
        self.root, self.pairs = next(iter(rules)), binarised(rules)

    def __call__(self, tokens):
        n = len(tokens)
        cells = [[None] * (n + 1) for _ in range(n + 1)]
        for i, token in enumerate(tokens):
            cells[i][i + 1] = {token}
        for size in range(2, n + 1):
            for i in range(n - size + 1):
                row, j, found = cells[i], i + size, set()
                for split in range(i + 1, j):
                    if row[split] and cells[split][j]:
                        right = cells[split][j]
                        for first in row[split]:
                            for second, symbol in self.pairs.get(first, ()):
                                if second in right:
                                    found.add(symbol)
                row[j] = found
        return self.root in cells[0][n]


class PrunedMembership:
    """With lists of where each symbol that starts at a place may end, layer by layer, as these grammars allow."""

    def __init__(self, rules):
        self.root, self.rules, self.order = next(iter(rules)), rules, bottom_up(rules)

    def __call__(self, tokens):
        n = len(tokens)
        ends = {token: [[i + 1] if i < n and tokens[i] == token else [] for i in range(n + 1)] for token in set(tokens)}
        for symbol in self.order:
            table = []
            for i in range(n + 1):
                reached = set()
                for rule in self.rules[symbol]:
                    at = {i}
                    for child in rule:
                        lists = ends.get(child)
                        at = {end for place in at for end in lists[place]} if lists else set()
                    reached |= at
                table.append(sorted(reached))
            ends[symbol] = table
        return n in ends[self.root][0]


def spread(reached, ends):
    """Over one more child: from {place: probability} to the places where it may end; `ends` is the child's table."""
    further = {}
    for place, p in reached.items():
        for end, q in ends[place].items():
            further[end] = further.get(end, 0.0) + p * q
    return further


class Distribution:
    """Rows of the probability that the sentence ends, then of each terminal: one behind each opening of the string, up to
    the longest that opens a sentence. From a table of inside probabilities, `ends`: {symbol: [{end: probability} of each
    start]}, which subclasses make."""

    def __init__(self, rules):
        self.root, self.rules, self.order = next(iter(rules)), rules, bottom_up(rules)
        self.terminals = sorted(set(itertools.chain(*itertools.chain(*rules.values()))) - set(rules))

    def __call__(self, tokens):
        ends = self.inside(tokens)
        forward = self.forward(ends, len(tokens))
        rows = []
        for k in range(len(tokens) + 1):
            row = [ends[self.root][0].get(k, 0.0)] + [forward[terminal][k] for terminal in self.terminals]
            total = sum(row)
            if total == 0:
                break
            rows.append([value / total for value in row])
        return rows

    def forward(self, ends, n):
        """{symbol: [probability of a derivation that writes the tokens before a place and goes on with the symbol]}"""
        forward = {symbol: [0.0] * (n + 1) for symbol in self.order + self.terminals}
        forward[self.root][0] = 1.0
        for symbol in reversed(self.order):
            for i, mass in enumerate(forward[symbol]):
                if mass > 0:
                    for rule in self.rules[symbol]:
                        self.predict(rule, {i: mass / len(self.rules[symbol])}, ends, forward)
        return forward

    @staticmethod
    def predict(rule, reached, ends, forward):
        for before, child in zip((None,) + rule, rule):
            if before is not None:
                reached = spread(reached, ends[before])
            for place, p in reached.items():
                forward[child][place] += p


class PlainDistribution(Distribution):
    """The inside algorithm of the textbook: every span, shortest first, every split of it."""

    def __init__(self, rules):
        super().__init__(rules)
        self.pairs = {first: [(second, symbol, 1 / len(rules[symbol]) if symbol in rules else 1.0) for second, symbol in rest]
                      for first, rest in binarised(rules).items()}

    def inside(self, tokens):
        n = len(tokens)
        cells = [[None] * (n + 1) for _ in range(n + 1)]
        for i, token in enumerate(tokens):
            cells[i][i + 1] = {token: SCALE}
        for size in range(2, n + 1):
            for i in range(n - size + 1):
                cells[i][i + size] = self.span(cells, i, i + size)
        return self.by_symbol(cells, n)

    def span(self, cells, i, j):
        row, found = cells[i], {}
        for split in range(i + 1, j):
            if row[split] and cells[split][j]:
                right = cells[split][j]
                for first, p in row[split].items():
                    for second, symbol, share in self.pairs.get(first, ()):
                        if second in right:
                            found[symbol] = found.get(symbol, 0.0) + share * p * right[second]
        return found

    def by_symbol(self, cells, n):
        ends = {symbol: [{} for _ in range(n + 1)] for symbol in self.order + self.terminals}
        for i in range(n):
            for j in range(i + 1, n + 1):
                for symbol, p in cells[i][j].items():
                    if symbol in ends:
                        ends[symbol][i][j] = p
        return ends


class PrunedDistribution(Distribution):
    """With lists of where each symbol that starts at a place may end, layer by layer, as these grammars allow."""

    def inside(self, tokens):
        n = len(tokens)
        ends = {terminal: [{} for _ in range(n + 1)] for terminal in self.terminals}
        for i, token in enumerate(tokens):
            ends[token][i] = {i + 1: SCALE}
        for symbol in self.order:
            ends[symbol] = [self.ends_of(symbol, i, ends) for i in range(n + 1)]
        return ends

    def ends_of(self, symbol, i, ends):
        total = {}
        for rule in self.rules[symbol]:
            reached = {i: 1 / len(self.rules[symbol])}
            for child in rule:
                reached = spread(reached, ends[child])
            for end, p in reached.items():
                total[end] = total.get(end, 0.0) + p
        return total
