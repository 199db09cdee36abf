"""The memory of a model on the host as numpy arrays, and the library calls of a step written plainly with PyTorch."""
import ctypes
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import numpy as np
import torch

import abi
import experts

GUARD = 4096  # bytes on both sides of an arena that no kernel may touch
TYPES = {abi.F32: np.float32, abi.F64: np.float64, abi.I32: np.int32}
TORCH = {abi.F32: torch.float32, abi.F64: torch.float64, abi.BF16: torch.bfloat16}


class Arenas:
    """Bytes of each arena between guards; activations are NaN at first."""

    def __init__(self, model):
        self.model, program = model, model.program
        self.bytes = []
        for arena in range(abi.ARENAS):
            size = (program.arena_bytes[arena] if arena != abi.GRADIENTS else 0) + 2 * GUARD
            self.bytes.append(np.full(size + -size % 64, 0xFF if arena == abi.ACTIVATIONS else 0, np.uint8))
            self.bytes[-1][:GUARD] = 0xA5
            self.bytes[-1][-GUARD:] = 0xA5
        self.fill(np.random.RandomState(20))

    def place(self, buffer):
        """(arena, first byte) of a buffer."""
        if buffer.arena == abi.GRADIENTS:
            return abi.ACTIVATIONS, GUARD + self.model.program.gradients_begin + buffer.offset
        return buffer.arena, GUARD + buffer.offset

    def address(self, buffer):
        arena, start = self.place(buffer)
        return self.bytes[arena].ctypes.data + start

    def view(self, arena, offset, count, dtype):
        return self.bytes[arena][GUARD + offset :][: count * np.dtype(dtype).itemsize].view(dtype)

    def tensor(self, buffer, dtype, shape, strides):
        """A tensor that shares the memory of a buffer."""
        arena, start = self.place(buffer)
        size = torch.empty(0, dtype=TORCH[dtype]).element_size()
        whole = torch.from_numpy(self.bytes[arena])
        end = start + (sum((n - 1) * s for n, s in zip(shape, strides)) + 1) * size
        return whole[start:end].view(TORCH[dtype]).as_strided(shape, strides)

    def fill(self, random):
        program = self.model.program
        real, size = TYPES[program.dtype], np.dtype(TYPES[program.dtype]).itemsize
        for parameter in self.model.parameters:
            count = math.prod(parameter.shape[: parameter.rank])
            middle = parameter.init_a if parameter.init == 0 else 0.0
            values = middle + random.randn(count) * (0.1 if parameter.init == 0 or parameter.rank < 2 else
                                                     0.5 / math.sqrt(parameter.shape[1]))  # fmt: skip
            self.view(abi.PARAMETERS, parameter.offset * size, count, real)[:] = values
            if parameter.trainable:
                self.view(abi.MOMENT1, parameter.offset * size, count, real)[:] = 1e-3 * random.randn(count)
                self.view(abi.MOMENT2, parameter.offset * size, count, real)[:] = 1e-6 * random.rand(count)
        # Padding between gradients is zero; the gradients themselves are no numbers yet.
        self.view(abi.ACTIVATIONS, program.gradients_begin, program.trainable_elements, real)[:] = 0
        for table in self.model.tables:
            self.view(abi.TABLES, table.offset, table.rows * table.columns, real)[:] = values_of(table).ravel()
        rows = program.batch * program.length
        for offset in (program.input.tokens, program.input.targets):
            self.view(abi.INPUTS, offset, rows, np.int32)[:] = random.randint(0, program.vocabulary, rows)
        self.view(abi.INPUTS, program.input.weights, rows, real)[:] = (random.rand(rows) < 0.9) / rows
        self.view(abi.HYPER, 0, 8, real)[:] = [1e-3, 0.9, 0.98, 1e-6, 0.1, 0.1, 0.02, 1.0]


def values_of(table):
    """As abi.h describes tables."""
    if table.kind == 2:
        return np.repeat(abi.array(ctypes.c_double, table.numbers, table.rows), table.columns)
    column = np.arange(table.columns)
    half = max(1, table.rotated // 2)
    pair = column // 2 if table.interleaved else column % half
    first = column % 2 == 0 if table.interleaved else column < half
    angle = np.arange(table.rows)[:, None] * table.theta ** (-2.0 * pair / max(1, table.rotated))
    outside = column >= table.rotated
    if table.kind == 0:
        return np.where(outside, 1.0, np.cos(angle))
    return np.where(outside, 0.0, np.where(first, -1, 1) * np.sin(angle))


class Numbers:
    """What an operation that is called by name says of itself."""

    def __init__(self, args):
        self.values = {each.name.decode(): each.value for each in abi.array(abi.Number, args.numbers, args.number_count)}

    def integer(self, name):
        return int(self.values[name])


class Library:
    """Matmuls, attention, copies, operations by name on arenas of the host; sums in f32 at least."""

    def __init__(self, arenas):
        self.arenas = arenas

    def matmul(self, args):
        def operand(buffer, stride, rows, columns, transposed):
            shape = (columns, rows) if transposed else (rows, columns)
            tensor = self.arenas.tensor(buffer, args.dtype, shape, (stride, 1))
            return (tensor.T if transposed else tensor).to(sums)

        sums = torch.float64 if args.dtype == abi.F64 else torch.float32
        a = operand(args.a, args.lda, args.m, args.k, args.transpose_a)
        b = operand(args.b, args.ldb, args.k, args.n, args.transpose_b)
        c = self.arenas.tensor(args.c, args.dtype_c, (args.m, args.n), (args.ldc, 1))
        residual = self.arenas.tensor(args.d, args.dtype_c, (args.m, args.n), (args.ldd, 1)) if args.has_residual else c
        c.copy_(a @ b + residual if args.accumulate or args.has_residual else a @ b)

    def named(self, tensor):
        """The tensor of an operation that is called by name: rows lie apart, all else side by side."""
        shape, strides = tensor.shape[: tensor.rank], [1, tensor.row_stride][: tensor.rank]
        for size in shape[-2:0:-1]:
            strides.append(strides[-1] * size)
        return self.arenas.tensor(tensor.buffer, tensor.dtype, shape, strides[::-1])

    def library(self, args):
        tensors = [self.named(each) for each in abi.array(abi.Tensor, args.tensors, args.operands + args.results)]
        operands = [each.to(torch.float64).numpy() for each in tensors[: args.operands]]
        found = experts.OPERATIONS[args.name.decode()](Numbers(args), *operands)
        for result, value in zip(tensors[args.operands :], found if isinstance(found, tuple) else (found,), strict=True):
            result.copy_(torch.from_numpy(value))

    def heads(self, args, buffer, stride, heads, columns):
        shape, strides = (args.batch, heads, args.length, columns), (args.length * stride, columns, stride, 1)
        return self.arenas.tensor(buffer, args.dtype, shape, strides)

    def products(self, args, q, k):
        return q @ k.repeat_interleave(args.heads // args.kv_heads, 1).transpose(-1, -2) * args.scale

    def scores(self, args, q, k):
        scores = self.products(args, q, k)
        if args.cap:
            scores = args.cap * torch.tanh(scores / args.cap)
        token = torch.arange(args.length)
        distance = token[:, None] - token
        if args.alibi:
            slopes = 2 ** (-8 * torch.arange(1, args.heads + 1, dtype=scores.dtype) / args.heads)
            scores = scores - slopes[:, None, None] * distance
        if args.has_decay:
            sums = self.of_heads(args, args.decay).to(torch.float64).cumsum(1).transpose(1, 2)
            scores = scores + (sums[..., None] - sums[..., None, :]).to(scores.dtype)
        if args.reach:
            bias = self.reals(args, args.bias, args.heads, args.reach)
            scores = scores + bias[:, distance.clamp(0, args.reach - 1)]
        if args.causal:
            everywhere = torch.ones(args.length, args.length, dtype=torch.bool)
            hidden = everywhere.triu(1) | everywhere.tril(-args.window) if args.window else everywhere.triu(1)
            scores = scores.masked_fill(hidden, -math.inf)
        return scores

    def inputs(self, args):
        wide = torch.float64 if args.dtype == abi.F64 else torch.float32
        return [self.heads(args, *each).to(wide)
                for each in ((args.q, args.q_stride, args.heads, args.head_dim),
                             (args.k, args.k_stride, args.kv_heads, args.head_dim),
                             (args.v, args.v_stride, args.kv_heads, args.value_dim))]  # fmt: skip

    def reals(self, args, buffer, *shape):
        """A tensor without gaps, of numbers that are never bf16."""
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        return self.arenas.tensor(buffer, abi.F64 if args.dtype == abi.F64 else abi.F32, shape, strides)

    def of_heads(self, args, buffer):
        return self.reals(args, buffer, args.batch, args.length, args.heads)

    def lse(self, args):
        return self.reals(args, args.lse, args.batch, args.heads, args.length)

    def attention(self, args):
        q, k, v = self.inputs(args)
        scores = self.scores(args, q, k)
        lse = scores.logsumexp(-1)
        if args.has_sinks:
            sinks = self.reals(args, args.sinks, args.heads)
            lse = torch.logaddexp(lse, sinks[:, None])
            self.of_heads(args, args.share).copy_((sinks[:, None] - lse).exp().transpose(1, 2))
        self.lse(args).copy_(lse)
        y = (scores - lse[..., None]).exp() @ v.repeat_interleave(args.heads // args.kv_heads, 1)
        self.heads(args, args.o, args.o_stride, args.heads, args.value_dim).copy_(y)

    def attention_grad(self, args):
        of = args.forward
        q, k, v = self.inputs(of)
        group = of.heads // of.kv_heads
        p = (self.scores(of, q, k) - self.lse(of)[..., None]).exp()  # what sinks take is in lse
        grad = self.heads(of, args.d_o, args.do_stride, of.heads, of.value_dim).to(p.dtype)
        dp = grad @ v.repeat_interleave(group, 1).transpose(-1, -2)
        of_scores = p * (dp - (p * dp).sum(-1, keepdim=True))
        ds = of.scale * of_scores
        if of.cap:
            ds = ds * (1 - torch.tanh(self.products(of, q, k) / of.cap) ** 2)

        def of_groups(x):  # the sum over the query heads that share a key/value head
            return x.unflatten(1, (of.kv_heads, group)).sum(2)

        gradients = ((args.d_q, args.dq_stride, ds @ k.repeat_interleave(group, 1)),
                     (args.d_k, args.dk_stride, of_groups(ds.transpose(-1, -2) @ q)),
                     (args.d_v, args.dv_stride, of_groups(p.transpose(-1, -2) @ grad)))  # fmt: skip
        for buffer, stride, value in gradients:
            self.heads(of, buffer, stride, value.shape[1], value.shape[3]).copy_(value)
        if of.has_decay:
            of_sums = of_scores.to(torch.float64)
            of_sums = (of_sums.sum(-1) - of_sums.sum(-2)).transpose(1, 2)
            self.of_heads(of, args.d_decay).copy_(of_sums.flip(1).cumsum(1).flip(1))
        if of.reach:
            token = torch.arange(of.length)
            places = (token[:, None] - token).clamp(0, of.reach - 1).flatten()
            sums = torch.zeros(of.heads, of.reach, dtype=torch.float64)
            sums.index_add_(1, places, of_scores.to(torch.float64).sum(0).flatten(1))
            self.reals(of, args.d_bias, of.heads, of.reach).copy_(sums)

    def zero(self, buffer, count):
        arena, start = self.arenas.place(buffer)
        self.arenas.bytes[arena][start : start + count] = 0

    def copy(self, args):
        def rows(buffer, stride):
            arena, start = self.arenas.place(buffer)
            return np.lib.stride_tricks.as_strided(self.arenas.bytes[arena][start:], (args.rows, args.row_bytes), (stride, 1))

        rows(args.to, args.to_stride)[:] = rows(getattr(args, "from"), args.from_stride)
