"""Exports what lies between two attentions of a Qwen3 model to linalg with
torch-mlir: as llama.py, but q and k are normalised head by head (QK-norm)
before the rotary embedding.

    python test/Integration/export/qwen3.py project [--dynamic]
    python test/Integration/export/qwen3.py fused [--dynamic]

`project` is the q, k and v projections alone.
"""

import torch
from torch.nn.functional import linear, silu

from exporting import (BATCH, SEQUENCE, apply_rotary, export, parse_arguments,
                       rms_norm, tensors)

WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD = 128, 256, 4, 2, 32


def project(h, w_q, w_k, w_v, g_q, g_k, cos, sin):
    split = (*h.shape[:-1], -1, HEAD)
    q = rms_norm(linear(h, w_q).view(split), g_q, 1e-6).transpose(1, 2)
    k = rms_norm(linear(h, w_k).view(split), g_k, 1e-6).transpose(1, 2)
    v = linear(h, w_v).view(split)
    q, k = apply_rotary(q, k, cos, sin)
    return q.transpose(1, 2), k.transpose(1, 2), v


class Project(torch.nn.Module):
    def forward(self, x, cos, sin, w_q, w_k, w_v, g_q, g_k):
        return project(x, w_q, w_k, w_v, g_q, g_k, cos, sin)


class Fused(torch.nn.Module):
    def forward(self, attended, x, cos, sin, w_o, g_post, w_gate, w_up, w_down,
                g_next, w_q, w_k, w_v, g_q, g_k):
        x = x + linear(attended.reshape(*x.shape[:-1], -1), w_o)
        h = rms_norm(x, g_post, 1e-6)
        x = x + linear(silu(linear(h, w_gate)) * linear(h, w_up), w_down)
        h = rms_norm(x, g_next, 1e-6)
        return (x, *project(h, w_q, w_k, w_v, g_q, g_k, cos, sin))


def main():
    options = parse_arguments("project", "fused")
    x = (BATCH, SEQUENCE, WIDTH)
    angles = [(BATCH, SEQUENCE, HEAD)] * 2
    qkv = [(HEADS * HEAD, WIDTH), (KV_HEADS * HEAD, WIDTH), (KV_HEADS * HEAD, WIDTH),
           (HEAD,), (HEAD,)]
    if options.variant == "project":
        module, shapes, moving = Project(), [x, *angles, *qkv], 3
    else:
        attended = (BATCH, SEQUENCE, HEADS, HEAD)
        rest = [(WIDTH, HEADS * HEAD), (WIDTH,), (HIDDEN, WIDTH), (HIDDEN, WIDTH),
                (WIDTH, HIDDEN), (WIDTH,)]
        module, shapes, moving = Fused(), [attended, x, *angles, *rest, *qkv], 4
    dynamic = [(1,)] * moving + [()] * (len(shapes) - moving)
    export(module, tensors(*shapes), "block", options.dynamic and dynamic)


if __name__ == "__main__":
    main()
