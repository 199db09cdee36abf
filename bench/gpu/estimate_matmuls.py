"""Matmuls on tensor cores of our own, estimated: those of a layer that kernels of rows may lie in, against cuBLASLt's as a step counts them."""
import setting  # finds test/gpu
from compiled import compile_kernels, kernels_of
from products import product_text

ROWS = (16, 2048)
MATMULS = {"gate and up": (768, 4096, True), "queries, keys, values": (768, 2304, True), "down": (2048, 768, True),
           "gradient of down": (768, 2048, False)}  # name: terms, columns, whether the weight is transposed  # fmt: skip


def text_of(k, n, transposed):
    rows, weight = "x".join(map(str, ROWS)), f"{n}x{k}" if transposed else f"{k}x{n}"
    matmul = product_text("main.matmul0", "%y", "%x", "%w", "transposed" if transposed else "rows", rows, k, n)
    return f"""func.func @main(%x: tensor<{rows}x{k}xbf16>, %w: tensor<{weight}xbf16>) -> tensor<{rows}x{n}xbf16> {{
  {matmul}
  return %y : tensor<{rows}x{n}xbf16>
}}"""


def estimate_matmuls(build, estimate_kernel, library_flops):
    """Each kernel with its launch; `library_flops`: of cuBLASLt in a second."""
    matmuls = []
    for name, (k, n, transposed) in MATMULS.items():
        for kernel, code in kernels_of(compile_kernels(build, text_of(k, n, transposed))):
            library = kernel.flops / library_flops
            matmuls.append(vars(kernel) | estimate_kernel(kernel, code) | {"name": name, "terms": k, "columns": n, "library_seconds": library})
    return matmuls


def lines_of(matmuls):
    lines = ["", "## Matmuls of our own: estimated", "", f"{ROWS[0]} x {ROWS[1]} rows, bf16, without row operations in the epilogue.", "",
             "| matmul | terms | columns | us | limit | share of the peak | cuBLASLt, us | blocks x threads | registers | spilled |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for m in matmuls:
        sure = "" if m["is_sure"] else "at least "
        lines.append(f"| {m['name']} | {m['terms']} | {m['columns']} | {sure}{1e6 * m['seconds']:.0f} | {m['limit']} | {100 * m['peak']:.0f} % | "
                     f"{1e6 * m['library_seconds']:.0f} | {m['grid'][0]} x {m['block']} | {m['registers']} | {m['spill_bytes']} |")  # fmt: skip
    return lines
