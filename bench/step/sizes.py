"""The measured models and shapes."""
import os
from dataclasses import dataclass

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

# Name -> width, layers, batch, length.
SHAPES = {"64": (64, 4, 8, 256), "256": (256, 4, 4, 512), "768": (768, 2, 2, 512), "256-long": (256, 2, 1, 2048)}
VOCABULARY = 512

# What our programs are compiled with, by what is measured. The last one has all convolutions, as PyTorch's have that have
# any; Canon's cost is that of the last over the one before.
LLAMA = {"none": "{}", "canon": "{A, B, C, D}"}
MIXER = {"none": "{}", "b": "{b}", "canon": "{A, b, C, D}"}
CANON_SETS = {"llama": LLAMA, "gla": MIXER, "gdn": MIXER, "mamba2": MIXER}


@dataclass(frozen=True)
class Case:
    """A spec and the sizes that it is compiled for. `values`: of the parameters of its model, by name."""

    spec: str
    values: dict
    batch: int
    length: int
    vocabulary: int = VOCABULARY

    def compile_command(self, compiler):
        settings = [word for name, value in self.values.items() for word in ("--set", f"{name}={value}")]
        return [compiler, self.spec, "--batch", str(self.batch), "--length", str(self.length), "--vocab",
                str(self.vocabulary), *settings]


def case(model, shape, canon):
    """A model of the folder models in one of the shapes; `canon` is a key of its CANON_SETS."""
    width, layers, batch, length = SHAPES[shape]
    return Case(f"{ROOT}/models/{model}.stretto", {"dim": width, "layers": layers, "canon_at": CANON_SETS[model][canon]},
                batch, length)
