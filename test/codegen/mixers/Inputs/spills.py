"""Says how many bytes each kernel of some mixers spills; sm_90a, bf16. On a device with one multiprocessor these are forward, states
of the chunks, backward; on a large one there are those of spans, too."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from mixers import Mixer  # noqa: E402


def mixer(keys, values, erases=None, **options):
    return Mixer(erases, keys=keys, values=values, batch=1, time=4096, segment=512, element="bf16", **options)


MIXERS = {"gla": mixer(128, 256, by_channel=True), "gla_documents": mixer(64, 128, by_channel=True, documents=True),
          "gla_small": mixer(64, 64, by_channel=True, documents=True),
          "gdn": mixer(128, 256, "beta"), "gdn_documents": mixer(128, 128, "beta", documents=True),
          "kda": mixer(64, 64, "beta", by_channel=True), "kda_documents": mixer(128, 128, "beta", by_channel=True, documents=True)}  # fmt: skip
PASSES = ["choose-cuda-schedule", "name-cuda-kernels", "lower-cuda-kernels", "report-cuda-resources"]

module = "".join(mixer.module(name) for name, mixer in MIXERS.items())
for processors in (1, 132):
    command = ["stretto-opt", f"--kern-expand-mixers=processors={processors}", *(f"--kern-{name}" for name in PASSES)]
    done = subprocess.run(command, input=module, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    found = re.findall(r'kern.walk kernel "(\S+)".* spill_bytes (\d+),', done.stdout)
    print("".join(f"{name} spills {count} bytes\n" for name, count in found if int(count)), end="")
    print(f"{processors} multiprocessors: {len(found)} tile programs")
