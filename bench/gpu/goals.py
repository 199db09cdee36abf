"""The goals that a GPU decides, from the figures of a run: (name, what, goal, measured, whether it is met). Those of single
sites are in site_goals.py, G6 to G9, mixer_goals.py, G10 to G14, and fused_goals.py, G22 to G24."""

PEAK_FLOPS = 989e12  # dense bf16 of an H100 or H200, as the vendor says: the base of MFU


def quotient(a, b):
    return a / b if a and b else None


def row(name, what, goal, value, met, form="{:.2f}"):
    """A line of the table; `met`: a function of the value, None where nothing is asked."""
    return {"name": name, "what": what, "goal": goal, "measured": "not measured" if value is None else form.format(value),
            "value": value, "met": bool(met(value)) if met and value is not None else None}  # fmt: skip


def goals(figures):
    """`figures` has: time(name) -> median seconds of a step or None, ratio(a, b) -> median of ratios within rounds or None,
    peak(name) -> bytes or None, tokens(name), compile(name) -> seconds or None, head -> (ours, matmuls) seconds."""
    time, ratio, peak = figures.time, figures.ratio, figures.peak
    canon, plain, small = "stretto 32k canon", "stretto 32k plain", "stretto 2k canon"
    cost = ratio(canon, plain)
    rate = quotient(figures.tokens(canon), time(canon))
    head = quotient(*figures.head())
    loose = ratio(canon, "stretto 32k canon, not deterministic")
    compile_ours, compile_theirs = figures.compile(canon), figures.compile("32k canon compile")
    return [
        row("G1", "Canon's share of our step, 32k", "at most 3 %", None if cost is None else 100 * (cost - 1), lambda v: v <= 3,
            "{:+.1f} %"),
        row("G2", "our step with Canon against torch.compile with the conv as it is", "at least 1.3x",
            ratio("32k canon conv", canon), lambda v: v >= 1.3, "{:.2f}x"),
        row("G2", "our step with Canon against PyTorch's best form", "at least 1.05x", ratio("32k canon best", canon),
            lambda v: v >= 1.05, "{:.2f}x"),
        row("G3", "our step without Canon against PyTorch's best form", "at least 1.0x", ratio("32k plain best", plain),
            lambda v: v >= 1.0, "{:.2f}x"),
        row("G4", "thousand tokens a second with Canon, 32k", "at least 600", None if rate is None else rate / 1e3,
            lambda v: v >= 600, "{:.0f}"),
        row("G5", "2k tokens a step, against torch.compile", "at least 2.5x", ratio("2k canon compile", small),
            lambda v: v >= 2.5, "{:.2f}x"),
        row("G5", "2k tokens a step, against reduce-overhead", "at least 1.4x", ratio("2k canon reduce-overhead", small),
            lambda v: v >= 1.4, "{:.2f}x"),
        row("G5", "2k tokens a step, against PyTorch's best form", "no goal", ratio("2k canon best", small), None, "{:.2f}x"),
        row("G15", "peak memory against the best compiled form, 32k", "at most 0.55x",
            quotient(peak(canon), peak("32k canon compile")), lambda v: v <= 0.55, "{:.2f}x"),
        row("G16", "head and cross-entropy against the time of its three matmuls", "at most 1.10x", head, lambda v: v <= 1.1,
            "{:.2f}x"),
        row("G19", "compile time, s", "at most 5", compile_ours, lambda v: v <= 5, "{:.1f}"),
        row("G19", "compile time of torch.compile by ours", "at least 20x", quotient(compile_theirs, compile_ours),
            lambda v: v >= 20, "{:.0f}x"),
        row("G20", "what the same bits each time cost", "at most 1 %", None if loose is None else 100 * (loose - 1),
            lambda v: v <= 1, "{:+.1f} %"),
        row("G25", "our step with sites in matmuls, 32k, against kernels apart", "at most 0.93x",
            ratio(canon, "stretto 32k canon, kernels apart"), lambda v: v <= 0.93, "{:.2f}x"),
    ]  # fmt: skip


def in_order(rows):
    return sorted(rows, key=lambda r: int(r["name"][1:]))


def lines_of(rows):
    """The table, as lines of Markdown."""
    met = {True: "yes", False: "no", None: ""}
    return ["| goal | what | asked | measured | met |", "|---|---|---|---|---|",
            *(f"| {r['name']} | {r['what']} | {r['goal']} | {r['measured']} | {met[r['met']]} |" for r in rows)]
