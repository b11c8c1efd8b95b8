"""Exports a transformer MLP to linalg with torch-mlir.

    pip install torch torch-mlir
    python test/Integration/export/mlp.py gelu
    python test/Integration/export/mlp.py swiglu

The tests need neither: what it prints is committed, below the RUN lines of
test/Integration/CPU/mlp.mlir and swiglu.mlir.
"""

import sys

import torch
from torch.nn.functional import gelu, linear, silu
from torch_mlir import fx


class GeluMlp(torch.nn.Module):
    """Linear, bias, GELU, linear, bias, residual."""

    def forward(self, x, w1, b1, w2, b2):
        return x + linear(gelu(linear(x, w1, b1)), w2, b2)


class SwigluMlp(torch.nn.Module):
    """SwiGLU with separate gate and up weights, residual."""

    def forward(self, x, w_gate, w_up, w_down):
        return x + linear(silu(linear(x, w_gate)) * linear(x, w_up), w_down)


def main():
    batch, sequence, width, hidden = 2, 32, 256, 512
    # Weights are arguments: constants would make the file large.
    sizes = {
        "gelu": (GeluMlp(), [(batch, sequence, width), (hidden, width), (hidden,),
                             (width, hidden), (width,)]),
        "swiglu": (SwigluMlp(), [(batch, sequence, width), (hidden, width),
                                 (hidden, width), (width, hidden)]),
    }
    module, shapes = sizes[sys.argv[1]]
    arguments = [torch.zeros(shape, dtype=torch.bfloat16) for shape in shapes]
    print(fx.export_and_import(module, *arguments, func_name="mlp",
                               output_type="linalg-on-tensors"))


if __name__ == "__main__":
    main()
