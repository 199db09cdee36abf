"""Random models through all passes, against PyTorch in f64; every fourth has documents that share rows. Arguments: the first
seed and how many."""
import os
import sys
from dataclasses import replace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import minimum_kernels
from oracle import PLENTY, Case, check_all, fused, run_both, seq_module
from random_specs import SMALL, random_loss, random_spec


def cases(first, count):
    return [case(seed) for seed in range(first, first + count)]


def case(seed, wide=False, sizes=SMALL):
    text, batch, length, vocabulary = random_spec(seed, wide, sizes)
    nll_square, z_loss = random_loss(seed)
    return Case(f"seed {seed}", text, {}, batch, length, vocabulary, memory_budget=0 if seed % 3 else PLENTY,
                nll_square=nll_square, z_loss=z_loss)


def kernel_problems(case):
    """What is wrong with the number of kernels; at a batch and length that no other dimension of such a model has."""
    case = replace(case, batch=17, length=19)
    flags = ["--mlir-print-ir-after=kern-form-groups", "--mlir-disable-threading", "--remarks-filter=fusion"]
    _, said = run_both(fused(case, *flags), seq_module(case, "--f64"))
    return minimum_kernels.count(said, said, "17x19")[0]


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    drawn = [replace(each, documents=seed % 4 == 2) for seed, each in enumerate(cases(first, count), first)]
    sys.exit(check_all(drawn, first=first) != 0)
