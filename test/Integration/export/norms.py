"""Exports a product, a normalisation and the next product, and an LM head with
its loss, to linalg with torch-mlir.

    pip install torch torch-mlir
    python test/Integration/export/norms.py rmsnorm bf16

The tests need neither: what it prints is committed, below the RUN lines of
test/Integration/CPU/{rmsnorm,layernorm,layernorm-f32,cross-entropy,losses}.mlir.
"""

import sys

import torch
from torch.nn.functional import cross_entropy, layer_norm, linear
from torch_mlir import fx


class RmsNorm(torch.nn.Module):
    """Residual, RMSNorm as in Llama, and the next product."""

    def forward(self, a, x, w0, g, w1):
        h = x + linear(a, w0)
        f = h.to(torch.float32)
        r = torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-5)
        n = g * (f * r).to(h.dtype)
        return linear(n, w1), h


class LayerNorm(torch.nn.Module):
    """Bias, residual, LayerNorm and the next linear layer."""

    def forward(self, a, x, w0, b0, g, b, w1, b1):
        h = x + linear(a, w0, b0)
        n = layer_norm(h, (h.shape[-1],), g, b)
        return linear(n, w1, b1), h


class CrossEntropy(torch.nn.Module):
    """LM head and mean loss; -100 is the target to ignore."""

    def forward(self, a, w, target):
        logits = linear(a, w).flatten(0, 1).float()
        return cross_entropy(logits, target.flatten())


class Losses(torch.nn.Module):
    """LM head, a loss each row, and the logits."""

    def forward(self, a, w, target):
        logits = linear(a, w)
        losses = cross_entropy(logits.flatten(0, 1).float(), target.flatten(),
                               reduction="none")
        return losses, logits


def main():
    batch, sequence, width, hidden, words = 2, 8, 16, 32, 40
    dtype = {"bf16": torch.bfloat16, "f32": torch.float32}[sys.argv[2]]

    def zeros(*shape):
        return torch.zeros(shape, dtype=dtype)

    # Each argument a tensor of its own: torch merges those that are one.
    def activation():
        return zeros(batch, sequence, width)

    def head():
        return [activation(), zeros(words, width),
                torch.zeros((batch, sequence), dtype=torch.int64)]

    modules = {
        "rmsnorm": (RmsNorm(), [activation(), activation(), zeros(width, width),
                                zeros(width), zeros(hidden, width)]),
        "layernorm": (LayerNorm(), [activation(), activation(), zeros(width, width),
                                    zeros(width), zeros(width), zeros(width),
                                    zeros(hidden, width), zeros(hidden)]),
        "cross-entropy": (CrossEntropy(), head()),
        "losses": (Losses(), head()),
    }
    module, arguments = modules[sys.argv[1]]
    print(fx.export_and_import(module, *arguments, func_name="main",
                               output_type="linalg-on-tensors"))


if __name__ == "__main__":
    main()
