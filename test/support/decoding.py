"""Grows sequences by the decode entries of a compiled model, and compares with PyTorch's logits of whole sequences."""
import os

import numpy as np
import torch

from decoder import Decoder
from oracle import emitted_module, logits_of, model_of, outputs_of, random_weights, seq_module
from training_program import compile_object, write_safetensors


class Setting:
    """A case with weights, tokens and what PyTorch makes of them."""

    def __init__(self, case, seed, rows=0, model=None):
        self.rng = np.random.default_rng(seed)
        self.case = case
        self.model = model or model_of(emitted_module(seq_module(case, "--f64")))
        if not model:
            random_weights(self.model, self.rng)
        self.tokens = self.rng.integers(0, case.vocabulary, (rows or case.batch, case.length))
        with torch.no_grad():
            tokens = torch.from_numpy(self.tokens)
            self.logits = logits_of(outputs_of(self.model, tokens, targets=tokens)).numpy()

    def decoder(self, folder, chunk, *options, dtype="f64"):
        return self.decoder_of(compile_object(self.case, folder, "--decode", str(chunk), *options, dtype=dtype), folder, dtype)

    def decoder_of(self, shared, folder, dtype="f64"):
        weights, real = os.path.join(folder, "weights.safetensors"), np.float64 if dtype == "f64" else np.float32
        write_safetensors(weights, {name: weight.numpy().astype(real) for name, weight in self.model.state_dict().items()})
        return Decoder("stretto-decode", shared, weights)

    def grow(self, decoder, pieces):
        """All logits seen while the sequences of the batch grow by `pieces` (lists of lengths by slot), side by side."""
        for slot in range(self.case.batch):
            decoder.restart(slot)
        done, seen = [0] * self.case.batch, {}
        for step in range(max(map(len, pieces))):
            tokens = {}
            for slot, lengths in enumerate(pieces):
                if step < len(lengths) and lengths[step]:
                    tokens[slot] = self.tokens[slot, done[slot] : done[slot] + lengths[step]]
                    done[slot] += lengths[step]
            for slot, logits in decoder.append(tokens).items():
                seen[slot, done[slot] - 1] = logits
        return seen

    def error(self, seen):
        """The largest difference from PyTorch, over the largest logit."""
        scale = np.abs(self.logits).max()
        return max(np.abs(logits - self.logits[place]).max() / scale for place, logits in seen.items())


def random_pieces(rng, length, most):
    """Lengths from 0 to `most` that add up to `length`."""
    pieces = []
    while sum(pieces) < length:
        pieces.append(int(rng.integers(0, min(most, length - sum(pieces)) + 1)))
    return pieces
