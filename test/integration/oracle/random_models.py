"""Random models through all passes, against PyTorch in f64. Arguments: the first seed and how many."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from oracle import Case, check_all
from random_specs import random_spec


def case(seed):
    text, batch, length, vocabulary = random_spec(seed)
    return Case(f"seed {seed}", text, {}, batch, length, vocabulary)


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    sys.exit(check_all([case(seed) for seed in range(first, first + count)]) != 0)
