"""Compares what the passes make of a spec, run by the interpreter, with PyTorch's autograd of the emitted module."""
import copy
import functools
import inspect
import os
import re
import shlex
import subprocess
import tempfile
import traceback
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from interpret import Program

TOLERANCE = 1e-10
PLENTY = 1 << 40  # bytes
SPREAD = 8  # draws of rounding differ by this


@dataclass
class Case:
    name: str
    spec: str  # text, or the path of a .stretto file
    settings: dict = field(default_factory=dict)
    batch: int = 2
    length: int = 7
    vocabulary: int = 11
    memory_budget: int = 0  # bytes that saved values may take; 0: the compiler's choice
    finite_differences: bool = False  # also compare with these
    documents: bool = False  # rows hold several, which are kept apart
    nll_square: float = 0.0  # coefficients of terms of the loss
    z_loss: float = 0.0

    @property
    def terms(self):
        return self.nll_square, self.z_loss


def run_both(command, text=None):
    """What a command writes to its standard output and to its standard error."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    return done.stdout, done.stderr


def run(command, text=None):
    return run_both(command, text)[0]


def options_of(case):
    """The options of a case for stretto-compile."""
    sizes = ["--batch", str(case.batch), "--length", str(case.length), "--vocab", str(case.vocabulary)]
    budget = ["--memory-budget", str(case.memory_budget)] if case.memory_budget else []
    documents = ["--mask-documents"] if case.documents else []
    loss = [f"--nll-square={case.nll_square}", f"--z-loss={case.z_loss}"]
    return sizes + [f"--set={name}={value}" for name, value in case.settings.items()] + budget + documents + loss


def write_spec(case, folder):
    """The path of the spec; its text is written to the folder."""
    if case.spec.endswith(".stretto"):
        return case.spec
    path = os.path.join(folder, "spec.stretto")
    with open(path, "w") as file:
        file.write(case.spec)
    return path


def seq_module(case, *flags):
    """The module of the front end, with the places of its values."""
    with tempfile.TemporaryDirectory() as folder:
        shape = [f"--batch={case.batch}", f"--length={case.length}", f"--vocabulary={case.vocabulary}"]
        settings = [f"--set={name}={value}" for name, value in case.settings.items()]
        text = run(["stretto-frontend-test", write_spec(case, folder), "--locations", *flags, *shape, *settings])
    facts = ["seq.documents = 0 : i64, "] if case.documents else []
    facts += [f"seq.{name} = {term:.17e} : f64, " for name, term in zip(("nll_square", "z_loss"), case.terms) if term]
    return text.replace("module attributes {", "module attributes {" + "".join(facts), 1)


def emitted_module(text):
    """The namespace of the PyTorch module for a module of the front end."""
    source = run(["stretto-translate", "--stretto-to-pytorch"], text)
    namespace = {}
    exec(compile(source, "<emitted>", "exec"), namespace)
    return namespace


def model_of(namespace):
    """The model: the last class of an emitted module."""
    classes = [each for each in namespace.values() if isinstance(each, type) and issubclass(each, torch.nn.Module)]
    return classes[-1]().double()


def random_weights(model, rng):
    """Weights far from the initial ones, so that no term of a gradient is small."""
    with torch.no_grad():
        for weight in model.parameters():
            spread = 0.5 if weight.ndim == 1 else weight.shape[-1] ** -0.5
            value = spread * rng.normal(size=tuple(weight.shape)) + (1.0 if weight.ndim == 1 else 0.0)
            weight.copy_(torch.from_numpy(value))


def random_data(case, rng):
    shape = (case.batch, case.length)
    tokens, targets = (rng.integers(0, case.vocabulary, shape) for _ in range(2))
    weights = rng.random(shape) * (rng.random(shape) < 0.8)
    if not weights.any():
        weights.flat[0] = 1  # batches that weigh nothing are refused
    return (tokens, targets, weights, random_positions(shape, rng)) if case.documents else (tokens, targets, weights)


def random_positions(shape, rng):
    """Places of tokens in documents of all lengths."""
    positions = np.zeros(shape, np.int64)
    for row in positions:
        begins = rng.random(shape[1]) < rng.choice([0.0, 0.1, 0.4, 1.0])
        for t in range(1, shape[1]):
            row[t] = 0 if begins[t] else row[t - 1] + 1
    return positions


@dataclass
class Results:
    loss: float
    gradients: dict  # by name
    nll: np.ndarray
    predicted: np.ndarray


def torch_results(model, tokens, targets, weights, *positions, terms=(0.0, 0.0)):
    """Of the loss that programs have: a weighted sum over tokens of the negative log-likelihood, its square times the first
    of `terms`, the square of the log-sum-exp of the logits times the second, and what the model adds."""
    tokens, targets, weights, *positions = (torch.from_numpy(x) for x in (tokens, targets, weights, *positions))
    model.zero_grad()
    outputs = outputs_of(model, tokens, positions, targets=targets, trains=True)
    logits, added = outputs if isinstance(outputs, tuple) else (outputs, torch.zeros(1))
    nll = nll_of(logits, targets)
    normalizer = logits.logsumexp(-1)
    loss = (weights * (nll + terms[0] * nll**2 + terms[1] * normalizer**2 + added.squeeze(-1))).sum()
    loss.backward()
    gradients = {}
    for name, weight in model.named_parameters():
        if weight.requires_grad:
            gradients[name] = np.zeros(tuple(weight.shape)) if weight.grad is None else weight.grad.numpy().copy()
    with torch.no_grad():
        evaluated = logits_of(outputs_of(model, tokens, positions, targets=targets))
    return Results(loss.item(), gradients, nll_of(evaluated, targets).numpy(), evaluated.argmax(-1).numpy())


def nll_of(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)


def outputs_of(model, tokens, positions=(), *, targets, trains=False):
    """Of an emitted model, which is given the targets where it adds a loss of them, and where it trains the keys that the first
    sequences of a run from seed 0 have, where it drops out."""
    takes = inspect.signature(model.forward).parameters
    more = {"targets": targets} if "targets" in takes else {}
    if trains and "dropout_keys" in takes:
        more["dropout_keys"] = model.forward.__globals__["keys_of_dropout"](0, 0, *tokens.shape)
    return model(tokens, *positions, **more)


def logits_of(outputs):
    """Without what is added to the loss."""
    return outputs[0] if isinstance(outputs, tuple) else outputs


class OtherRoundings(TorchDispatchMode):
    """PyTorch with other roundings: each number that it computes is off by about ten more, as in sums in another order."""

    def __init__(self, rng):
        super().__init__()
        self.generator = torch.Generator().manual_seed(int(rng.integers(1 << 62)))

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        results = function(*arguments, **(keywords or {}))
        is_view = any(each.alias_info is not None for each in function._schema.returns)
        return results if is_view else tree_map(self.move, results)

    def move(self, value):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        return value * (1 + 2e-15 * torch.randn(value.shape, generator=self.generator, dtype=value.dtype))


@dataclass
class Noise:
    """How far results of double precision move by rounding alone: none can be asked for more."""

    loss: float = 0.0
    nll: float = 0.0
    gradients: dict = field(default_factory=dict)  # by name; empty: none moves

    def include(self, moved, expected):
        """Adds a draw. What is compared is one more draw, which may well be some times as large."""
        self.loss = max(self.loss, SPREAD * abs(moved.loss - expected.loss))
        self.nll = max(self.nll, SPREAD * np.abs(moved.nll - expected.nll).max())
        for name, value in expected.gradients.items():
            draw = SPREAD * np.abs(moved.gradients[name] - value).max()
            self.gradients[name] = max(self.gradients.get(name, 0.0), draw)


def noise_of(model, data, expected, rng, terms=(0.0, 0.0)):
    """What comes of other roundings, and of weights that move by 1e-13 of themselves."""
    noise, moved = Noise(), copy.deepcopy(model)
    for _ in range(2):
        with OtherRoundings(rng):
            noise.include(torch_results(moved, *data, terms=terms), expected)
    with torch.no_grad():
        for weight in moved.parameters():
            weight.mul_(torch.from_numpy(1 + 1e-13 * rng.normal(size=tuple(weight.shape))))
    noise.include(torch_results(moved, *data, terms=terms), expected)
    return noise


def check_emitted_loss(loss, model, data, expected):
    """The loss beside an emitted model is that of programs."""
    tokens, targets, weights, *positions = map(torch.from_numpy, data)
    found = loss(outputs_of(model, tokens, positions, targets=targets, trains=True), targets, weights).item()
    assert agree(found, expected.loss, 1e-12, 1e-300), f"the emitted loss is {found!r} instead of {expected.loss!r}"


def agree(found, expected, tolerance, noise):
    """Whether two numbers agree to `tolerance` of the expected one, or as far as rounding lets them."""
    return abs(found - expected) <= max(tolerance * abs(expected), noise)


def differences(found, expected, tolerance, noise=Noise()):
    """What differs between two dictionaries of arrays by more than `tolerance` of the largest entry of the array, and by
    more than rounding."""
    if set(found) != set(expected):
        return [f"gradients of {sorted(set(found) ^ set(expected))} are on one side only"]
    largest = max((np.abs(each).max() for each in expected.values()), default=0.0)
    problems = []
    for name, value in expected.items():
        scale = max(np.abs(value).max(), 1e-3 * largest, 1e-300)
        error = np.abs(found[name] - value).max()
        if not error <= max(tolerance * scale, noise.gradients.get(name, 0.0)):
            problems.append(f"gradient of {name}: relative error {error / scale:.2e}")
    return problems


def loss_of(program, data):
    """The loss of a step, which leaves gradients in the program."""
    (loss,) = program.call_entry("gradients", data[:3], data[3:])
    return loss.item()


def problems_of(text, parameters, data, expected, noise, tolerance=TOLERANCE, rounds=True):
    """What a module of some stage computes otherwise than PyTorch."""
    program = Program(text, parameters, rounds)
    found = loss_of(program, data)
    problems = differences(program.gradients, expected.gradients, tolerance, noise)
    if not agree(found, expected.loss, tolerance, noise.loss):
        problems.insert(0, f"loss {found!r} instead of {expected.loss!r}")
    nll, predicted = program.call_entry("evaluate", data[:2], data[3:])
    if not np.abs(nll - expected.nll).max() <= max(tolerance * np.abs(expected.nll).max(), noise.nll):
        problems.append(f"nll: error {np.abs(nll - expected.nll).max():.2e}")
    if not np.array_equal(predicted, expected.predicted):
        problems.append("predictions differ")
    return problems


def results_of(text, parameters, data):
    """What a module computes in exact numbers, whatever its types say."""
    program = Program(text, parameters, rounds=False)
    loss = loss_of(program, data)
    return Results(loss, program.gradients, *program.call_entry("evaluate", data[:2], data[3:]))


def difference_problems(loss_of, parameters, gradients, rng, steps=(1e-5, 1e-6, 1e-7)):
    """The derivative of `loss_of(parameters)` along one direction of all weights against differences of four losses. A loss
    that bends much (norms of small rows) agrees with shorter steps alone: the error is of the fourth order in it."""
    direction = {name: rng.normal(size=value.shape) for name, value in gradients.items()}

    def loss(t):
        return loss_of({name: value + t * direction.get(name, 0.0) for name, value in parameters.items()})

    derivative = sum((gradients[name] * direction[name]).sum() for name in gradients)
    for step in steps:
        difference = (8 * (loss(step) - loss(-step)) - (loss(2 * step) - loss(-2 * step))) / (12 * step)
        if abs(difference - derivative) <= 1e-7 * max(abs(derivative), 1e-2):
            return []
    return [f"finite difference {difference!r} instead of {derivative!r}"]


def fused(case, *flags):
    """The command that takes a module of the front end through the pipelines up to fused kernels."""
    budget = f"--stretto-train=memory-budget={case.memory_budget}"
    return ["stretto-opt", budget, "--stretto-fused", "--mlir-print-op-generic", *flags]


def after_each_pass(case, text):
    """(pass, module) for every pass behind which the module holds its gradients."""
    _, dump = run_both(fused(case, "--mlir-print-ir-after-all", "--mlir-print-ir-module-scope", "--mlir-disable-threading"), text)
    pieces = re.split(r"^// -----// IR Dump After \w+ \(([\w-]+)\) //----- //$", dump, flags=re.M)
    for name, module in zip(pieces[1::2], pieces[2::2]):
        if 'sym_name = "gradients"' in module and '"seq.backward"' not in module:
            yield name, module


@dataclass
class Setting:
    """A case with numbers, and what PyTorch makes of them."""

    case: Case
    text: str  # the module of the front end
    model: torch.nn.Module
    data: tuple  # tokens, targets, weights
    expected: Results
    rng: np.random.Generator

    @property
    def parameters(self):
        return {name: weight.numpy() for name, weight in self.model.state_dict().items()}

    @functools.cached_property
    def noise(self):
        return noise_of(self.model, self.data, self.expected, self.rng, self.case.terms)

    def beyond_noise(self, compare):
        """What `compare(noise)` finds that rounding does not explain. How far rounding goes is only asked where it must."""
        return compare(Noise()) and compare(self.noise)


def setting_of(case, seed):
    rng = np.random.default_rng(seed)
    text = seq_module(case, "--f64")
    emitted = emitted_module(text)
    model = model_of(emitted)
    random_weights(model, rng)
    data = random_data(case, rng)
    expected = torch_results(model, *data, terms=case.terms)
    check_emitted_loss(emitted["loss"], model, data, expected)
    return Setting(case, text, model, data, expected, rng)


def module_problems(module, setting):
    return setting.beyond_noise(
        lambda noise: problems_of(module, setting.parameters, setting.data, setting.expected, noise))


def check(case, seed=0):
    """Nothing if all is well; otherwise the first pass behind which the module is wrong, and how."""
    setting = setting_of(case, seed)

    def problems(module):
        try:
            found = module_problems(module, setting)
            if case.finite_differences:
                loss_with = lambda parameters: loss_of(Program(module, parameters), setting.data)
                found += difference_problems(loss_with, setting.parameters, setting.expected.gradients, setting.rng)
            return found
        except Exception:
            return [traceback.format_exc(limit=3)]

    last = problems(run(fused(case), setting.text))
    if not last:
        return None
    for name, module in after_each_pass(case, setting.text):
        if found := problems(module):
            return f"after {name}: " + "; ".join(found)
    return "after all passes: " + "; ".join(last)


def check_all(cases, check=check, first=0, tolerance=TOLERANCE):
    """Prints what is wrong, with the spec; the number of failures. The numbers of case i come from the seed first + i."""
    failures = 0
    for number, case in enumerate(cases, first):
        try:
            problem = check(case, seed=number)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            failures += 1
            print(f"FAILED {case.name} {shlex.join(options_of(case))}\n{problem}\n{case.spec}\n", flush=True)
    print(f"{len(cases) - failures} of {len(cases)} agree with PyTorch to {tolerance:g}")
    return failures
