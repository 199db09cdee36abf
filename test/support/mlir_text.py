"""Reads modules in the generic form that `stretto-opt --mlir-print-op-generic` prints."""
import re
from dataclasses import dataclass, field

IDENTIFIER = r"%[\w$.-]+"


@dataclass
class Operation:
    name: str
    operands: list
    results: list
    attributes: dict  # name -> text; unit attributes map to ""
    operand_types: list = field(default_factory=list)
    result_types: list = field(default_factory=list)
    arguments: list = field(default_factory=list)  # of the region's only block: (name, type)
    body: list = field(default_factory=list)

    def integer(self, name, default=None):
        return int(self.attributes[name].split()[0]) if name in self.attributes else default

    def real(self, name):
        return float(self.attributes[name].split()[0])

    def integers(self, name):
        text = self.attributes[name]
        return [int(each) for each in text[text.index("<") + 1 : -1].split(":")[-1].split(",") if ":" in text]

    def reals(self, name):
        """Those of `[1.0, 0.5]`."""
        return [float(each.split(":")[0]) for each in self.attributes[name].strip("[] ").split(",")]

    def symbol(self, name):
        return self.attributes[name].lstrip("@").strip('"')

    def word(self, name):
        """The last word of an enumeration: `#seq<reduce_kind add>` -> "add"."""
        return re.findall(r"\w+", self.attributes[name])[-1]

    def __contains__(self, name):
        return name in self.attributes


def split(text, separator=","):
    """Splits at separators outside brackets and strings."""
    pieces, depth, start, quoted = [], 0, 0, False
    text = text.replace("->", "\0\0")
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif not quoted and c in "<[{(":
            depth += 1
        elif not quoted and c in ">]})":
            depth -= 1
        elif not quoted and c == separator and depth == 0:
            pieces.append(text[start:i])
            start = i + 1
    pieces.append(text[start:])
    return [piece.replace("\0\0", "->").strip() for piece in pieces if piece.strip()]


def bracketed(text, opening):
    """What stands in the brackets that the text opens with, and the rest."""
    closing = {"(": ")", "<{": "}>", "{": "}"}[opening]
    masked = text.replace("->", "\0\0")
    depth, quoted = 0, False
    for i, c in enumerate(masked):
        if c == '"':
            quoted = not quoted
        elif not quoted and c in "<[{(":
            depth += 1
        elif not quoted and c in ">]})":
            depth -= 1
            if depth == 0:
                return text[len(opening) : i + 1 - len(closing)], text[i + 1 :].lstrip()
    raise ValueError(f"unbalanced: {text}")


def parse_attributes(text):
    pairs = (piece.partition(" = ") for piece in split(text))
    return {name.strip('"'): value for name, _, value in pairs}


def shape_of(type_text):
    """`tensor<2x8x16xf32>` -> ((2, 8, 16), "f32")."""
    *dims, element = re.fullmatch(r"tensor<(.*)>", type_text).group(1).split("x")
    return tuple(int(dim) for dim in dims), element


class Reader:
    def __init__(self, text):
        self.lines = [line.strip() for line in text.splitlines() if line.strip()]
        self.at = 0

    def operation(self):
        line = self.lines[self.at]
        self.at += 1
        match = re.match(rf'(?:({IDENTIFIER})(?::(\d+))? = )?"([\w.]+)"\((.*)', line)
        if not match:
            raise ValueError(f"not an operation: {line}")
        result, count, name, rest = match.groups()
        operands, rest = bracketed("(" + rest, "(")
        results = [] if result is None else [result] if count is None else [f"{result}#{i}" for i in range(int(count))]
        op = Operation(name, split(operands), results, {})
        if rest.startswith("<{"):
            text, rest = bracketed(rest, "<{")
            op.attributes.update(parse_attributes(text))
        if rest == "({":
            rest = self.region(op)
        if rest.startswith("{"):
            text, rest = bracketed(rest, "{")
            op.attributes.update(parse_attributes(text))
        types, _, result_types = rest.lstrip(": ").rpartition(" -> ")
        op.operand_types = split(types[1:-1])
        op.result_types = split(result_types[1:-1] if result_types.startswith("(") else result_types)
        return op

    def region(self, op):
        if self.lines[self.at].startswith("^"):
            arguments, _ = bracketed(self.lines[self.at][self.lines[self.at].index("(") :], "(")
            op.arguments = [tuple(each.split(": ")) for each in split(arguments)]
            self.at += 1
        while not self.lines[self.at].startswith("})"):
            op.body.append(self.operation())
        rest = self.lines[self.at][2:].lstrip()
        self.at += 1
        return rest


def parse_module(text):
    """The operations of a module."""
    reader = Reader(text)
    while not reader.lines[reader.at].startswith('"builtin.module"'):
        reader.at += 1
    return reader.operation().body
