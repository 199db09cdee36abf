"""Programs whose matmuls of bf16 are kernels of ours (kern.matmul), emulated, train as those that call the library; the same bits in any
order of warps and blocks. No pass makes such matmuls for CUDA: the test does, of the IR behind the phase `fused`.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import re
import sys

from programs_cuda import EMULATE, LLAMA, SMALL, TWO_LAYERS, compare, digest, empty, expect, program, read, run, train

folder, STEPS = empty(sys.argv[1]), 20
MATMUL = re.compile(r"(%\w+) = seq\.(linear|linear_input_grad) (%[\w#]+), (%[\w#]+) : tensor<(\w+x(\d+)xbf16)>, tensor<(\w+)> -> tensor<(\w+x\w+x(\d+)xbf16)>")


def kernel_of(match):
    result, operation, left, weight, left_type, depth, weight_type, result_type, columns = match.groups()
    if int(depth) % 8:  # the gradient of the logits: TMA cannot read such rows
        return match[0]
    form, gradient = ("transposed", "") if operation == "linear" else ("rows", "gradient")
    return f"""{result} = kern.matmul kernel "matmul{match.start()}" {left} by {weight} as {form} epilogue() maps [] {gradient} {{
    ^bb0(%row: tensor<{columns}xf32>):
      %rounded = arith.truncf %row : tensor<{columns}xf32> to tensor<{columns}xbf16>
      kern.yield %rounded : tensor<{columns}xbf16>
    }} : (tensor<{left_type}>, tensor<{weight_type}>) -> tensor<{result_type}>"""


llama = (LLAMA, *TWO_LAYERS, *EMULATE, "--dtype", "bf16")
run("stretto", "compile", *llama, "--emit=fused", "-o", f"{folder}/library.mlir")
text = MATMUL.sub(kernel_of, read(f"{folder}/library.mlir").decode())
expect(text.count("kern.matmul kernel") == 8, "eight matmuls that become kernels")
with open(f"{folder}/own.mlir", "w", encoding="utf-8") as file:
    file.write(text)
run("stretto", "compile", f"{folder}/own.mlir", *SMALL, *EMULATE, "-o", f"{folder}/own")

train(program(*llama), f"{folder}/library-run", STEPS)
train(f"{folder}/own", f"{folder}/own-run", STEPS)
compare("own matmuls", f"{folder}/own-run", f"{folder}/library-run", STEPS, loss=5e-4, weight=5e-3)
train(f"{folder}/own", f"{folder}/own-order", STEPS, "--threads", 2, seed=1, checks="full")
expect(digest(f"{folder}/own-order", STEPS) == digest(f"{folder}/own-run", STEPS), "other bits in another order")
