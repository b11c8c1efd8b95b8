"""Exports a GPT-2 block to linalg with torch-mlir: LayerNorm, one projection
for q, k and v (Conv1D: weights stored [in, out]), biases, GELU.

    python test/Integration/export/gpt2.py block [--dynamic]
    python test/Integration/export/gpt2.py fused [--dynamic]

`block` is a layer as it stands in a model, with attention as a call; `fused`
what follows attention, and the norm and projection of the next layer.
"""

import torch
from torch.nn.functional import gelu, layer_norm

from exporting import (BATCH, SEQUENCE, attention, export, parse_arguments, tensors)

WIDTH, HIDDEN, HEADS, HEAD = 128, 256, 4, 32


def conv1d(x, weight, bias):
    """Hugging Face's Conv1D."""
    shape = (*x.shape[:-1], weight.shape[-1])
    return torch.addmm(bias, x.reshape(-1, x.shape[-1]), weight).view(shape)


def project(x, g, b, w_qkv, b_qkv):
    h = layer_norm(x, (WIDTH,), g, b)
    q, k, v = conv1d(h, w_qkv, b_qkv).split(WIDTH, dim=2)
    split = (*x.shape[:-1], HEADS, HEAD)
    return q.view(split), k.view(split), v.view(split)


def finish(attended, x, w_o, b_o, g, b, w_up, b_up, w_down, b_down):
    x = x + conv1d(attended.reshape(x.shape), w_o, b_o)
    h = layer_norm(x, (WIDTH,), g, b)
    return x + conv1d(gelu(conv1d(h, w_up, b_up), approximate="tanh"), w_down, b_down)


class Block(torch.nn.Module):
    def forward(self, x, g1, b1, w_qkv, b_qkv, w_o, b_o, g2, b2, w_up, b_up, w_down,
                b_down):
        q, k, v = project(x, g1, b1, w_qkv, b_qkv)
        return finish(attention(q, k, v), x, w_o, b_o, g2, b2, w_up, b_up, w_down,
                      b_down)


class Fused(torch.nn.Module):
    def forward(self, attended, x, w_o, b_o, g2, b2, w_up, b_up, w_down, b_down, g1,
                b1, w_qkv, b_qkv):
        x = finish(attended, x, w_o, b_o, g2, b2, w_up, b_up, w_down, b_down)
        return (x, *project(x, g1, b1, w_qkv, b_qkv))


def main():
    options = parse_arguments("block", "fused")
    x = (BATCH, SEQUENCE, WIDTH)
    first = [(WIDTH,), (WIDTH,), (WIDTH, 3 * WIDTH), (3 * WIDTH,)]
    rest = [(WIDTH, WIDTH), (WIDTH,), (WIDTH,), (WIDTH,), (WIDTH, HIDDEN), (HIDDEN,),
            (HIDDEN, WIDTH), (WIDTH,)]
    if options.variant == "block":
        module, shapes, moving = Block(), [x, *first, *rest], 1
    else:
        attended = (BATCH, SEQUENCE, HEADS, HEAD)
        module, shapes, moving = Fused(), [attended, x, *rest, *first], 2
    dynamic = [(1,)] * moving + [()] * (len(shapes) - moving)
    export(module, tensors(*shapes), "block", options.dynamic and dynamic)


if __name__ == "__main__":
    main()
