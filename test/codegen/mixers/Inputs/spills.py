"""Says how many bytes each kernel of some mixers spills; sm_90a, bf16. On a device with one multiprocessor these are forward, states
of the chunks, backward; on a large one there are those of spans, too."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from mixers import Mixer  # noqa: E402

SIZES = {"keys": 128, "values": 256, "batch": 1, "time": 4096, "segment": 512, "element": "bf16"}
MIXERS = {"gla": Mixer(by_channel=True, **SIZES), "gdn": Mixer("beta", **SIZES)}
PASSES = ["choose-cuda-schedule", "name-cuda-kernels", "lower-cuda-kernels", "report-cuda-resources"]

module = "".join(mixer.module(name) for name, mixer in MIXERS.items())
for processors in (1, 132):
    command = ["stretto-opt", f"--kern-expand-mixers=processors={processors}", *(f"--kern-{name}" for name in PASSES)]
    done = subprocess.run(command, input=module, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    for name, count in re.findall(r'kern.walk kernel "(\S+)".* spill_bytes (\d+),', done.stdout):
        print(f"{processors}: {name}: {count} bytes")
