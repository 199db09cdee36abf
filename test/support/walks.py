"""Runs tile programs, kern.walk, with NumPy: chunk by chunk, each operation on tiles a line taken from its description."""
import re

import numpy as np

from mlir_text import shape_of, split


class Window:
    """Which part of a value a program sees: `#kern.window<states 4 width 16 every 2>`."""

    def __init__(self, text):
        words = re.findall(r"\w+", text.split("<", 1)[1])
        options = dict(zip(words[2::2], map(int, words[3::2])))
        self.kind, self.parts = words[0], int(words[1])
        self.width, self.every = options.get("width", 0), options.get("every", 1)

    def view(self, value, batch, program, programs, chunk, rows):
        """The part as a view of the value."""
        part = program * self.parts // programs
        if self.kind in ("states", "ends"):
            heads = value.shape[1]
            blocks = self.parts // heads
            matrix = value[batch, part // blocks, chunk // self.every].reshape(-1, blocks * self.width)
            begin = part % blocks * self.width
            return matrix[:, begin : begin + self.width]
        if self.kind == "shared":
            return value.reshape(self.parts, -1)[part]
        of_chunk = value[batch, chunk * rows : (chunk + 1) * rows]
        return of_chunk.reshape(len(of_chunk), self.parts, -1)[:, part]


    def stores(self, chunk, chunks):
        """Whether a result is stored at a chunk."""
        if self.kind == "ends":
            return (chunk + 1) % self.every == 0 or chunk + 1 == chunks
        return chunk % self.every == 0


def sequences(values, rows):
    """Batch and time, of values with their windows."""
    for window, value in values:
        if window.kind == "rows":
            return value.shape[:2]
    window, value = next(each for each in values if each[0].kind in ("states", "ends"))
    return value.shape[0], value.shape[2] * window.every * rows


def load(view, shape, dtype):
    """A tile: the view, with zeros behind its rows and columns. One of one column may lack that dimension."""
    tile = np.zeros(shape, dtype)
    if len(shape) < view.ndim:
        view = view[..., 0]
    tile[tuple(map(slice, view.shape))] = view
    return tile


def store(tile, view):
    view[...] = (tile if tile.ndim == view.ndim else tile[..., None])[tuple(map(slice, view.shape))]


class Tiles:
    """The operations on tiles."""

    @staticmethod
    def tile_matmul(op, a, b):
        return (a.T if "transpose_a" in op else a) @ (b.T if "transpose_b" in op else b)

    @staticmethod
    def prefix_sum(op, x):
        blocks = x.reshape(-1, op.integer("rows"), *x.shape[1:])
        if "reverse" in op:
            blocks = blocks[:, ::-1]
        if "exclusive" in op:  # without subtracting, since a number may be infinite
            blocks = np.concatenate([np.zeros_like(blocks[:, :1]), blocks[:, :-1]], 1)
        sums = np.cumsum(blocks, 1)
        return (sums[:, ::-1] if "reverse" in op else sums).reshape(x.shape)

    @staticmethod
    def unit_inverse(op, matrix):
        return np.linalg.inv(np.eye(len(matrix)) + np.tril(matrix, -1))

    @staticmethod
    def unit_solve(op, matrix, right):
        system = np.eye(len(matrix)) + np.tril(matrix, -1)
        return np.linalg.solve(system.T if "transpose" in op else system, right)

    @staticmethod
    def tile_row(op, x):
        return x[op.integer("row")]

    @staticmethod
    def tile_sum(op, x):
        return x.sum(0)


def walk(op, inputs, run_body):
    """The results; `run_body(arguments, program)` gives what the body yields."""
    count, _ = op.integers("operandSegmentSizes")
    windows, result_windows = ([Window(each) for each in split(op.attributes[name][1:-1])]
                               for name in ("windows", "result_windows"))  # fmt: skip
    programs, rows, span = op.integer("programs"), op.integer("chunk"), op.integer("span")
    results = [np.full(shape_of(text)[0], np.nan) for text in op.result_types]
    values = list(zip(windows, inputs)) + list(zip(result_windows, results))
    batch, time = sequences(values, rows)
    chunks = -(-time // rows)
    tiles = [shape_of(text) for _, text in op.arguments]

    def read(window, value, tile, *place):
        shape, element = tile
        return load(window.view(value, *place, rows), shape, np.int64 if element == "i32" else np.float64)

    for b in range(batch):
        for program in range(programs):
            for begin in range(0, chunks, span):
                numbers = list(range(begin, min(chunks, begin + span)))[:: -1 if "reverse" in op else 1]
                initial = zip(windows[count:], inputs[count:], tiles[count:])
                carried = [read(*each, b, program, programs, numbers[0]) for each in initial]
                carried = carried or [np.zeros(shape) for shape, _ in tiles[count:]]
                for chunk in numbers:
                    place = b, program, programs, chunk
                    arguments = [read(*each, *place) for each in zip(windows[:count], inputs, tiles)]
                    yielded = run_body([*arguments, *carried], program)
                    carried = yielded[len(results) :]
                    for window, result, tile in zip(result_windows, results, yielded):
                        if window.stores(chunk, chunks):
                            store(tile, window.view(result, *place, rows))
    return results
