"""Exports a Llama block to linalg with torch-mlir.

    python test/Integration/export/llama.py block [--dynamic]
    python test/Integration/export/llama.py fused [--dynamic]
    python test/Integration/export/llama.py benchmark

`block` is a layer as it stands in a model: norm, q, k and v with rotary
embedding, attention (a call), output projection, residual, norm, SwiGLU,
residual. `fused` is the part of it that follows attention, and the projections
of the next layer: what lies between two attentions. `benchmark` is `fused` in
the sizes of docs/benchmarks.md.

What it prints is committed below the RUN lines of test/Integration/CPU/llama*.mlir,
and as test/benchmark/Inputs/llama-block.mlir.
"""

import torch
from torch.nn.functional import linear, silu

from exporting import (BATCH, SEQUENCE, apply_rotary, attention, export,
                       parse_arguments, rms_norm, tensors)

WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD = 128, 256, 4, 2, 32


def project(x, w_q, w_k, w_v, cos, sin):
    """q, k, v as [B, S, H, h]."""
    split = (*x.shape[:-1], -1, HEAD)
    q = linear(x, w_q).view(split).transpose(1, 2)
    k = linear(x, w_k).view(split).transpose(1, 2)
    v = linear(x, w_v).view(split)
    q, k = apply_rotary(q, k, cos, sin)
    return q.transpose(1, 2), k.transpose(1, 2), v


def finish(attended, x, w_o, g_post, w_gate, w_up, w_down):
    x = x + linear(attended.reshape(*x.shape[:-1], -1), w_o)
    h = rms_norm(x, g_post)
    return x + linear(silu(linear(h, w_gate)) * linear(h, w_up), w_down)


class Block(torch.nn.Module):
    def forward(self, x, cos, sin, g_in, w_q, w_k, w_v, *rest):
        q, k, v = project(rms_norm(x, g_in), w_q, w_k, w_v, cos, sin)
        return finish(attention(q, k, v), x, *rest)


class Fused(torch.nn.Module):
    def forward(self, attended, x, cos, sin, w_o, g_post, w_gate, w_up, w_down,
                g_next, w_q, w_k, w_v):
        x = finish(attended, x, w_o, g_post, w_gate, w_up, w_down)
        return (x, *project(rms_norm(x, g_next), w_q, w_k, w_v, cos, sin))


def main():
    global WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD, BATCH, SEQUENCE
    options = parse_arguments("block", "fused", "benchmark")
    if options.variant == "benchmark":
        WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD = 4096, 11008, 32, 32, 128
        BATCH, SEQUENCE = 8, 2048
    x = (BATCH, SEQUENCE, WIDTH)
    angles = [(BATCH, SEQUENCE, HEAD)] * 2
    qkv = [(HEADS * HEAD, WIDTH), (KV_HEADS * HEAD, WIDTH), (KV_HEADS * HEAD, WIDTH)]
    rest = [(WIDTH, HEADS * HEAD), (WIDTH,), (HIDDEN, WIDTH), (HIDDEN, WIDTH),
            (WIDTH, HIDDEN)]
    if options.variant == "block":
        module, shapes, moving = Block(), [x, *angles, (WIDTH,), *qkv, *rest], 3
    else:
        attended = (BATCH, SEQUENCE, HEADS, HEAD)
        module, shapes, moving = Fused(), [attended, x, *angles, *rest, (WIDTH,), *qkv], 4
    dynamic = [(1,)] * moving + [()] * (len(shapes) - moving)
    if options.variant == "block":
        # torch.export counts variadic arguments as one tuple.
        class Plain(torch.nn.Module):
            def forward(self, x, cos, sin, g_in, w_q, w_k, w_v, w_o, g_post, w_gate,
                        w_up, w_down):
                return module(x, cos, sin, g_in, w_q, w_k, w_v, w_o, g_post, w_gate,
                              w_up, w_down)
        exported = Plain()
    else:
        exported = module
    export(exported, tensors(*shapes), "block", options.dynamic and dynamic)


if __name__ == "__main__":
    main()
