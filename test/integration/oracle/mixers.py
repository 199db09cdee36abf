"""Random models around linear mixers in f64 against PyTorch: loss, gradients and evaluation; every fourth has documents that
share rows. Arguments: `compiled`, where every fourth also generates text, or `passes` (the interpreter's results after all
passes, which takes a fraction of the time), the first seed and how many."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
sys.path.insert(0, os.path.dirname(__file__))
import decoding
import oracle
import torch
from oracle import PLENTY, TOLERANCE, Case, check_all, setting_of
from programs import step_problems
from random_mixers import random_mixer_spec
from random_specs import random_loss
from training_program import Programs, compile_object


def case(seed):
    text, batch, length, vocabulary = random_mixer_spec(seed)
    nll_square, z_loss = random_loss(seed)
    budget = PLENTY if seed % 3 else 0  # states for each 64 tokens, or 256
    return Case(f"mixers {seed}", text, {}, batch, length, vocabulary, memory_budget=budget, nll_square=nll_square, z_loss=z_loss,
                documents=seed % 4 == 2)  # fmt: skip


def generated_problems(case, seed, model, shared, chunk, folder):
    """What a program writes otherwise than PyTorch, in pieces of random lengths and token by token."""
    setting = decoding.Setting(case, seed, model=model)
    decoder = setting.decoder_of(shared, folder)
    plans = [[decoding.random_pieces(setting.rng, case.length, chunk) for _ in range(case.batch)], [[1] * case.length] * case.batch]
    errors = [setting.error(setting.grow(decoder, pieces)) for pieces in plans]
    decoder.close()
    return [f"generated in {how}: error {error:.2e}" for how, error in zip(("pieces", "tokens"), errors) if not error <= TOLERANCE]


def checker():
    programs = Programs()

    def check(case, seed):
        setting, generates, chunk = setting_of(case, seed), seed % 4 == 1, 1 + seed % min(case.length, 40)
        with tempfile.TemporaryDirectory() as folder:
            shared = compile_object(case, folder, *(["--decode", str(chunk)] if generates else []))
            problems = step_problems(programs.step(shared, setting.parameters, setting.data), setting)
            problems += generated_problems(case, seed, setting.model, shared, chunk, folder) if generates else []
        return "; ".join(problems)

    return check


def main(kind, first, count):
    torch.set_num_threads(1)  # other tests run on the other cores
    cases = [case(seed) for seed in range(int(first), int(first) + int(count))]
    if kind == "compiled":
        return check_all(cases, checker(), int(first))
    return check_all(cases, oracle.check, int(first))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) != 0)
