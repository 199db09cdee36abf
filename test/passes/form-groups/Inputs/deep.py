"""Prints a function of so many layers that are written out: a matmul and an elementwise operation each."""
import sys

print("func.func @main(%x0: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {")
layers = int(sys.argv[1])
for i in range(layers):
    print(f"  %y{i} = seq.linear %x{i}, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>")
    print(f"  %x{i + 1} = math.tanh %y{i} : tensor<2x8x16xf32>")
print(f"  return %x{layers} : tensor<2x8x16xf32>\n}}")
