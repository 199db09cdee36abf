"""What `prepare` makes: programs, models whose kernels are compared one by one, PyTorch modules."""
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Shape:
    batch: int
    length: int
    vocabulary: int

    def options(self):
        return ["--batch", str(self.batch), "--length", str(self.length), "--vocab", str(self.vocabulary)]


@dataclass(frozen=True)
class Made:
    """A spec with settings, compiled for one shape."""

    spec: str
    shape: Shape
    settings: dict = field(default_factory=dict)
    dtype: str = "f32"
    target: str = "cuda"
    chip: str = ""
    budget: str = ""  # of saved values
    folder: str = "models"
    more: tuple = ()  # options

    def options(self, root, emulate):
        """Of stretto-compile. `emulate`: programs for CUDA run on the emulator."""
        words = [f"{root}/{self.folder}/{self.spec}.stretto", *self.shape.options(), f"--dtype={self.dtype}", "--cpu=x86-64-v3",
                 f"--target={self.target}"]  # fmt: skip
        words += [f"--set={name}={value}" for name, value in self.settings.items()]
        words += [f"--memory-budget={self.budget}"] if self.budget else []
        words += self.more
        if self.target == "cuda":
            words += ["--emulate"] if emulate else [f"--chip={self.chip}"] if self.chip else []
        return words


ALL = "{A, B, C, D}"
APART = ("--fuse=rows",)  # a site is kernels of its own, not epilogues of the matmuls around it
FUSED = ("--fuse=always",)  # kernels of rows lie in the epilogues of matmuls, however few rows there are
# The ways in which a site of `fused` lies in the epilogue of a matmul: in front of it, or the gradient of the one behind it.
PRODUCTS = {"rotary": ("forward",), "gate": ("forward", "backward")}
DOCUMENTS = 8  # of a sequence, at most
FULL = {"dim": 768, "layers": 12, "heads": 12}


def programs(small):
    """Programs that the checks train. `small`: so that emulated kernels take seconds."""
    size = {"dim": 32, "layers": 2, "heads": 2} if small else {"dim": 256, "layers": 4, "heads": 4}
    shape = Shape(2, 16, 31) if small else Shape(8, 256, 512)
    llama = size | {"canon_at": ALL}
    made = {"f32": Made("llama", shape, llama), "bf16": Made("llama", shape, llama, "bf16"),
            "cpu": Made("llama", shape, llama, target="cpu")}  # fmt: skip
    documents = ("--mask-documents", f"--max-documents={DOCUMENTS * shape.batch}")
    made["documents"] = Made("llama", shape, llama, "bf16", more=documents)
    made["fused"] = Made("llama", shape, llama, "bf16", more=FUSED)
    for name, heads in odd_heads(small).items():
        made[name] = Made("llama", shape, llama | heads, "bf16")
    made["window"] = Made("llama", shape, llama | {"window": shape.length // 3}, "bf16")
    made["recomputed"] = Made("recomputed", shape, size, "bf16", folder="test/gpu/Inputs")
    made["sinks"] = Made("sinks", shape, size | {"window": shape.length // 3}, "bf16", folder="test/gpu/Inputs")
    made["capped"] = Made("sinks", shape, size | {"cap": 2.0}, "bf16", folder="test/gpu/Inputs")
    made["dropped"] = Made("sinks", shape, size | {"dropout": 0.2}, "bf16", folder="test/gpu/Inputs")
    made["forgetting"] = Made("forgetting", shape, size, "bf16", folder="test/gpu/Inputs")
    made["distances"] = Made("distances", shape, size, "bf16", folder="test/gpu/Inputs")
    made["learned"] = Made("llama", shape, llama | {"learned_positions": "true"}, "bf16")
    made["alibi"] = Made("llama", shape, llama | {"alibi": "true"}, "bf16")
    # Heads whose values are half as wide as their keys, and wider than these.
    narrow = {"heads": size["heads"], "turned": 8, "straight": 24 if small else 56}
    made["narrow-values"] = Made("latent", shape, {"dim": size["dim"], "layers": 2, "value": 16 if small else 32} | narrow, "bf16")
    made["wide-values"] = Made("latent", shape, {"dim": size["dim"], "layers": 2, "value": 48 if small else 96} | narrow, "bf16")
    made["columns"] = Made("linear", shape, size | {"mixer": "rg_lru"}, "bf16")  # a recurrence of each column by itself
    # Experts that tokens are spread over, by a mean over the batch.
    made["experts"] = Made("moe", shape, size | {"count": 4, "chosen": 2, "ffn": 2 * size["dim"], "balance": 0.01}, "bf16")
    if not small:
        made["portable"] = Made("llama", shape, llama, chip="sm_80")
    return made


def odd_heads(small):
    """Heads that share keys, whose size is no power of two, and that libraries do not take: no multiple of 8 columns."""
    return {"shared-keys": {"heads": 4, "kv_heads": 2}, "odd-heads": {"heads": 3, "dim": 72 if small else 264},
            "strange-heads": {"heads": 3, "dim": 36 if small else 252}}  # fmt: skip


def decoded(small):
    """The model of the program f32, which also makes text; its weights fit."""
    made = programs(small)["f32"]
    return Made(made.spec, Shape(2, 16, 31) if small else Shape(4, 96, made.shape.vocabulary), made.settings, more=("--decode=4",))


def too_large(small):
    """A program whose memory no machine of ours has."""
    length, batch = (1024, 1 << 15) if small else (2048, 4096)
    return {"too-large": Made("llama", Shape(batch, length, 10000), FULL | {"canon_at": ALL}, "f32" if small else "bf16")}


def bench(small):
    """Programs of bench/gpu, by tokens of a step: 32k and 2k, with and without Canon."""
    size = {"dim": 64, "layers": 2, "heads": 1} if small else FULL
    length, vocabulary = (32, 101) if small else (2048, 10000)
    return {f"bench-{name}-{tokens}": Made("llama", Shape(batch, length, vocabulary), size | {"canon_at": sites}, "bf16")
            for name, sites in (("canon", ALL), ("plain", "{}")) for tokens, batch in (("32k", 4 if small else 16), ("2k", 1))}


def bench_apart(small):
    """The one with Canon and 32k tokens, with no kernel in the epilogue of a matmul."""
    return {"bench-apart-32k": replace(bench(small)["bench-canon-32k"], more=APART)}


def sites(small):
    """Sites of bench/gpu/sites.stretto, with Canon (and without where something remains), and the convolution at some widths."""
    length, batch, dim = (32, 4, 64) if small else (2048, 16, 768)

    def made(site, width, has_canon=True):
        settings = {"site": site, "has_canon": str(has_canon).lower(), "dim": width, "layers": 2}
        return Made("sites", Shape(batch, length, 64), settings, "bf16", folder="bench/gpu", more=APART)

    result = {f"conv-{width}": made("conv", width) for width in ((dim,) if small else (dim, 3 * dim, 4096))}
    for site in ("norm", "rotary", "gate"):
        result |= {f"{site}-canon": made(site, dim), f"{site}-plain": made(site, dim, False)}
    return result


def fused(small):
    """Sites of bench/gpu/sites.stretto that lie in the epilogues of matmuls, whose terms are as many as the model is wide. `sites` has
    the same with kernels apart."""
    return {site: replace(sites(small)[f"{site}-canon"], more=FUSED,
                          settings=sites(small)[f"{site}-canon"].settings | {"narrow": 64 if small else 768})
            for site in ("rotary", "gate")}  # fmt: skip


def mixers(small):
    """Linear mixers of bench/gpu/mixers.stretto in the shapes of goals G10 to G12, and all of them where launches count (G14)."""

    def made(site, batch, length, heads, keys, values, groups):
        settings = {"site": site, "heads": heads, "keys": keys, "values": values, "groups": groups, "layers": 2}
        return Made("mixers", Shape(batch, length, 64), settings, "bf16", folder="bench/gpu", more=APART)

    if small:
        return {"gla": made("gla", 2, 128, 2, 16, 32, 2), "ssd": made("ssd", 1, 192, 2, 32, 16, 1)}
    return {"gdn": made("gdn", 16, 2048, 6, 128, 128, 6), "gla": made("gla", 4, 2048, 16, 128, 128, 16),
            "ssd": made("ssd", 2, 16384, 16, 128, 256, 1)} | {
                f"{site}-short": made(site, 8, 1024, 8, 64, 64, groups) for site, groups in (("gla", 8), ("gdn", 8), ("ssd", 1))}  # fmt: skip


def layers(small):
    """Programs of nothing but mixer layers, of two depths, whose difference is that of so many layers (G13)."""
    shape, dim = (Shape(2, 64, 31), 32) if small else (Shape(8, 2048, 256), 1024)
    return {f"layers-{mixer}-{depth}": Made(mixer, shape, {"dim": dim, "layers": depth, "mlp": "false", "canon_at": "{b}"}, "bf16")
            for mixer in ("gdn", "gla", "mamba2") for depth in ((1, 2) if small else (2, 6))}


def kernel_models(small):
    """Models whose kernels are compared: all of models/, odd sizes, both types, and one as wide as the benchmark's."""
    odd, even = Shape(3, 13, 29), Shape(2, 32, 64)
    llama = {"dim": 48, "layers": 2, "heads": 3, "canon_at": ALL}
    made = {"llama-f32": Made("llama", odd, llama), "llama-bf16": Made("llama", even, llama | {"dim": 64, "heads": 2}, "bf16"),
            "llama-other-bf16": Made("llama", odd, {"dim": 64, "layers": 2, "heads": 4, "kv_heads": 2, "mlp_kind": "standard",
                                                    "activation": "relu2", "qk_norm": "head", "tied": "true",
                                                    "canon_bias": "true", "canon_activation": "silu",
                                                    "rotary_fraction": 0.5, "canon_at": ALL}, "bf16"),
            "fused-bf16": Made("llama", Shape(2, 40, 64), llama | {"dim": 64, "heads": 2}, "bf16", more=FUSED),
            "hybrid-f32": Made("hybrid", odd, {"dim": 40, "layers": 4, "heads": 2}),
            "hybrid-bf16": Made("hybrid", even, {"dim": 64, "layers": 4, "heads": 2}, "bf16"),
            "moe-bf16": Made("moe", even, {"dim": 64, "layers": 2, "heads": 2, "count": 4, "chosen": 2}, "bf16"),
            "forgetting-bf16": Made("forgetting", even, {"dim": 64}, "bf16", folder="test/gpu/Inputs"),
            "columns-bf16": Made("linear", even, {"mixer": "rg_lru", "dim": 64, "layers": 2}, "bf16"),
            "hello-bf16": Made("hello", Shape(1, 5, 17), {"dim": 24, "layers": 1, "heads": 3}, "bf16"),
            "conv-bf16": Made("sites", even, {"site": "conv", "dim": 72 if small else 2304}, "bf16", folder="bench/gpu")}  # fmt: skip
    if not small:
        wide = {"dim": 768, "layers": 2, "heads": 12, "canon_at": ALL}
        made["wide-f32"] = Made("llama", Shape(1, 96, 1000), wide)
        made["wide-bf16"] = Made("llama", Shape(1, 160, 1000), wide, "bf16")
        made["wide-fused-bf16"] = Made("llama", Shape(2, 300, 1000), wide, "bf16", more=FUSED)
    return made
