"""Barriers of a block that a warp may reach in parts, in machine code as `stretto-compile --emit=sass` prints it.

    convergence.py FILE...

A barrier takes the first lanes of a warp that come for all of them, so `ptxas` must bring lanes that went different ways together
in front of it (BSYNC, WARPSYNC). Version 13.0 does not always: where it merges the ends of several ways, it forgets some of those that
lead there. Follows each kernel by what is known of registers, so a branch that all lanes of a warp take is not one that parts them. Prints
the barriers and the branches behind which lanes are apart; the exit status is 1 if there are any.
"""
import re
import sys
from dataclasses import dataclass

import sass

WARP = 32
LANES = re.compile(r"SR_(TID|LANEID|EQMASK|LTMASK|LEMASK|GTMASK|GEMASK)")  # what differs between lanes
OF_WARP = ("VOTE", "R2UR", "S2UR", "REDUX")  # one value for all lanes
OF_LANE = ("SHFL", "ATOM", "LDSM", "MATCH")


@dataclass(frozen=True)
class State:
    """What may hold in front of an instruction."""

    varying: frozenset = frozenset()  # registers and predicates that may differ between the lanes of a warp
    threads: frozenset = frozenset()  # registers that hold the number of the thread
    apart: frozenset = frozenset()  # branches by which lanes may have parted
    saved: tuple = ()  # (barrier register, `apart` where it was set)

    def join(self, other):
        saved = dict(self.saved)
        for register, apart in other.saved:
            saved[register] = saved.get(register, frozenset()) | apart
        return State(self.varying | other.varying, self.threads & other.threads, self.apart | other.apart, tuple(sorted(saved.items())))


def constants(instruction):
    return [int(operand, 16) for operand in instruction.operands if re.fullmatch(r"0x[0-9a-f]+", operand)]


def is_of_warps(instruction, state):
    """Whether something is computed from the number of the thread that all lanes of a warp agree on: its upper bits, or on which side of a
    whole number of warps it lies."""
    name, operands, numbers = instruction.name, instruction.operands, constants(instruction)
    if not numbers or not any(operand.partition(".")[0] in state.threads for operand in operands[1:4]):
        return False
    if name.startswith("SHF.R"):
        return numbers[0] >= WARP.bit_length() - 1
    if name.startswith("LOP3"):
        return 0xC0 in numbers and numbers[0] % WARP == 0
    if name.startswith("ISETP") and operands[4] == "PT":
        return (numbers[0] + (".GT" in name or ".LE" in name)) % WARP == 0 and ".EQ" not in name and ".NE" not in name
    return False


def varies(instruction, state):
    """Whether the result of an instruction may differ between lanes."""
    if instruction.name.startswith(OF_WARP) or is_of_warps(instruction, state):
        return False
    return (instruction.name.startswith(OF_LANE) or any(map(LANES.search, instruction.operands)) or
            any(register in state.varying for register in instruction.reads))  # fmt: skip


def after_writes(instruction, state):
    """The registers that vary, and those that hold the number of the thread, behind an instruction."""
    varying, threads = set(state.varying), set(state.threads) - set(instruction.writes)
    guard_varies = instruction.guard.lstrip("!") in state.varying
    for register in instruction.writes:
        if register in ("PT", "UPT"):
            continue
        if guard_varies or varies(instruction, state):
            varying.add(register)
        elif not instruction.guard:
            varying.discard(register)
    if instruction.name.startswith("S2R") and "SR_TID.X" in instruction.operands and not instruction.guard:
        threads.add(instruction.operands[0])
    return frozenset(varying), frozenset(threads)


def after(at, instruction, state):
    """The states behind an instruction, by the number of the next one."""
    apart, saved = state.apart, dict(state.saved)
    if instruction.name.startswith("BSSY"):
        saved[instruction.operands[0]] = apart
    elif instruction.name.startswith("BSYNC"):
        apart = saved.get(instruction.operands[0], apart)
    elif instruction.name.startswith("WARPSYNC"):
        apart = frozenset()
    conditions = [word.lstrip("!") for word in (instruction.guard, *instruction.operands) if word and sass.is_predicate(word)]
    if instruction.kind == "branch" and any(each in state.varying for each in conditions):
        apart |= {at}
    behind = State(*after_writes(instruction, state), apart, tuple(sorted(saved.items())))
    if instruction.kind == "branch":
        return [(target, behind) for target in instruction.targets] + ([(at + 1, behind)] if conditions else [])
    return [] if instruction.kind == "end" and not instruction.guard else [(at + 1, behind)]


def parted(code):
    """{barrier: branches}: the barriers of a kernel that a warp may reach in parts, by their numbers."""
    states, work = {}, [(0, State())]
    while work:
        at, state = work.pop()
        if not 0 <= at < len(code):
            continue
        joined = states[at].join(state) if at in states else state
        if joined != states.get(at):
            states[at] = joined
            work += after(at, code[at], joined)
    return {at: sorted(state.apart) for at, state in sorted(states.items()) if code[at].kind == "barrier" and state.apart}


def main(*paths):
    count = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            kernels = sass.functions(file.read())
        for name, code in kernels.items():
            for barrier, branches in parted(code).items():
                print(f"{path}: {name}: the barrier {barrier} may be reached in parts, which parted at {', '.join(map(str, branches))}")
                count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
