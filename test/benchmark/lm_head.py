#!/usr/bin/env python3
"""Times the end of a language model, norm to loss, on a Hopper GPU.

    lm_head.py FOLDER

FOLDER holds lm-head.json and lm-head.ptx, made without a GPU by

    coda-compile test/benchmark/Inputs/lm-head.mlir -o FOLDER/lm-head.ptx

16384 tokens, width 4096, 32768 words: RMSNorm, logits, mean cross-entropy with
targets of -100 left out. Beside it, in one process and in random order, the same
by torch.compile, and cuBLAS's product of the logits alone. Figures are medians.
The loss is compared with that of the function in f32.
"""

import pathlib
import sys

import torch
from torch.nn.functional import cross_entropy, linear

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "python"))
from block import rms_norm  # noqa: E402
from coda import runtime  # noqa: E402
from timing import normal, print_times  # noqa: E402

BATCH, SEQUENCE, WIDTH, VOCABULARY = 8, 2048, 4096, 32768


def head(x, g, w, targets):
    logits = linear(rms_norm(x, g), w).float()
    return cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1),
                         ignore_index=-100)


def main():
    torch.manual_seed(0)
    folder = pathlib.Path(sys.argv[1])
    module = runtime.load(str(folder / "lm-head.json"),
                          str(folder / "lm-head.ptx"))
    function = module["head"]
    x = normal(BATCH, SEQUENCE, WIDTH)
    g = normal(WIDTH)
    w = normal(VOCABULARY, WIDTH, scale=WIDTH**-0.5)
    targets = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE), device="cuda")
    targets[torch.rand(BATCH, SEQUENCE, device="cuda") < 0.1] = -100
    inputs = [x, g, w, targets]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, bf16")
    exact = head(x.float(), g.float(), w.float(), targets).item()
    eager = head(*inputs).item()
    ours = function(*inputs).item()
    print(f"loss {ours:.6f}, in f32 {exact:.6f}, eager in bf16 {eager:.6f}")
    assert abs(ours - exact) < 2 * abs(eager - exact) + 1e-4, "WRONG"
    compiled = torch.compile(head)
    matrix = x.view(-1, WIDTH)
    out = torch.empty(len(matrix), VOCABULARY, device="cuda",
                      dtype=torch.bfloat16)
    runs = {
        "ours": lambda: function(*inputs),
        "compile": lambda: compiled(*inputs),
        "product alone": lambda: torch.matmul(matrix, w.T, out=out),
    }
    print_times(runs)


if __name__ == "__main__":
    main()
