"""Text on the device: logits after each token or group of tokens against PyTorch's of the whole sequence.

    decode.py FOLDER WEIGHTS SEED
"""
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from decoder import Decoder  # noqa: E402

import machine  # noqa: E402

TOLERANCE = 1e-4  # of the largest logit
CHUNK = 4  # tokens that a sequence grows by at most


def expected_logits(folder, weights, tokens):
    torch.backends.cuda.matmul.allow_tf32 = False
    device, emitted = "cuda" if torch.cuda.is_available() else "cpu", {}
    path = f"{folder}/modules/decoder.py"
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), emitted)
    with torch.no_grad():
        return emitted["load_stretto"](weights).to(device)(torch.from_numpy(tokens).to(device)).cpu().numpy()


def grow(decoder, tokens, expected, random):
    """Lets all sequences grow to their end; the largest error."""
    done, worst, counts = np.zeros(len(tokens), int), 0.0, {1: 0, CHUNK: 0}
    while min(done) < tokens.shape[1]:
        most = CHUNK if sum(counts.values()) % 2 else 1
        sizes = np.minimum(random.randint(1, most + 1, len(tokens)), tokens.shape[1] - done)
        counts[most] += 1
        given = {slot: tokens[slot, at : at + size] for slot, (at, size) in enumerate(zip(done, sizes)) if size}
        done += sizes
        for slot, logits in decoder.append(given).items():
            right = expected[slot, done[slot] - 1]
            worst = max(worst, np.abs(logits - right).max() / np.abs(right).max())
    return worst, counts


def main(folder, weights, seed):
    shape = machine.facts_of(folder, "decoder", "checks")["decoder"]
    random, decoder = np.random.RandomState(int(seed)), Decoder(
        f"{folder}/programs/stretto-decode", f"{folder}/decoder/model.so", weights)
    worst, counts = 0.0, {}
    for _ in range(2):
        tokens = random.randint(0, shape["vocabulary"], (shape["batch"], shape["length"]))
        found, counts = grow(decoder, tokens, expected_logits(folder, weights, tokens), random)
        worst = max(worst, found)
        for slot in range(shape["batch"]):
            decoder.restart(slot)
    text = f"error {worst:.1e} of the largest logit, {counts[1]} times one token, {counts[CHUNK]} times up to {CHUNK}"
    print(text)
    return int(worst > TOLERANCE or min(counts.values()) < 3)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
