"""Linear mixers as their recurrence, token by token, and its derivative, with NumPy. Written down from the equations
S' = decayed S + k (w v)^T - p e^T, out = scale * S'^T q; shares nothing with what it checks.

Operands are arrays [batch, time, heads, columns of a head]; decay has one column or one for each key column. What is not given
is None; e = r^T (decayed S), or r^T S with `before`.
"""
import numpy as np


class Recurrence:
    def __init__(self, q, k, v, decay=None, w=None, r=None, p=None, scale=1.0, before=False, positions=None):
        self.q, self.k, self.v, self.scale, self.before = q, k, v, scale, before
        self.length = q.shape[1]
        self.w = np.ones((*v.shape[:3], 1)) if w is None else w
        self.factor = np.ones((*k.shape[:3], 1)) if decay is None else np.exp(decay)
        self.r = np.zeros_like(k) if r is None else r
        self.p = k if p is None else p
        begins = np.zeros(q.shape[:2], bool) if positions is None else positions == 0
        begins[:, 0] = True
        self.keeps = ~begins[:, :, None, None, None]

    def forward(self):
        """The results; remembers the state before each token and behind the last, [batch, heads, key, value]."""
        state = np.zeros((*self.k[:, 0].shape, self.v.shape[-1]))
        self.states, self.read, out = [], [], []
        for t in range(self.length):
            state = np.where(self.keeps[:, t], state, 0.0)
            self.states.append(state)
            decayed = self.factor[:, t, :, :, None] * state
            read = np.einsum("bhk,bhkv->bhv", self.r[:, t], state if self.before else decayed)
            self.read.append(read)
            written = (self.w * self.v)[:, t]
            state = decayed + outer(self.k[:, t], written) - outer(self.p[:, t], read)
            out.append(self.scale * np.einsum("bhk,bhkv->bhv", self.q[:, t], state))
        self.states.append(state)
        return np.stack(out, 1)

    def backward(self, grad):
        """Gradients of q, k, v, decay (one for each key column), w, r, p, by name; that of k without what comes by p or r."""
        names = ("q", "k", "v", "decay", "w", "r", "p")
        rows = {name: [] for name in names}
        ahead = np.zeros_like(self.states[0])  # the gradient of the state behind the token
        for t in reversed(range(self.length)):
            q, k, r, p = (each[:, t] for each in (self.q, self.k, self.r, self.p))
            before, behind, factor = self.states[t], self.next_state(t), self.factor[:, t, :, :, None]
            given = self.scale * grad[:, t]
            ahead = ahead + outer(q, given)
            written, of_written = (self.w * self.v)[:, t], np.einsum("bhkv,bhk->bhv", ahead, k)
            of_read = -np.einsum("bhkv,bhk->bhv", ahead, p)
            source = before if self.before else factor * before
            of_decayed = ahead if self.before else ahead + outer(r, of_read)
            rows["q"].append(np.einsum("bhkv,bhv->bhk", behind, given))
            rows["k"].append(np.einsum("bhkv,bhv->bhk", ahead, written))
            rows["v"].append(self.w[:, t] * of_written)
            rows["w"].append((self.v[:, t] * of_written).sum(-1, keepdims=True))
            rows["r"].append(np.einsum("bhkv,bhv->bhk", source, of_read))
            rows["p"].append(-np.einsum("bhkv,bhv->bhk", ahead, self.read[t]))
            rows["decay"].append((factor * before * of_decayed).sum(-1))
            ahead = factor * of_decayed + (outer(r, of_read) if self.before else 0.0)
            ahead = np.where(self.keeps[:, t], ahead, 0.0)
        return {name: np.stack(rows[name][::-1], 1) for name in names}

    def next_state(self, t):
        """The state behind a token: that before the next one, where the two are of one document, is the same."""
        decayed = self.factor[:, t, :, :, None] * self.states[t]
        return decayed + outer(self.k[:, t], (self.w * self.v)[:, t]) - outer(self.p[:, t], self.read[t])


def outer(a, b):
    return a[..., :, None] * b[..., None, :]
