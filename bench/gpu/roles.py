"""Kernels whose warps have roles: some multiply by the matmuls of warpgroups (HGMMA), others copy and store for them.

Each warp of the block with the most work is followed by itself, and none waits for another one. The block takes as long as what is
busiest all the time: a warp, a tensor core, a scheduler, or what brings the operands.
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


def cycles_of(traces, schedulers, share, bytes_of_cycle):
    """Cycles of the block, by what may limit it. Warps take schedulers in turn, each with a tensor core of its own."""
    def busiest(kind):
        return max(sum(trace.issued.get(kind, 0) for trace in traces[first::schedulers]) for first in range(schedulers))
    return {"way": max(trace.cycles for trace in traces), "tensor cores": busiest("matrix") / share,
            "issue": busiest("issue"), "operands": sum(trace.loaded for trace in traces) / bytes_of_cycle}  # fmt: skip
