"""What 1,024 ranks exchange in a step, each of them run alone over groups that carry nothing, is what `stretto check`
says: the order of the calls, their bytes and messages in each bucket and on each level, and the memory that ranks share out.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict

from programs import ROOT, empty, expect

folder = empty(sys.argv[1])
LIBRARIES = os.path.join(os.path.dirname(shutil.which("stretto-compile")), "..", "lib")
SHAPE = [f"{ROOT}/models/llama.stretto", "--vocab", "10000", "--length", "64", "--batch", "1", "--dtype", "f32", "--set", "dim=768",
         "--set", "layers=12"]


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def is_near(found, expected):
    return abs(found - expected) <= expected / 100


def compare(ranks, hosts, of_host):
    """A run of so many ranks."""
    where = f"{ranks} ranks on {hosts} hosts"
    check = json.loads(output("stretto", "check", *SHAPE, "--device", "h200", "--ranks", str(ranks), "--hosts", str(hosts), "--json"))
    began = time.monotonic()
    run = json.loads(output("stretto-dry-run", f"{folder}/model.so", str(ranks), str(of_host)))
    took = time.monotonic() - began
    calls, levels = run["calls"], check["exchange"]["levels"]
    sent, messages = defaultdict(int), defaultdict(int)
    for call in calls:
        sent[call["phase"], call["level"]] += call["bytes"] * (call["members"] - 1)
        messages[call["phase"], call["level"]] += call["members"] - 1
        expect(call["members"] == levels[call["level"]]["ranks"], f"{where}: {call} is among other ranks than {levels}")
    sizes = [call["bytes"] * call["members"] for call in calls if (call["phase"], call["level"]) == ("gradients", 0)]
    planned, buckets = check["exchange"]["buckets"], len(sizes)
    expect(buckets == len(planned) and all(map(is_near, sizes, planned)), f"{where}: buckets of {sizes} bytes, check says {planned}")
    for phase, expected in ("gradients", levels), ("weights", levels), ("squares", check["exchange"]["squares"]):
        for level, numbers in enumerate(expected):
            expect(is_near(sent[phase, level], numbers["bytes_sent"]) and messages[phase, level] == numbers["messages"],
                   f"{where}: {phase} at level {level}: {sent[phase, level]} bytes in {messages[phase, level]} messages; check says "
                   f"{numbers}")
    # Gradients go up the levels, bucket by bucket; squares and weights come down.
    up = list(range(len(levels)))
    order = {phase: [call["level"] for call in calls if call["phase"] == phase] for phase in ("gradients", "squares", "weights")}
    expect(order == {"gradients": up * buckets, "squares": up[::-1], "weights": up[::-1] * buckets}, f"{where}: {order}")
    expect({(call["phase"], call["collective"]) for call in calls}
           == {("gradients", "exchange"), ("squares", "gather"), ("weights", "gather")}, f"{where}: {calls}")
    for item in "moments", "staging":
        says = check["memory"]["items"][item]
        expect(is_near(run[item], says), f"{where}: {run[item]} bytes of {item}, check says {says}")
    print(f"{where}: {len(calls)} calls of a rank in {buckets} buckets, {took:.1f} s")


output("stretto-compile", *SHAPE, "--target", "cuda", "--emulate", "--emit=object", "-o", f"{folder}/model.o")
output("ld", "-shared", f"{folder}/model.o", f"-L{LIBRARIES}", "-rpath", LIBRARIES, "-lstretto_emulator", "-o", f"{folder}/model.so")
compare(1024, 128, 8)
compare(48, 12, 4)
