"""Exports a projection that is quantised in groups of 128 columns, each by its
greatest absolute value, to linalg with torch-mlir.

    python test/Integration/export/quantize.py int8
    python test/Integration/export/quantize.py scales

`int8` gives the rounded quotients and the scales, `scales` the projection itself
and the scales. What it prints is committed, below the RUN lines of
test/Integration/CPU/quantize.mlir.
"""

import torch
from torch.nn.functional import linear

from exporting import BATCH, SEQUENCE, export, parse_arguments, tensors

HIDDEN, GROUP, WIDTH = 64, 128, 384


def get_groups(x, w):
    return linear(x, w).view(BATCH, SEQUENCE, WIDTH // GROUP, GROUP)


def get_scales(groups):
    return groups.abs().amax(-1, keepdim=True).clamp(min=1e-4) / 127


class Int8(torch.nn.Module):
    def forward(self, x, w):
        groups = get_groups(x, w).to(torch.float32)
        scales = get_scales(groups)
        quotients = torch.round(groups / scales).to(torch.int8)
        return quotients.view(BATCH, SEQUENCE, WIDTH), scales.squeeze(-1)


class Scales(torch.nn.Module):
    def forward(self, x, w):
        y = linear(x, w)
        groups = y.view(BATCH, SEQUENCE, WIDTH // GROUP, GROUP)
        return y, get_scales(groups.to(torch.float32)).squeeze(-1)


def main():
    module = Int8() if parse_arguments("int8", "scales").variant == "int8" else Scales()
    export(module, tensors((BATCH, SEQUENCE, HIDDEN), (WIDTH, HIDDEN)), "f")


if __name__ == "__main__":
    main()
