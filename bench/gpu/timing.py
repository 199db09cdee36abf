"""Times of work on a GPU that takes less than launching it."""
import functools
import math
import time

import torch

GPU = torch.cuda.is_available()
WINDOW = 8e-3  # seconds between two events, so that what lies before the first launch does not count
TURNS = 4  # of the work in a graph, so that what lies between graphs counts little


@functools.cache
def pool():
    return torch.cuda.graph_pool_handle()


def window_of(function):
    """Seconds between events around what a function puts on the current stream."""
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    function()
    last.record()
    last.synchronize()
    return first.elapsed_time(last) * 1e-3


class Side:
    """Work that is timed: `function` does it `calls` times, and owns the memory of its operands. On a GPU it is captured in a graph
    where it is short, that can be done (`problem` says why not) and `is_captured` does not forbid it, and repeated until a window is
    full."""

    def __init__(self, function, calls, is_captured=True):
        self.function, self.run, self.calls, self.repeats, self.problem = function, function, calls, 1, ""
        if GPU:
            self.warm_up()
            if is_captured and self.window() < WINDOW:
                self.capture()
            self.window()
            self.repeats = max(1, math.ceil(WINDOW / self.window()))

    def warm_up(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.run()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()

    def capture(self):
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, pool=pool()):  # one for all: they run one after the other, and nobody reads results
                for _ in range(TURNS):
                    self.function()
            self.run, self.calls = graph.replay, self.calls * TURNS
        except RuntimeError as problem:
            self.problem = f"not captured: {str(problem)[:300]}"

    def window(self):
        """Seconds of all repeats together."""
        return window_of(lambda: [self.run() for _ in range(self.repeats)])

    def seconds(self):
        """Of one call."""
        if GPU:
            return self.window() / self.repeats / self.calls
        start = time.perf_counter()
        self.run()
        return (time.perf_counter() - start) / self.calls


def take_turns(sides, rounds, limit):
    """{name: [seconds]}: one sample of each side a round, in an order that changes; the first round does not count. No round
    begins after `limit` seconds."""
    names, samples = list(sides), {name: [] for name in sides}
    end = time.monotonic() + limit
    for number in range(rounds + 1):
        shift = number % len(names)
        if time.monotonic() > end:
            break
        for name in names[shift:] + names[:shift]:
            seconds = sides[name].seconds()
            if number:
                samples[name].append(seconds)
    return samples


def least_seconds(function, windows=5):
    """Of one call: the least of some windows of a few, in a graph. Faster to make than a side, and to compare with nothing."""
    if not GPU:
        return Side(function, 1).seconds()
    torch.cuda.synchronize()
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        function()
        stream.synchronize()
        graph.capture_begin()  # torch.cuda.graph would collect garbage first, which takes longer than all the rest
        for _ in range(TURNS):
            function()
        graph.capture_end()
        graph.replay()
        return min(window_of(graph.replay) for _ in range(windows)) / TURNS
