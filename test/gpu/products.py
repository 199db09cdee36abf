"""Matmuls of our own that store what they multiply, and nothing else: as text, and in the place of a program's."""
import re

NAME = "product"  # the last part of the names of such kernels in a program
FORMS = {"linear": "transposed", "linear_input_grad": "rows"}  # how the weight lies, by the operation
FUNCTION = re.compile(r"(?m)^(?=  func\.func )")
MATMUL = re.compile(r"(%\S+) = seq\.(linear|linear_input_grad) (%\S+), (%\S+) : "
                    r"tensor<(\S+)x(\d+)xbf16>, tensor<(\S+)xbf16> -> tensor<\S+x(\d+)xbf16>")  # fmt: skip


def product_text(name, result, x, weight, form, rows, terms, columns):
    """`rows`: the dimensions of x but the last, as in 16x2048."""
    held = f"{columns}x{terms}" if form == "transposed" else f"{terms}x{columns}"
    return f"""{result} = kern.matmul kernel "{name}" {x} by {weight} as {form} epilogue() maps [] {{
    ^bb0(%sums: tensor<{columns}xf32>):
      %rounded = arith.truncf %sums : tensor<{columns}xf32> to tensor<{columns}xbf16>
      kern.yield %rounded : tensor<{columns}xbf16>
    }} : (tensor<{rows}x{terms}xbf16>, tensor<{held}xbf16>) -> tensor<{rows}x{columns}xbf16>"""


def with_products(text, functions):
    """A program of the stage `fused`, with kernels apart, in which the first matmul of some functions is such a kernel."""

    def replaced(part):
        name = next((each for each in functions if f"func.func private @{each}(" in part), None)
        if not name:
            return part
        made, count = MATMUL.subn(lambda m: product_text(f"{name}.{NAME}", m[1], m[3], m[4], FORMS[m[2]], m[5], m[6], m[8]), part, 1)
        if not count:
            raise ValueError(f"no matmul of bf16 in @{name}")
        return made

    return "".join(map(replaced, FUNCTION.split(text)))
