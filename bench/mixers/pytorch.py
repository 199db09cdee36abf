"""The best forms of linear mixers in PyTorch: chunks side by side, and a loop over chunks for the states alone. Operands are
[batch, heads, time, columns of a head]; decay has one column by head, or one for each key column."""
import torch


def split(x, chunk):
    return x.unflatten(2, (-1, chunk))


def join(x):
    return x.flatten(2, 3)


def linear_attention(q, k, v, decay, write, scale, chunk=64):
    """Without delta rule. Decay by channel takes e^G and e^-G apart, which overflows where it is strong."""
    q, k, v = split(q * scale, chunk), split(k, chunk), split(v if write is None else write * v, chunk)
    sums = split(decay, chunk).cumsum(-2)
    total = sums[..., -1:, :]
    if decay.shape[-1] == 1:
        pairs = (q @ k.mT) * torch.exp((sums - sums.mT).tril()).tril()
    else:
        pairs = ((q * sums.exp()) @ (k * (-sums).exp()).mT).tril()
    updates = (k * (total - sums).exp()).mT @ v
    states, state = [], torch.zeros_like(updates[:, :, 0])
    for i in range(updates.shape[2]):
        states.append(state)
        state = total[:, :, i].exp().mT * state + updates[:, :, i]
    return join(pairs @ v + (q * sums.exp()) @ torch.stack(states, 2))


def delta_rule(q, k, v, decay, beta, scale, chunk=64):
    q, k, v, beta = split(q * scale, chunk), split(k, chunk), split(v, chunk), split(beta, chunk)
    sums = split(decay, chunk).cumsum(-2)
    total, factors = sums[..., -1:, :], torch.exp((sums - sums.mT).tril()).tril()
    pairs = (q @ k.mT) * factors
    erased = ((beta * k) @ k.mT * factors).tril(-1) + torch.eye(chunk, dtype=factors.dtype, device=q.device)
    solve = lambda x: torch.linalg.solve_triangular(erased, x, upper=False, unitriangular=True)
    written, read = solve(beta * v), solve(beta * k * sums.exp())
    keys, queries = (k * (total - sums).exp()).mT, q * sums.exp()
    results, state = [], factors.new_zeros(*q.shape[:2], q.shape[-1], v.shape[-1])
    for i in range(q.shape[2]):
        u = written[:, :, i] - read[:, :, i] @ state
        results.append(queries[:, :, i] @ state + pairs[:, :, i] @ u)
        state = total[:, :, i].exp() * state + keys[:, :, i] @ u
    return join(torch.stack(results, 2))


def written(k, v, decay, write):
    """For heads of a few columns: what each token writes into the state, and what of it stays."""
    return k.unsqueeze(-1) * (v if write is None else write * v).unsqueeze(-2), decay.exp().unsqueeze(-1)


def recurrence(q, k, v, decay, write, scale):
    """Token by token; to be compiled it has too many of them."""
    new, kept = written(k, v, decay, write)
    states = [new[:, :, 0]]
    for token, factor in zip(new.unbind(2)[1:], kept.unbind(2)[1:], strict=True):
        states.append(factor * states[-1] + token)
    return (q.unsqueeze(-1) * torch.stack(states, 2)).sum(-2) * scale


def scan(q, k, v, decay, write, scale):
    """The last 1, 2, 4, ... tokens of all states at once (Hillis and Steele, 1986)."""
    state, kept = written(k, v, decay, write)
    reach, pad = 1, torch.nn.functional.pad
    while reach < state.shape[2]:
        state = state + kept * pad(state[:, :, :-reach], (0, 0, 0, 0, reach, 0))
        kept = kept * pad(kept[:, :, :-reach], (0, 0, 0, 0, reach, 0))
        reach *= 2
    return (q.unsqueeze(-1) * state).sum(-2) * scale
