"""Layers of nothing but linear mixers with their own convolution b in PyTorch: as bench/step has them, with chunks, or with the
kernels of the package fla in place of chunks and of the convolution."""
import pytorch_mixers
import torch
from pytorch_model import Canon


def by_time(x):
    """[batch, heads, time, columns] -> [batch, time, heads, columns], as fla has them."""
    return x.transpose(1, 2).contiguous()


def linear_attention(q, k, v, decay, write, scale):
    from fla.ops.gla import chunk_gla
    from fla.ops.simple_gla import chunk_simple_gla

    v = v if write is None else (write * v).to(v.dtype)
    heads = v.shape[1]
    q, k = (x.expand(-1, heads, -1, -1) for x in (q, k))
    if decay.shape[-1] == 1:
        return by_time(chunk_simple_gla(*map(by_time, (q, k, v)), by_time(decay).squeeze(-1), scale=scale)[0])
    return by_time(chunk_gla(*map(by_time, (q, k, v, decay)), scale=scale)[0])


def delta_rule(q, k, v, decay, beta, scale):
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule

    decay, beta = (by_time(x).squeeze(-1) for x in (decay, beta))
    return by_time(chunk_gated_delta_rule(*(by_time(x).bfloat16() for x in (q, k, v)), decay, beta, scale=scale)[0])


def convolve(canon, x):
    from fla.modules.convolution import causal_conv1d

    return causal_conv1d(x, canon.conv.weight[:, 0], bias=canon.bias)[0]


def use_fla(model):
    pytorch_mixers.linear_attention, pytorch_mixers.delta_rule = linear_attention, delta_rule
    for module in model.modules():
        if isinstance(module, Canon):
            module.forward = convolve.__get__(module)


def make_model(settings):
    """settings: mixer (a kind of pytorch_mixers), form (conv, shift, fla), dim, layers, vocabulary."""
    is_fla = settings["form"] == "fla"
    model = pytorch_mixers.MixerModel(pytorch_mixers.KINDS[settings["mixer"]], settings["dim"], settings["layers"],
                                      settings["vocabulary"], "conv" if is_fla else settings["form"], has_mlp=False)  # fmt: skip
    for mixer in model.mixer:
        mixer.canon_in = torch.nn.Identity()
    if is_fla:
        use_fla(model)
    return model
