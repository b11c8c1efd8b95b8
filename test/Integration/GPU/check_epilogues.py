"""References of the kernels of epilogues.py, in PyTorch."""

import torch
from torch.nn import functional

ACTIVATIONS = {
    "relu": torch.relu,
    "relu2": lambda z: torch.relu(z)**2,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelutanh": lambda z: functional.gelu(z, approximate="tanh"),
}


def clamped(gate, up):
    gate, up = gate.clamp(max=7), up.clamp(-7, 7)
    return gate * torch.sigmoid(1.702 * gate) * (up + 1)


GATED = {
    "geglu": lambda gate, up: ACTIVATIONS["gelu"](gate) * up,
    "geglutanh": lambda gate, up: ACTIVATIONS["gelutanh"](gate) * up,
    "reglu": lambda gate, up: torch.relu(gate) * up,
    "clamped": clamped,
}
KINDS = {*ACTIVATIONS, *GATED, "lnp", "lnc", "scale"}
TWO_SIDED = set(GATED)


def references(kind, x, rest):
    """The results; `x` are the products in f32."""
    if kind in ACTIVATIONS:
        z = x[0] + rest[0].float()
        return [z, ACTIVATIONS[kind](z)]
    if kind in GATED:
        return [GATED[kind](*x)]
    if kind == "lnp":
        c, g = rest
        d = x[0] + c.float()
        return [d, d * g.float(), d.sum(1), (d * d).sum(1)]
    if kind == "lnc":
        r, mu, u, v = rest
        return [x[0] * r[:, None] - (r * mu)[:, None] * u + v]
    alpha, beta, rows, columns, c = rest
    d = alpha * x[0] * rows[:, None] * columns + beta * c.float()
    return [d, d.abs().amax(1)]


def make_rest(kind, m, n, normal):
    """The inputs after A and the right-hand sides."""
    f32 = torch.float32
    if kind in ACTIVATIONS:
        return [normal(n)]
    if kind in GATED:
        return []
    if kind == "lnp":
        return [normal(m, n), normal(n)]
    if kind == "lnc":
        return [normal(*shape, dtype=f32) for shape in ((m,), (m,), (n,), (n,))]
    return [*(normal(dtype=f32) for _ in range(2)), normal(m, dtype=f32),
            normal(n, dtype=f32), normal(m, n)]
