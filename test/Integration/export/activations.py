"""Exports gated MLPs and a rotary embedding of adjacent pairs to linalg with
torch-mlir.

    python test/Integration/export/activations.py geglu
    python test/Integration/export/activations.py geglu-tanh-halves
    python test/Integration/export/activations.py rope

The tests need neither: what it prints is committed, below the RUN lines of
test/Integration/CPU/gated.mlir, rope-pairs.mlir and others.
"""

import torch
from torch.nn.functional import gelu, linear, relu, silu

import exporting
from exporting import BATCH, SEQUENCE

HIDDEN, WIDTH = 64, 96


def swiglu_clamped(gate, up, alpha=1.702, limit=7.0):
    """That of GPT-OSS."""
    gate = gate.clamp(min=None, max=limit)
    up = up.clamp(min=-limit, max=limit)
    return (up + 1) * (gate * torch.sigmoid(gate * alpha))


ACTIVATIONS = {
    "swiglu": lambda gate, up: silu(gate) * up,
    "geglu": lambda gate, up: gelu(gate) * up,
    "geglu-tanh": lambda gate, up: gelu(gate, approximate="tanh") * up,
    "reglu": lambda gate, up: relu(gate) * up,
    "swiglu-clamped": swiglu_clamped,
}


class Gated(torch.nn.Module):
    """Two projections of one input."""

    def __init__(self, activation):
        super().__init__()
        self.activation = activation

    def forward(self, x, gate, up):
        return self.activation(linear(x, gate), linear(x, up))


class GatedHalves(torch.nn.Module):
    """One projection, of which each half is a gate or what is gated."""

    def __init__(self, activation):
        super().__init__()
        self.activation = activation

    def forward(self, x, weight):
        return self.activation(*linear(x, weight).chunk(2, dim=-1))


class RotaryPairs(torch.nn.Module):
    """Rotates columns 2j and 2j + 1 of each head, as GPT-J does."""

    def forward(self, x, weight, cos, sin):
        y = linear(x, weight).view(BATCH, SEQUENCE, 4, 32)
        even, odd = y[..., 0::2], y[..., 1::2]
        cos, sin = cos[:, :, None, :], sin[:, :, None, :]
        rotated = (even * cos - odd * sin, odd * cos + even * sin)
        return torch.stack(rotated, dim=-1).flatten(-2)


class GptJRotary(torch.nn.Module):
    """The same as Hugging Face writes it for GPT-J: rotate_every_two."""

    def forward(self, x, weight, cos, sin):
        y = linear(x, weight).view(BATCH, SEQUENCE, 4, 32)
        cos = torch.repeat_interleave(cos[:, :, None, :], 2, 3)
        sin = torch.repeat_interleave(sin[:, :, None, :], 2, 3)
        turned = torch.stack((-y[..., 1::2], y[..., ::2]), dim=-1).flatten(-2)
        return y * cos + turned * sin


def main():
    variants = [name + kind for name in ACTIVATIONS for kind in ("", "-halves")]
    arguments = exporting.parse_arguments(*variants, "rope", "rope-gptj")
    x = (BATCH, SEQUENCE, HIDDEN)
    if arguments.variant.startswith("rope"):
        module = RotaryPairs() if arguments.variant == "rope" else GptJRotary()
        table = (BATCH, SEQUENCE, 16)
        shapes = [x, (128, HIDDEN), table, table]
    elif arguments.variant.endswith("-halves"):
        module = GatedHalves(ACTIVATIONS[arguments.variant.removesuffix("-halves")])
        shapes = [x, (2 * WIDTH, HIDDEN)]
    else:
        module = Gated(ACTIVATIONS[arguments.variant])
        shapes = [x, (WIDTH, HIDDEN), (WIDTH, HIDDEN)]
    exporting.export(module, exporting.tensors(*shapes), "f")


main()
