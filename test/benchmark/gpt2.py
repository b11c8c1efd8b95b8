#!/usr/bin/env python3
"""Times what lies between two attentions of a GPT-2 block on a Hopper GPU.

    gpt2.py FOLDER

FOLDER holds gpt2-block.json and gpt2-block.ptx, made without a GPU by

    coda-compile test/benchmark/Inputs/gpt2-block.mlir -o FOLDER/gpt2-block.ptx

8 sequences of 2048 tokens, width 4096, MLP 8192, 32 heads of 128, weights stored
[k, n]: output projection, residual, LayerNorm, MLP with GELU (tanh), residual,
LayerNorm, the next layer's q, k and v, all with biases. Beside it, in one process
and in random order, the same by torch.compile. Figures are medians.

Errors are against the function in f32; beside them those of PyTorch's eager bf16.
"""

import pathlib
import sys

import torch
from torch.nn.functional import gelu, layer_norm

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "python"))
from coda import runtime  # noqa: E402
from timing import normal, print_errors, print_times  # noqa: E402

BATCH, SEQUENCE, WIDTH, HIDDEN, HEADS = 8, 2048, 4096, 8192, 32


def block(attended, x, w_o, b_o, g1, b1, w_up, b_up, w_down, b_down, g2, b2,
          w_qkv, b_qkv):
    x = x + (attended.flatten(2) @ w_o + b_o)
    h = layer_norm(x, (WIDTH,), g1, b1)
    x = x + (gelu(h @ w_up + b_up, approximate="tanh") @ w_down + b_down)
    h = layer_norm(x, (WIDTH,), g2, b2)
    return x, *(h @ w_qkv + b_qkv).split(WIDTH, -1)


def make_inputs():
    def linear(k, n):
        return normal(k, n, scale=k**-0.5), normal(n)

    return [normal(BATCH, SEQUENCE, HEADS, WIDTH // HEADS),
            normal(BATCH, SEQUENCE, WIDTH), *linear(WIDTH, WIDTH),
            normal(WIDTH), normal(WIDTH), *linear(WIDTH, HIDDEN),
            *linear(HIDDEN, WIDTH), normal(WIDTH), normal(WIDTH),
            *linear(WIDTH, 3 * WIDTH)]


def main():
    torch.manual_seed(0)
    folder = pathlib.Path(sys.argv[1])
    module = runtime.load(str(folder / "gpt2-block.json"),
                          str(folder / "gpt2-block.ptx"))
    function = module["block"]
    inputs = make_inputs()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, bf16")
    exact = block(*(x.float() for x in inputs))
    print_errors("xqkv", function(*inputs), block(*inputs), exact)
    del exact
    compiled = torch.compile(block)
    print_times({"ours": lambda: function(*inputs),
                 "compile": lambda: compiled(*inputs)})


if __name__ == "__main__":
    main()
