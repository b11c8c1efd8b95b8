#!/usr/bin/env python3
"""Checks the kernels of forward.py and epilogues.py on a GPU.

    check_forward.py FOLDER

runs every kernel in FOLDER for several M, with results that hold NaN before,
and compares: max|out - ref32| < 2 max|ref16 - ref32| + 1e-6 (the oracle of the
project), ref32 from f32 copies of the inputs, ref16 from bf16 products. Prints
a line a kernel.
"""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "build" / "python"))
import check_epilogues  # noqa: E402
from coda import runtime  # noqa: E402

HEAD = 128
ROWS = [1, 7, 64, 129, 1000, 4097]
REDUCTIONS = {"lse", "max"}
TWO_SIDED = {"k2", "k8", *check_epilogues.TWO_SIDED}


def rotate(x, cos, sin):
    """Heads of width 128; the tables have a column a pair, or one a column."""
    m, n = x.shape
    x = x.reshape(m, n // HEAD, HEAD)
    first, second = x.chunk(2, -1)
    cos, sin = cos[:, None].to(x), sin[:, None].to(x)
    if cos.shape[-1] < HEAD:
        rotated = torch.cat((first * cos - second * sin,
                             second * cos + first * sin), -1)
    else:
        rotated = x * cos + torch.cat((-second, first), -1) * sin
    return rotated.reshape(m, n)


def silu_product(gate, up):
    return torch.nn.functional.silu(gate) * up


def after_k0(kind, n, inputs, product):
    """k0 and a kernel that reads its O and S."""
    a, weights, (c, g, *rest) = inputs
    d = product(a, weights[0]) + c.float()
    o = d * g.float()
    if product is product16:
        o = o.bfloat16()
    r = torch.rsqrt((d * d).sum(1) / n + 1e-5)
    return references(kind, n, (o, weights[1:], [r, *rest]), product)


def after_reduction(kind, inputs, product):
    """A product minus a reduction of the rows of the one before."""
    a, weights, _ = inputs
    x = product(a, weights[0])
    s = torch.logsumexp(x, 1) if kind == "lse" else x.amax(1)
    if product is product16:
        x = x.bfloat16()
    return [product(x, weights[1]) - s[:, None]]


def references(kind, n, inputs, product):
    """The results of a kernel; `product` computes A B^T in f32."""
    if kind.startswith("k0k"):
        return after_k0(kind[2:4], n, inputs, product)
    if kind[:3] in REDUCTIONS:
        return after_reduction(kind[:3], inputs, product)
    a, weights, rest = inputs
    x = [product(a, w) for w in weights]
    if kind in check_epilogues.KINDS:
        return check_epilogues.references(kind, x, rest)
    if kind == "k0":
        c, g = rest
        d = x[0] + c.float()
        return [d, d * g.float(), (d * d).sum(1)]
    if kind == "k1":
        return [x[0] * rest[0][:, None]]
    if kind == "k2":
        return [silu_product(x[0] * rest[0][:, None], x[1] * rest[0][:, None])]
    if kind == "k8":
        return [silu_product(*x)]
    if kind in ("k4", "k4f"):
        r, cos, sin = rest
        return [rotate(x[0] * r[:, None], cos, sin)]
    if kind == "k3":
        return [rotate(x[0], *rest)]
    if kind == "halves":
        first, second = x[0].reshape(len(a), -1, HEAD).chunk(2, -1)
        table, vector = (t.float() for t in rest)
        return [torch.cat((first * table[:, None], second * vector),
                          -1).reshape(x[0].shape)]
    if kind == "qkn":
        g, cos, sin = rest
        heads = x[0].reshape(x[0].shape[0], -1, g.shape[0])
        scale = torch.rsqrt((heads * heads).mean(-1, keepdim=True) + 1e-6)
        return [rotate((heads * scale * g).reshape(x[0].shape), cos, sin)]
    r, target = rest
    x = x[0] * r[:, None]
    inside = (target >= 0) & (target < n)
    chosen = x.gather(1, target.clamp(0, n - 1)[:, None])[:, 0]
    stats = [torch.logsumexp(x, 1), torch.where(inside, chosen, 0.0)]
    return stats if kind == "k9" else [x, *stats]


def make_inputs(kind, m, n, k):
    def normal(*shape, dtype=torch.bfloat16, scale=1.0):
        return (torch.randn(shape, device="cuda") * scale).to(dtype)

    if kind.startswith("k0k"):
        a, weights, rest = make_inputs("k0", m, n, k)
        _, others, (_, *others_rest) = make_inputs(kind[2:4], m, n, n)
        return a, weights + others, rest + others_rest
    if kind[:3] in REDUCTIONS:
        return (normal(m, k), [normal(n, size, scale=size ** -0.5)
                               for size in (k, n)], [])
    a = normal(m, k)
    weights = [normal(n, k, scale=k ** -0.5)
               for _ in range(2 if kind in TWO_SIDED else 1)]
    if kind in check_epilogues.KINDS:
        return a, weights, check_epilogues.make_rest(kind, m, n, normal)
    r = torch.rand(m, device="cuda") + 0.5
    angle = torch.rand(m, HEAD // 2, device="cuda") * 6.28
    table = [f(angle).bfloat16() for f in (torch.cos, torch.sin)]
    wide = [torch.cat((x, x), 1) for x in table]
    target = torch.randint(-3, n + 3, (m,), device="cuda")
    rest = {"k0": lambda: [normal(m, n), normal(n)],
            "k1": lambda: [r], "k2": lambda: [r], "k8": lambda: [],
            "k4": lambda: [r, *table], "k3": lambda: table,
            "k4f": lambda: [r, *wide],
            "halves": lambda: [table[0], normal(HEAD // 2)],
            "qkn": lambda: [torch.rand(HEAD, device="cuda") + 0.5, *table],
            "k5": lambda: [r, target], "k9": lambda: [r, target]}[kind]()
    return a, weights, rest


def product32(a, w):
    return a.float() @ w.float().T


def product16(a, w):
    return (a @ w.T).float()


def arguments(kind, inputs):
    """In the order of the function's."""
    a, weights, rest = inputs
    if not kind.startswith("k0k"):
        return [a, *weights, *rest]
    return [a, weights[0], *rest[:2], *weights[1:], *rest[2:]]


def check(function, kind, m, n, k):
    """The worst error as a share of what is allowed."""
    inputs = make_inputs(kind, m, n, k)
    results = function(*arguments(kind, inputs))
    results = results if isinstance(results, (list, tuple)) else [results]
    exact = references(kind, n, inputs, product32)
    rough = references(kind, n, inputs, product16)
    worst = 0.0
    for out, ref32, ref16 in zip(results, exact, rough):
        ref16 = ref16.to(out.dtype).float()
        allowed = 2 * (ref16 - ref32).abs().max().item() + 1e-6
        error = (out.float() - ref32).abs().max().item()
        worst = max(worst, error / allowed if error == error else float("inf"))
    return worst


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(0)
    folder = pathlib.Path(sys.argv[1])
    wrong = 0
    for manifest in sorted(folder.glob("*.json")):
        kind, n, k = manifest.stem.split("_")
        module = runtime.load(str(manifest), str(manifest.with_suffix(".ptx")))
        errors = [check(module[manifest.stem], kind, m, int(n), int(k))
                  for m in ROWS]
        bad = [m for m, error in zip(ROWS, errors) if not error < 1]
        wrong += len(bad)
        print(f"{manifest.stem:16} worst error {max(errors):.2f} of what is "
              f"allowed {'WRONG for M = ' + str(bad) if bad else 'ok'}",
              flush=True)
    print(f"{wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
