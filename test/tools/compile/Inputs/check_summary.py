"""Compares a summary of models/hello.stretto (vocab 40, batch 2, length 16, dim 16, 3 layers) with hand counts."""
import json
import sys

summary = json.load(open(sys.argv[1]))
dim, layers, vocab, rows, length = 16, 3, 40, 2 * 16, 16
layer = 4 * dim * dim + 8 * dim * dim + 2 * dim
blocks = {block["name"]: block for block in summary["blocks"]}
assert blocks["layers.{}.layer"]["parameters"] == layers * layer, blocks
assert summary["total"]["parameters"] == layers * layer + 2 * vocab * dim + dim, summary["total"]
matmuls = 2 * rows * (layers * 12 * dim * dim + vocab * dim)
attention = layers * 4 * rows * dim * length / 2
assert summary["total"]["flops_forward"] == matmuls + attention, summary["total"]
assert summary["total"]["flops_backward"] == 2 * matmuls + 2.5 * attention, summary["total"]
assert blocks["layers.{}.layer"]["flops_forward"] == 2 * rows * layers * 12 * dim * dim + attention, blocks
assert "model" not in blocks or blocks["model"]["flops_forward"] == 0, blocks
assert summary["planned_bytes"] == sum(v for k, v in summary["arenas"].items() if k not in ("accumulator", "gradients"))
