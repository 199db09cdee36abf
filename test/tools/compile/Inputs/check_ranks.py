"""Compares `check --json` on 16 ranks of two hosts, 32 virtual ranks with 3 micro-batches each, with `summary --json` of the
same model for the same target, and with a summary for the batch that is said to fit."""
import json
import sys

check, summary, largest = (json.load(open(path)) for path in sys.argv[1:4])
arenas, memory = summary["arenas"], check["memory"]["items"]
trainable = arenas["gradients"]
exchange = check["exchange"]

assert memory["parameters"] == max(arenas["parameters"], check["exchange"]["bytes"]) and memory["rounded"] == arenas["rounded"], memory
assert memory["activations"] == max(arenas["activations"], exchange["bytes"]), memory
assert memory["moments"] == 2 * exchange["bytes_owned"] == 2 * exchange["bytes"] // 16, memory
assert exchange["bytes_owned"] % (4 * 512) == 0 and 0 <= exchange["bytes"] - trainable < trainable / 100, exchange
assert sum(exchange["buckets"]) == exchange["bytes"] and memory["staging"] == max(exchange["buckets"]), exchange
assert memory["accumulator"] == memory["pending"] == trainable, memory  # two virtual ranks: one waits
squares = max(arenas["squares"], exchange["bytes"] // 512)
counted = {"squares", "parameters", "rounded", "activations", "gradients", "moment1", "moment2", "accumulator"}
assert memory["other"] == squares + sum(bytes for name, bytes in arenas.items() if name not in counted), memory
assert check["memory"]["bytes"] == sum(memory.values()), check["memory"]
assert check["tokens_per_step"] == 32 * 3 * 2 * 16, check
assert check["step"]["micro_batches"] == 6, check["step"]

levels = exchange["levels"]
assert [(level["ranks"], level["across_hosts"]) for level in levels] == [(8, False), (2, True)], levels
count = len(exchange["buckets"])
assert count > 1 and [level["messages"] for level in levels] == [7 * count, count], levels
assert levels[0]["bytes_sent"] == exchange["bytes"] * 7 // 8, levels
assert levels[1]["bytes_held"] == exchange["bytes"] // 8, levels
assert exchange["squares"][0]["bytes_sent"] == exchange["bytes"] // 512 * 7 // 8, exchange

overlap = check["step"]["overlap"]
assert [way["done"] for way in overlap] == [False, False, True], overlap
assert 0 == overlap[0]["hidden_seconds"] < overlap[1]["hidden_seconds"] < overlap[2]["hidden_seconds"], overlap
assert all(number["value"] > 0 and number["source"] for number in check["device"]["numbers"].values()), check["device"]

# What is said to fit does, by the plan for it. (The smaller batch needs more than its share: what is not of tokens.)
fixed = check["memory"]["bytes"] - memory["activations"]
assert fixed + largest["arenas"]["activations"] <= check["memory"]["available"], largest["arenas"]
assert check["memory"]["fits"] and check["memory"]["largest_batch"] > 2, check["memory"]
