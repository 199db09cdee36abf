"""Kernels whose warps have roles: some multiply by the matmuls of warpgroups (HGMMA), others copy and store for them.

Each warp of the block with the most work is followed by itself, and none waits for another one. The block takes as long as what is
busiest all the time: a warp, a tensor core, a scheduler, or what brings the operands: the second-level cache, which delivers for all
blocks, and the way from there to shared memory.
"""
from sass import is_of_group
from walk import follow

WARP = 32


def has_roles(code):
    return any(is_of_group(i.name) for i in code)


def follow_roles(kernel, code, latencies, schedulers, share):
    """A trace of each warp. Those that multiply share the tensor cores, which reach `share` of their peak."""
    multiplies = max(1, sum(1 for trace in traces_of(kernel, code, latencies, 1.0) if trace.issued.get("matrix")))
    return traces_of(kernel, code, latencies, max(1, multiplies / schedulers) / share)


def traces_of(kernel, code, latencies, matrix):
    return [follow(code, 0, 0, latencies, 1.0, matrix, first) for first in range(0, kernel.block, WARP)]


def delivered_bytes(kernel, traces):
    """What the second-level cache delivers for a block: of what TMA brings it into a stage, a box by the first map is its own, and of the
    rest each block of its cluster copies a part for all."""
    shared = sum(t.loaded - t.issued["expect"] * kernel.boxes[0] for t in traces if t.issued.get("expect"))
    return sum(t.loaded for t in traces) - shared * (1 - 1 / max(1, kernel.cluster))


def cycles_of(kernel, traces, schedulers, share, delivered, arriving, instruction):
    """Cycles of the block, by what may limit it. Warps take schedulers in turn, each with a tensor core of its own. `delivered` and
    `arriving`: bytes of a cycle, from the second-level cache for one multiprocessor, and into it. `instruction`: cycles of a scheduler for
    one, which few warps do not fill."""
    def busiest(kind):
        return max(sum(trace.issued.get(kind, 0) for trace in traces[first::schedulers]) for first in range(schedulers))
    return {"way": max(trace.cycles for trace in traces), "tensor cores": busiest("matrix") / share,
            "issue": instruction * busiest("issue"), "second-level cache": delivered_bytes(kernel, traces) / delivered,
            "operands": sum(trace.loaded for trace in traces) / arriving}  # fmt: skip
