"""Matmuls of experts with NumPy, expert by expert, as their descriptions in ir/seq/SeqExpertOps.td say."""
import numpy as np


class Experts:
    """Which rows go where. Parts of rows are [..., chosen, columns], weights [experts, out, in]."""

    def __init__(self, op, gates):
        self.chosen, self.gates, self.count = op.integer("chosen"), gates, gates.shape[-1]

    def visits(self, expert):
        """Rows that go to an expert, as indices, with its number among the experts of each."""
        goes = self.gates != 0
        places = goes.cumsum(-1) - 1
        rows = np.nonzero(goes[..., expert] & (places[..., expert] < self.chosen))
        return rows, (*rows, places[..., expert][rows]), self.gates[..., expert][rows][:, None]

    def all(self):
        return map(self.visits, range(self.count))

    def split(self, parts):
        return parts.reshape(*parts.shape[:-1], self.chosen, -1)

    def weights(self, stacked):
        return stacked.reshape(self.count, -1, stacked.shape[-1])

    def joined(self, parts):
        return parts.reshape(*self.gates.shape[:-1], -1)

    def empty(self, *columns):
        return np.zeros((*self.gates.shape[:-1], *columns))


def linear(op, x, gates, stacked):
    e = Experts(op, gates)
    weights = e.weights(stacked)
    y = e.empty(e.chosen, weights.shape[1])
    for (rows, parts, _), w in zip(e.all(), weights):
        y[parts] = x[rows] @ w.T
    return e.joined(y)


def linear_input_grad(op, grad, gates, stacked):
    e = Experts(op, gates)
    dx, dy = e.empty(stacked.shape[-1]), e.split(grad)
    for (rows, parts, _), w in zip(e.all(), e.weights(stacked)):
        dx[rows] += dy[parts] @ w
    return dx


def linear_weight_grad(op, grad, gates, x, accumulator=0.0):
    e = Experts(op, gates)
    dy = e.split(grad)
    return np.concatenate([dy[parts].T @ x[rows] for rows, parts, _ in e.all()]) + accumulator


def total(op, x, gates, stacked):
    e = Experts(op, gates)
    weights, u = e.weights(stacked), e.split(x)
    y = e.empty(weights.shape[1])
    for (rows, parts, gate), w in zip(e.all(), weights):
        y[rows] += gate * (u[parts] @ w.T)
    return y


def total_input_grad(op, grad, x, gates, stacked):
    e = Experts(op, gates)
    u, dgates = e.split(x), np.zeros_like(gates)
    du = np.zeros_like(u)
    for expert, w in enumerate(e.weights(stacked)):
        rows, parts, gate = e.visits(expert)
        z = grad[rows] @ w
        du[parts] = gate * z
        dgates[(*rows, expert)] = (z * u[parts]).sum(-1)
    return e.joined(du), dgates


def total_weight_grad(op, grad, gates, x, accumulator=0.0):
    e = Experts(op, gates)
    u = e.split(x)
    return np.concatenate([(gate * grad[rows]).T @ u[parts] for rows, parts, gate in e.all()]) + accumulator


OPERATIONS = {
    "seq.expert_linear": linear,
    "seq.expert_linear_input_grad": linear_input_grad,
    "seq.expert_linear_weight_grad": linear_weight_grad,
    "seq.expert_sum": total,
    "seq.expert_sum_input_grad": total_input_grad,
    "seq.expert_sum_weight_grad": total_weight_grad,
}
