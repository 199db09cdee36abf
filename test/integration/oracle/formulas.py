# REQUIRES: compiler, runtime
# RUN: %python %s %root
"""Every option of every layer and function of the language against formulas that share no code with anything here
(test/support/textbook.py): values and gradients of the emitted PyTorch and of what the passes make, some as compiled
programs; how weights begin; what the documentation says; and that no option of the front end is left out.
"""
import functools
import itertools
import math
import os
import re
import sys
import tempfile
from collections import defaultdict
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
import torch
from oracle import (TOLERANCE, Case, Noise, Results, differences, emitted_module, fused, logits_of, model_of, outputs_of,
                    problems_of, random_data, run, seq_module, torch_results)  # fmt: skip
from programs import step_problems
from textbook import SIGNATURES, STEP, Language, likelihoods, symbol
from training_program import Programs, compile_object, read_safetensors, write_safetensors

MODELS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "models")
WIDTH = 12  # of the vocabulary, too: what is checked is the logits
COMPILED = 5  # one case of so many is a compiled program, too


def every(text, **options):
    """The text with all combinations of options for `{}`; None leaves one out."""
    for values in itertools.product(*options.values()):
        given = [f", {name} = {value}" for name, value in zip(options, values) if value is not None]
        yield text.format("".join(given))


YES, NO = (None, "true"), (None, "false")
POSITIVE = ["log", "sqrt", "rsqrt"]
SMALL = ["exp", "square"]
PER_HEAD, PER_COLUMN = "-softplus(linear(y, 3))", "-softplus(y)"  # of three heads
GATE = "sigmoid(linear(x, 3))"
STEEP = ["tanh", "sin", "cos", "sigmoid", "silu", "gelu", "relu", "softplus"]
BODIES = [
    *every("z = canon(x{})", kernel=(None, 2, 3), residual=NO, bias=YES, activation=(None, "silu")),
    *every("a, b = canon(x, y{})\nz = a * b", residual=NO, bias=YES, activation=(None, "silu"), frozen=YES),
    "a, b, c = canon(x, narrow, y, kernel = 4, activation = none)\nz = a * c + linear(b, 12)",
    "z = canon(x, bias = true, init = normal(0.5), bias_init = uniform(0.5))",
    "z = canon(canon(x, activation = silu), activation = silu) + x",
    *(f"z = shift(x, {steps})" for steps in (0, 1, 3, 5)),
    *every("z = rms_norm(x{})", heads=(None, 2, 4, 12), eps=(None, 0.3), init=(None, "normal(0.5)")),
    *every("z = layer_norm(x{})", heads=(None, 3), eps=(None, 0.3), bias=NO),
    *every("z = y * layer_norm(x, heads = 12{})", init=(None, "zeros"), bias_init=(None, "constant(0.5)")),
    *every("z = linear(x, 12{})", bias=YES, init=(None, "truncated_normal(0.3)")),
    *every("z = linear(x, 12, bias = true{})", init=(None, "truncated_normal(0.3)"), bias_init=("ones",)),
    "z = linear(x, weight = parameter(12, 12, init = truncated_normal(0.3, bound = 2)), bias = true)",
    "z = linear(linear(x, 5), 12, weight = parameter(12, 5, frozen = true))",
    "a, b = parameter(12, 12), parameter(12, 12)\nz = linear(linear(x, weight = a + b), weight = b - a)",
    "a = parameter(12, 12)\nb = a + a\nz = linear(linear(x, weight = b), weight = a) + linear(y, weight = b)",
    "z = embed(tokens, vocab, 12, init = normal(1)) + embed(tokens, weight = parameter(15, 12))",
    "z = x * embed(positions(), width = 12, init = normal(1)) + embed(positions(), 9, 12)",
    "table = parameter(vocab, 12)\nz = x * embed(positions(), weight = table) + embed(tokens, weight = table)",
    "table = parameter(vocab, 12, init = normal(1))\nz = linear(embed(tokens, weight = table), weight = table)",
    *every("z = rotary(x, heads = 3{})", fraction=(None, 0.5), head_fraction=(None, "1 / 3"), theta=(None, 100),
           style=(None, "interleaved")),
    *every("z = rotary(x, head_dim = 6{})", fraction=("1 / 3", "2 / 3"), head_fraction=(None, 0.5), style=(None, "interleaved")),
    *every("a, b = rotary(x, narrow, head_dim = 4{})\nz = a + linear(b, 12)", fraction=(None, 0, 0.5), head_fraction=(None, 0)),
    *every("z = softmax_attention(x, y, x * y{})", heads=(1, 3, 12), causal=NO),
    *every("z = y * softmax_attention(x, narrow, square(narrow){})", heads=(3,), kv_heads=(1,), causal=NO),
    *every("z = y * softmax_attention(x, narrow, square(narrow){})", heads=(6,), kv_heads=(2,), causal=NO),
    *every("z = softmax_attention(x, y, x * y{})", heads=(3,), window=(0, 1, 2, 5, 9)),
    *every("z = softmax_attention(linear(x, 4), narrow, y{})", heads=(2,), causal=NO),
    *every("z = y * softmax_attention(x, narrow, square(narrow){})", heads=(6,), kv_heads=(2,), window=(2, 4)),
    *every("z = y * softmax_attention(x, narrow, square(narrow){})", heads=(6,), kv_heads=(2,), alibi=("true",), window=(None, 3)),
    *every("z = softmax_attention(x, 3 * y, x * y{})", heads=(3,), cap=(0, 0.3, 30), causal=NO),
    *every("z = y * softmax_attention(x, narrow, square(narrow){}, sinks = parameter(6))", heads=(6,), kv_heads=(2,),
           alibi=(None, "true"), window=(None, 3), cap=(0.2,)),
    *every("z = softmax_attention(x, y, x * y{}, decay = -square(linear(x, 3)))", heads=(3,), window=(None, 3), cap=(None, 0.3),
           alibi=(None, "true")),
    *every("z = y * softmax_attention(x, narrow, square(narrow){}, sinks = parameter(6))", heads=(6,), kv_heads=(2,),
           decay=("parameter(6, init = normal(1))", "linear(y, 6)")),
    *every("z = y * softmax_attention(x, narrow, square(narrow){})", heads=(6,), kv_heads=(2,), window=(None, 3),
           bias=("parameter(6, 4, init = normal(1))", "2 * parameter(6, 1)", "parameter(6, 40)")),
    *every("z = softmax_attention(x, y, x * y{}, sinks = parameter(3, init = normal(2)))", heads=(3,), causal=NO),
    *every("z = y * softmax_attention(x, narrow, square(narrow){}, sinks = parameter(6))", heads=(6,), kv_heads=(2,),
           alibi=(None, "true"), window=(None, 3)),
    *every("z = l2_norm(x{})", heads=(None, 2, 4), eps=(None, 0.3)),
    *every("z = y * softmax(9 * x{})", heads=(None, 2, 4)), "z = y * spread(sum(x * y), 12) + spread(sum(x, 3), 12)",
    "z = x * spread(softmax(linear(y, 3)), 12) + sum(x, 12) / width(x)",
    *every("z = y * keep_top(x, 2{})", heads=(None, 3)), "z = x * keep_top(softmax(9 * y), 1) + keep_top(x * y, 12)",
    "z = x * spread(keep_top(relu(linear(y, 6)), 1, heads = 2), 12)",
    *every("g = keep_top(softmax(linear(y, 4)), 2)\nz = expert_sum(tanh(expert_linear(x, g, 5{0})), g, 12{0})",
           chosen=(None, 2), init=(None, "normal(0.5)")),
    "w = parameter(48, 12)\nz = expert_sum(expert_linear(x, narrow, 12, weight = w), narrow, 12, weight = w)",
    *every("z = linear_attention(x, y, x * y{})", heads=(3,), decay=(None, PER_HEAD, PER_COLUMN), write=(None, GATE)),
    *every("z = linear_attention(x, y, x * y{})", heads=(3,), decay=("-square(parameter(3))", "-square(parameter(12))")),
    *every("z = linear_attention(x, y, linear(x, 12){})", heads=(3,), decay=("-0.25 * numbers(3)",), scale=(None, 0.3)),
    *every("z = linear_attention(x, y / 3, x * y{})", heads=(3,), write=(None, "sigmoid(parameter(3))"), erase=("tanh(parameter(12))",),
           erase_write=(None, "parameter(12)"), decay=(None, PER_HEAD)),
    *every("z = linear_attention(x, l2_norm(y, 3), x * y{})", heads=(3,), beta=("sigmoid(parameter(3))",), read=(None, "before")),
    *every("z = linear_attention(x, l2_norm(y, 3), x * y{})", heads=(3,), decay=(None, PER_HEAD, PER_COLUMN), beta=(GATE,),
           read=(None, "before")),
    *every("z = linear_attention(x, y / 3, x * y{})", heads=(3,), decay=(None, PER_HEAD, PER_COLUMN), erase=("tanh(x) / 2",),
           erase_write=(None, "sigmoid(x) * y"), read=("after", "before")),
    *every("z = linear_attention(x, y / 3, x * y{})", heads=(3,), write=(GATE,), erase=("tanh(x) / 2",),
           erase_write=(None, "sigmoid(x) * y")),
    *every("z = y * linear_attention(narrow, tanh(narrow), x{})", heads=(6,), key_heads=(2,), decay=("-softplus(y)",),
           erase=(None, "l2_norm(y, 6)"), write=(None, "sigmoid(linear(x, 6))")),
    *every("z = linear_attention(narrow, tanh(narrow), x{})", heads=(2,), key_heads=(1,),
           decay=(None, "-softplus(linear(y, 8))"), beta=(None, "sigmoid(linear(x, 2)) / 2")),
    "a, b = split(x)\nz = concat(b * a, narrow, shift(a, 1), y)", "a, b, c = split(x * y, parts = 3)\nz = concat(c, a * b, a)",
    "z = concat(slice(x, 3, 4) * slice(tanh(y), 0, 4), slice(x * y, 4, 8))",
    "a, b = split(x, heads = 3)\nz = concat(b * a, y, narrow, heads = 2)\nz = linear(z, 12) + concat(a, b, heads = 6)",
    "a, b, c = split(x, 3, heads = 2)\nz = concat(c, a * b, slice(y, 1, 2, heads = 2), heads = 2) * tile(slice(x, 2, 1, heads = 3), 12)",
    "z = tile(narrow, 12) * x + tile(y, 12)", "z = concat(x, heads = 3) * y",
    "z = spread(narrow, 12) * x + spread(parameter(3), 12) * spread(x, 12)",
    "w, g = parameter(12, 20), parameter(20)\nz = linear(x * slice(g, 8, 12), weight = slice(w, 3, 12))",
    "a, b = split(parameter(12, 24), heads = 3)\nz = linear(concat(x, y), weight = concat(b, a * b, heads = 2)) * tile(parameter(3), 12)",
    "w = spread(exp(parameter(12, 1)), 12) * l2_norm(parameter(12, 12), heads = 3)\nz = linear(x, weight = w) * rms_norm(parameter(12), heads = 2)",
    "z = linear(x, weight = keep_top(parameter(12, 12), 2)) * layer_norm(concat(parameter(4), parameter(8)), heads = 3)",
    "z = x * (1 + numbers(width(x))) / 12 + linear(spread(y, 36), 12)",
    "z = x * exp(parameter(12, init = log_of_uniform(0, 16)) / 4)", "z = x * softplus(parameter(12, init = step_bias(0.01, 1)))",
    "z = x * parameter(12) + parameter(12, init = uniform(1), frozen = true)",
    "z = x * parameter(12, lr_factor = 0.5, weight_decay_factor = 0)",
    "z = x * heaviside(y - 0.2) + heaviside(x * y) * heaviside(parameter(12)) * heaviside(0.3) - heaviside(-2.0)",
    "z = x * batch_mean(x * y) - batch_mean(tanh(y))", "z = y * spread(batch_mean(sum(x * y, 3)), 12) + batch_mean(heaviside(x)) * x",
    "z = dropout(x * y, 0.3) + dropout(tanh(dropout(y, 0)), 0.75)", "z = dropout(dropout(x, 0.5) * spread(dropout(full(3, 1), 0.2), 12), 0.1)",
    "z = stop_gradient(x) * y + x * stop_gradient(tanh(y)) * stop_gradient(parameter(12))",
    "z = x * y\nadded = next_token_loss(linear(shift(tanh(z), 1), 14)) * sigmoid(sum(x)) + 0.3 * next_token_loss(stop_gradient(z) + y)",
    "z = linear(x, 12)\nadded = sum(softmax(z) * batch_mean(heaviside(z))) * 12 + square(log(sum(exp(z))))",
    "z = x * full(12, 0.3) + linear_attention(full(12, 1), full(12, 1), y, width(y), scale = 1) * spread(full(1, -2), 12)",
    "a, b = recompute(tanh(x), y * y)\nz = a * recompute(sigmoid(b))",
    "z = x * width(x) + linear(narrow, width(narrow) * 3)",
    *(f"z = {name}(square(x) + 0.5) * {name}(0.3)" for name in POSITIVE),
    *(f"z = {name}(x) * {name}(0.3)" for name in SMALL),
    *(f"z = {name}(x) * {name}(-0.3) + {name}({name}(8 * y) + {name}(0.3))" for name in STEEP),
    "z = max(x, y) * max(0.5, 2)", "z = min(x, y) - min(2, 3, 0.5)", "z = max(x, y, x * y, 0.25)",
    "z = min(x, parameter(12), 1)", "z = x + y", "z = x - y", "z = x * y", "z = -x * 3", "z = x / (square(y) + 0.5)",
    "z = 1.5 - x", "z = 2 / (square(x) + 1) - x / 3",
    "z = x * floor(7 / 2) + y * ceil(7 / 2) - floor(-7 / 2)",
    "z = x * floor_to(8 * 12 / 5, 3) + y * ceil_to(8 * 12 / 5, 3) - ceil(-2.5)",
    *every("z = log_softmax(1000 * x{})", heads=(None, 3)),
    "z = x * y\nadded = log_sum_exp(1000 * linear(x, 5)) + sum(sigmoid(log_sum_exp(900 * y, 3) / 1000))",
]  # fmt: skip
SHORT = ["z = canon(x)", "z = canon(x, bias = true, activation = silu)", "z = shift(x, 2)"]  # rows shorter than the taps
INITIAL = """x = embed(tokens, vocab, 2000)
a, b, c = canon(x, kernel = 2), canon(x, kernel = 3, bias = true), canon(x, kernel = 4)
d = rms_norm(a) * layer_norm(b) * parameter(2000) * parameter(2000, init = truncated_normal(0.3))
e = c * parameter(2000, init = truncated_normal(0.5, bound = 1)) * parameter(2000, init = uniform(0.4))
f = parameter(2000, init = log_of_uniform(0, 16)) + parameter(2000, init = log_of_uniform(1, 2))
g = f * parameter(2000, init = step_bias(0.001, 0.1)) + parameter(2000, init = step_bias(1, 100))
h = d * e * g * parameter(2000, init = constant(0.7))
repeat 3 as i { h = h * parameter(2000, init = normal(0.1 * (i + 1))) + parameter(2000, init = if i == 1 then ones else uniform(i + 1)) }
z = linear(h, 12, bias = true)"""


def case_of(body, length=5):
    """A spec with the inputs that the body reads."""
    inputs = [f"{name} = embed(tokens, vocab, {width}, init = normal(1))"
              for name, width in (("x", 12), ("y", 12), ("narrow", 4)) if re.search(rf"\b{name}\b(?! =)", body)]  # fmt: skip
    return Case(body.replace("\n", "; "), "\n".join([*inputs, body]), batch=2, length=length, vocabulary=WIDTH)


def spec_of(case):
    returned = "z, added" if re.search(r"^added = ", case.spec, re.M) else "z"
    imported = 'import "std/formulas.stretto"\n' if "log_s" in case.spec else ""
    text = f"{imported}model one(vocab: int) {{\n{case.spec}\nreturn {returned}\n}}\n"
    return Case(case.name, text, {}, case.batch, case.length, WIDTH)


def declared(text):
    """{name: (shape, (initializer, frozen))} of the weights of a module, in its order."""
    part = r'parts \[#seq\.part<"(.+)", \d+, (<.*>)>\]'
    found = re.findall(rf"seq\.parameter @.* {part}( stacked)?( frozen)? : tensor<(.+)xf\d+>", text)
    assert len(found) == text.count("seq.parameter @")
    weights = {}
    for name, inits, stacked, frozen, sizes in found:
        begins = [(kind, float(a), float(b)) for kind, a, b in re.findall(r"<(\w+), (\S+) : f64, (\S+) : f64>", inits)]
        layers, *shape = map(int, sizes.split("x")) if stacked else (1, *map(int, sizes.split("x")))
        for i in range(layers):
            weights[name.replace("{}", str(i))] = tuple(shape), (begins[i % len(begins)], bool(frozen))
    return weights


def choice(value):
    """How the front end writes one of several choices; nothing for other values."""
    return str(symbol(value)).lower() if isinstance(value, (str, bool)) or callable(value) else None


class Calls:
    """What the options of the formulas were called with."""

    def __init__(self):
        self.values = defaultdict(set)

    def record(self, name, function):
        @functools.wraps(function)
        def recorded(*arguments, **options):
            bound = SIGNATURES[name].bind(None, *arguments, **options)
            for option in bound.arguments:
                self.values[name, option].add("given")
            bound.apply_defaults()
            for option, value in bound.arguments.items():
                self.values[name, option].add(choice(value))
            return function(*arguments, **options)

        return recorded

    def problems(self, builtins):
        """What the front end knows, one line for each function, that no formula or no call has."""
        lines = [line.split() for line in builtins.splitlines()]
        if unknown := {name for name, *_ in lines} ^ set(SIGNATURES):
            yield f"{sorted(unknown)} must be functions of the language and have formulas"
        for name, *parameters in lines:
            if name in unknown:
                continue
            options, known = [re.match(r"\w+", each)[0] for each in parameters], list(SIGNATURES[name].parameters)[1:]
            if options != known:
                yield f"'{name}' of the language has {options}, its formula {known}"
            for option, text in zip(options, parameters):
                members = set(text.partition("=")[2].split("|")) - {""}
                if missing := (members | {"given"}) - self.values[name, option]:
                    yield f"'{option}' of '{name}' is in no case, or not {sorted(missing)}"


def documentation_problems(text):
    """Options and defaults that the table of the language writes otherwise than the formulas."""
    names = Language(None, None, {}).names()
    for name, arguments in re.findall(r"^\| `(\w+)\((.*)\)` \|", text, re.M):
        for option in list(SIGNATURES[name].parameters.values())[2:]:
            found = re.search(rf"\b{option.name}\b(?:=([^, ]*))?", arguments)
            if not found:
                yield f"'{option.name}' of '{name}' is not documented"
            elif found[1] and found[1] not in SIGNATURES[name].parameters and eval(found[1], names) != option.default:
                yield f"'{option.name}' of '{name}' is {found[1]} in the documentation, {option.default} in the formula"


def expected_of(language, values, logits, evaluated, added, data):
    """`added`: to the loss of each token; `evaluated`: the logits without dropout."""
    tokens, targets, weights = data
    nll = likelihoods(logits, targets)
    loss = (weights * (nll + added)).sum((1, 2))
    derivatives = loss.imag / STEP
    pieces = np.split(derivatives, np.cumsum([value.size for value in values.values()])[:-1])
    gradients = {name: piece.reshape(values[name].shape) for name, piece in zip(values, pieces) if not language.made[name][1]}
    return Results(loss[0].real, gradients, likelihoods(evaluated, targets)[0].real, evaluated[0].real.argmax(-1))


def emitted_problems(model, logits, data, expected):
    found = torch_results(model, *data)
    problems = differences(found.gradients, expected.gradients, TOLERANCE)
    tokens, targets, _ = map(torch.from_numpy, data)
    error = np.abs(logits_of(outputs_of(model, tokens, targets=targets)).detach().numpy() - logits[0].real).max()
    return problems + ([] if error <= TOLERANCE * np.abs(logits).max() else [f"logits: error {error:.1e}"])


def compiled_problems(case, programs, values, data, expected):
    with tempfile.TemporaryDirectory() as folder:
        step = programs.step(compile_object(case, folder), values, data)
    return step_problems(step, SimpleNamespace(expected=expected, data=data, beyond_noise=lambda compare: compare(Noise())))


def check(case, seed, calls, programs):
    rng = np.random.default_rng(seed)
    text = seq_module(spec_of(case), "--f64", f"-I{MODELS}")
    weights = declared(text)
    values = {name: rng.normal(size=shape) for name, (shape, _) in weights.items()}
    data = random_data(case, rng)
    language = Language(data[0], WIDTH, values, targets=data[1])
    read = language.read(case.spec, calls.record)
    logits, added = read["z"], read["added"][..., 0] if "added" in read else 0.0
    evaluated = logits
    if "dropout" in case.spec:
        evaluated = Language(data[0], WIDTH, values, targets=data[1], trains=False).read(case.spec, lambda _, function: function)["z"]
    made = {name: init for name, (_, init) in weights.items()}
    problems = [] if language.made == made else [f"weights {made} instead of {language.made}"]
    expected = expected_of(language, values, logits, evaluated, added, data)
    model = model_of(emitted_module(text))
    model.load_state_dict({name: torch.from_numpy(value) for name, value in values.items()})
    problems += ["PyTorch: " + each for each in emitted_problems(model, evaluated, data, expected)]
    problems += ["passes: " + each for each in problems_of(run(fused(case), text), values, data, expected, Noise())]
    if seed % COMPILED == 0:
        problems += ["program: " + each for each in compiled_problems(spec_of(case), programs, values, data, expected)]
    return problems


def spread_problems(weights, begun):
    """Initial values are what initializers say: distances of Kolmogorov and Smirnov from their distributions."""
    gauss = lambda x: (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
    for name, (_, ((kind, a, b), _)) in weights.items():
        x = np.sort(begun[name].ravel())
        if kind == "constant":
            distance = 0 if (x == np.float32(a)).all() else 1
        else:
            even = lambda x, low, high: np.clip((x - low) / (high - low), 0, 1)
            below = {"normal": lambda: gauss((x - a) / b), "uniform": lambda: even(x, a, b),
                     "truncated_normal": lambda: even(gauss(x / a), gauss(-b), gauss(b)),
                     "log_of_uniform": lambda: even(np.exp(x), a, b),
                     "step_bias": lambda: even(np.log(np.logaddexp(x, 0)), math.log(a), math.log(b))}  # fmt: skip
            distance = np.abs(below[kind]() - (np.arange(x.size) + 0.5) / x.size).max()
        if not distance * math.sqrt(x.size) <= 2:
            yield f"{name} does not begin as {kind} of {a}, {b}"


def initial_problems(programs):
    """The emitted module and the program begin as the module says, and so as the formulas do."""
    torch.manual_seed(0)
    case = spec_of(case_of(INITIAL, length=1))
    text = seq_module(case)
    weights = declared(text)
    emitted = {name: value.numpy() for name, value in model_of(emitted_module(text)).state_dict().items()}
    with tempfile.TemporaryDirectory() as folder:
        row = {name: np.zeros((case.batch, case.length), np.int32) for name in ("tokens", "targets")}
        write_safetensors(f"{folder}/tokens", row | {"weights": np.ones((case.batch, case.length), np.float32)})
        programs.run(compile_object(case, folder, dtype="f32"), "--tokens", f"{folder}/tokens", "--steps", "0", "--warmup", "0",
                     "--eval-batches", "0", "--quiet", "--out", f"{folder}/run")  # fmt: skip
        program = read_safetensors(f"{folder}/run/ckpt/00000000/weights.safetensors")
    return [f"{where}: {each}" for where, begun in (("PyTorch", emitted), ("program", program))
            for each in spread_problems(weights, begun)]  # fmt: skip


def main(root):
    torch.set_num_threads(1)  # other tests run on the other cores
    calls, programs, failures = Calls(), Programs(), 0
    cases = [case_of(body) for body in BODIES] + [case_of(body, length=2) for body in SHORT]
    for seed, case in enumerate(cases):
        if problems := check(case, seed, calls, programs):
            failures += 1
            print(f"FAILED {case.name}\n  " + "\n  ".join(problems), flush=True)
    print(f"{len(cases) - failures} of {len(cases)} agree with formulas to {TOLERANCE:g}")
    others = [*calls.problems(run(["stretto-frontend-test", "--emit=builtins"])), *initial_problems(programs)]
    with open(f"{root}/docs/language.md", encoding="utf-8") as file:
        others += documentation_problems(file.read())
    print(*others, sep="\n", end="\n" if others else "")
    return failures + len(others) != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
