"""Text of programs whose kernels of rows lie in the epilogues of matmuls (bf16, emulated) against that of programs with kernels apart:
the same logits up to rounding and the same most likely tokens, while prompts are taken in chunks and text goes on token by token.

REQUIRES: compiler, runtime
RUN: %python %s %models %t
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import numpy as np
import torch
from decoding import Setting
from oracle import Case, options_of

models, folder = sys.argv[1:]
EMULATED = ("--target=cuda", "--emulate")
CHUNK, PROMPT, LENGTH, VOCABULARY = 8, 19, 40, 31
TOLERANCE = 0.02  # of the largest logit: a few roundings to bf16 that fall the other way
SIZE = {"dim": 64, "layers": 2, "heads": 2}
# Settings, and how many matmuls of a layer have an epilogue while a chunk is taken: rotation and SwiGLU, unless Canon stands between.
CASES = {"all of Canon": ({}, 0), "no Canon": ({"canon_at": "{}"}, 2), "A and C": ({"canon_at": "{A, C}", "qk_norm": "head"}, 2)}


def expect(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


def decoder_of(setting, fuse):
    path = os.path.join(folder, f"{setting.case.name}-{fuse}")
    os.makedirs(path, exist_ok=True)
    return setting.decoder(path, CHUNK, *EMULATED, f"--fuse={fuse}", dtype="bf16")


def matmuls_of_chunk(case):
    command = ["stretto-compile", case.spec, *options_of(case), *EMULATED, "--dtype=bf16", f"--decode={CHUNK}", "--fuse=always", "--emit=fused"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return text.count('kern.matmul kernel "layers.decode_chunk.')


def take_prompts(decoder, prompts):
    """In chunks, the last one shorter; other lengths in each sequence. The logits behind them."""
    found = {}
    for at in range(0, PROMPT, CHUNK):
        found |= decoder.append({slot: tokens[at : at + CHUNK] for slot, tokens in enumerate(prompts) if len(tokens) > at})
    return found


def compare(name, fused, apart, place):
    """How far logits are apart, of the largest one. Where another token is the most likely one, both are, up to rounding."""
    scale, off = np.abs(apart).max(), np.abs(fused - apart).max()
    expect(off <= TOLERANCE * scale, f"{name}, {place}: logits are apart by {off / scale:.1e} of the largest one")
    expect(apart.max() - apart[fused.argmax()] <= 2 * off, f"{name}, {place}: token {fused.argmax()} instead of {apart.argmax()}")
    return off / scale


def check(name, settings, matmuls, seed):
    case = Case(name, os.path.join(models, "llama.stretto"), SIZE | settings, batch=3, length=LENGTH, vocabulary=VOCABULARY)
    expect(matmuls_of_chunk(case) == matmuls, f"{name}: {matmuls} matmuls with an epilogue, not {matmuls_of_chunk(case)}")
    setting = Setting(case, seed)
    decoders = [decoder_of(setting, fuse) for fuse in ("always", "rows")]
    prompts = [list(tokens[: PROMPT - slot]) for slot, tokens in enumerate(setting.tokens)]
    logits, worst, same = [take_prompts(decoder, prompts) for decoder in decoders], 0.0, 0
    for place in range(LENGTH - PROMPT):
        text = {slot: [int(logits[0][slot].argmax())] for slot in logits[0]}
        worst = max(worst, *(compare(name, *(each[slot] for each in logits), place) for slot in text))
        same += sum(text[slot][0] == logits[1][slot].argmax() for slot in text)
        logits = [decoder.append(text) for decoder in decoders]
    for decoder in decoders:
        decoder.close()
    print(f"{name}: logits apart by at most {worst:.1e} of the largest, {same} of {3 * (LENGTH - PROMPT)} tokens the same")


torch.set_num_threads(1)
for seed, (name, (settings, matmuls)) in enumerate(CASES.items()):
    check(name, settings, matmuls, seed)
