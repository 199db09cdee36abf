"""What blocks and repeats of a spec are called does not tell the stage, and leaves the entry points their names.

RUN: %python3 %s %t
"""
import re
import subprocess
import sys
from pathlib import Path

SPEC = """model m(vocab = 16, dim = 16) {{
  block {name}(x) {{ return x + linear(rms_norm(x), dim) }}
  x = embed(tokens, vocab, dim)
  repeat 3 named {scope} {{ x = x + linear(rms_norm(x), dim) }}
  return linear({name}(x), vocab)
}}
"""
ENTRIES = {"decode_one", "decode_chunk", "evaluate", "gradients", "squares", "norm", "apply", "accumulate",
           "take_accumulated"}


def compile_to(stage, file, *options):
    command = ["stretto-compile", file, *options, f"--emit={stage}"]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
for name in ("gradients", "evaluate", "squares", "apply", "accumulate", "decode_one", "kernels", "stretto_compiled_program"):
    for block, scope in ((name, "layers"), ("other", name)):
        spec, module = out / "m.stretto", out / "m.mlir"
        spec.write_text(SPEC.format(name=block, scope=scope))
        module.write_text(compile_to("seq", spec, "--batch", "2", "--length", "8"))
        kernels = compile_to("kernels", module, "--decode", "4")
        entries = set(re.findall(r"func\.func @(\w+)\(", kernels))
        assert entries == ENTRIES, f"{name}, {scope}: {sorted(entries ^ ENTRIES)}"
