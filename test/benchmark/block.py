#!/usr/bin/env python3
"""Times what lies between two attentions of a Llama block on a Hopper GPU.

    block.py FOLDER

FOLDER holds llama-block.json and llama-block.ptx, made without a GPU by

    coda-compile test/benchmark/Inputs/llama-block.mlir -o FOLDER/llama-block.ptx

8 sequences of 2048 tokens, width 4096, MLP 11008, 32 heads of 128 (see
test/Integration/export/llama.py): output projection, residual, RMSNorm, SwiGLU,
residual, RMSNorm, the next layer's q, k and v with rotary embedding. Beside it, in
one process and in random order: the same function by torch.compile, with q, k, v
and gate, up as single products. Figures are medians.

Errors are against the function in f32; beside them those of PyTorch's eager bf16.
"""

import pathlib
import sys

import torch
from torch.nn.functional import linear, silu

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "python"))
from coda import runtime  # noqa: E402
from timing import normal, print_errors, print_times  # noqa: E402

BATCH, SEQUENCE, WIDTH, HIDDEN, HEADS, HEAD = 8, 2048, 4096, 11008, 32, 128


def rms_norm(x, weight, eps=1e-5):
    dtype = x.dtype
    x = x.float()
    x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return weight * x.to(dtype)


def rotate(x, cos, sin):
    first, second = x[..., :HEAD // 2], x[..., HEAD // 2:]
    turned = torch.cat((-second, first), -1)
    return x * cos.unsqueeze(2) + turned * sin.unsqueeze(2)


def block(attended, x, cos, sin, w_o, g_post, w_gate, w_up, w_down, g_next, w_q,
          w_k, w_v):
    x = x + linear(attended.flatten(2), w_o)
    h = rms_norm(x, g_post)
    x = x + linear(silu(linear(h, w_gate)) * linear(h, w_up), w_down)
    h = rms_norm(x, g_next)
    q, k, v = (linear(h, w).unflatten(2, (HEADS, HEAD)) for w in (w_q, w_k, w_v))
    return x, rotate(q, cos, sin), rotate(k, cos, sin), v


def merged(attended, x, cos, sin, w_o, g_post, w_gate_up, w_down, g_next, w_qkv):
    """The same as a careful author writes it: products of one input merged."""
    x = x + linear(attended.flatten(2), w_o)
    gate, up = linear(rms_norm(x, g_post), w_gate_up).chunk(2, -1)
    x = x + linear(silu(gate) * up, w_down)
    q, k, v = (part.unflatten(2, (HEADS, HEAD)) for part in
               linear(rms_norm(x, g_next), w_qkv).chunk(3, -1))
    return x, rotate(q, cos, sin), rotate(k, cos, sin), v


def make_inputs():
    def weight(n, k):
        return normal(n, k, scale=k**-0.5)

    positions = torch.arange(SEQUENCE, device="cuda").float()
    frequencies = 1e4**(-torch.arange(0, HEAD, 2, device="cuda") / HEAD)
    angles = torch.outer(positions, frequencies).repeat(1, 2)
    angles = angles.expand(BATCH, -1, -1).contiguous()
    return [normal(BATCH, SEQUENCE, HEADS, HEAD), normal(BATCH, SEQUENCE, WIDTH),
            angles.cos().bfloat16(), angles.sin().bfloat16(),
            weight(WIDTH, WIDTH), normal(WIDTH), weight(HIDDEN, WIDTH),
            weight(HIDDEN, WIDTH), weight(WIDTH, HIDDEN), normal(WIDTH),
            *(weight(WIDTH, WIDTH) for _ in range(3))]


def main():
    torch.manual_seed(0)
    folder = pathlib.Path(sys.argv[1])
    module = runtime.load(str(folder / "llama-block.json"),
                          str(folder / "llama-block.ptx"))
    function = module["block"]
    inputs = make_inputs()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, bf16")
    ours = function(*inputs)
    eager = block(*inputs)
    exact = block(*(x.float() for x in inputs))
    print_errors("xqkv", ours, eager, exact)
    del ours, eager, exact
    attended, x, cos, sin, w_o, g_post, gate, up, w_down, g_next, *qkv = inputs
    others = [attended, x, cos, sin, w_o, g_post, torch.cat((gate, up)), w_down,
              g_next, torch.cat(qkv)]
    compiled = torch.compile(merged)
    separate = torch.compile(block)
    runs = {
        "ours": lambda: function(*inputs),
        "compile, merged weights": lambda: compiled(*others),
        "compile": lambda: separate(*inputs),
    }
    print_times(runs)


if __name__ == "__main__":
    main()
