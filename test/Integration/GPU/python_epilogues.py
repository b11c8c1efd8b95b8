#!/usr/bin/env python3
"""Epilogues written in Python, of every primitive, on a GPU.

    python_epilogues.py prepare BUILD BUNDLE   # needs LLVM, no GPU
    python_epilogues.py check BUNDLE           # needs a GPU and torch, no LLVM

`prepare` makes the package and a cache with the kernels; `check` runs each with
several M through coda.gemm and compares: max|out - ref32| < 2 max|ref16 - ref32| +
1e-6, ref32 from f32 copies of the inputs, ref16 from bf16 products. Where CuPy is
installed, it also runs one with CuPy's arrays and compares bit by bit.
"""

import os
import pathlib
import subprocess
import sys

N, K, HEAD = 512, 192, 128
ROWS = [2, 7, 129, 1000]  # 1 row would be a row for all: another kernel
KINDS = ("add", "max", "min", "absmax", "logsumexp")


def statistics(v):
    """Whole rows and columns, and groups."""
    return (*(coda.reduce(v, kind) for kind in KINDS),
            coda.reduce(v, "add", "rows"), coda.reduce(v, "max", "rows"),
            coda.reduce(v, "add", group=64))


def statistics_reference(v):
    return [v.sum(1), v.amax(1), v.amin(1), v.abs().amax(1), v.logsumexp(1),
            v.sum(0), v.amax(0), v.unflatten(1, (-1, 64)).sum(-1)]


def query(acc, norm, cos, sin):
    """Norm of heads, then rotary embedding with tables of [M, HEAD / 2]."""
    square = coda.repeat(coda.reduce(acc * acc, group=HEAD), HEAD)
    q = acc * coda.rsqrt(square / HEAD + 1e-6) * coda.cyclic(norm, acc)
    first, second = coda.unpair(q, HEAD // 2)
    c, s = coda.cyclic(cos, first), coda.cyclic(sin, first)
    return coda.pair(first * c - second * s, second * c + first * s, HEAD // 2)


def query_reference(v, norm, cos, sin):
    v = v.unflatten(1, (-1, HEAD))
    v = v * (v.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * norm
    first, second = v.chunk(2, -1)
    c, s = cos[:, None], sin[:, None]
    turned = first * c - second * s, second * c + first * s
    return [torch.cat(turned, -1).flatten(1)]


def neighbours(acc):
    """Gate and up projection interleaved, and the product as it was."""
    gate, up = coda.unpair(acc, 1)
    return coda.silu(gate) * up, acc


def neighbours_reference(v):
    gate, up = v[:, ::2], v[:, 1::2]
    return [torch.nn.functional.silu(gate) * up, v]


def loss(acc, target):
    return coda.reduce(acc, "logsumexp"), coda.select_column(acc, target)


def loss_reference(v, target):
    return [v.logsumexp(1), v.gather(1, target.long())[:, 0]]


def causal(acc, bias, scale):
    inside = coda.columns() <= coda.rows()
    return coda.where(inside, coda.tanh(acc) * scale + bias, -1.0)


def causal_reference(v, bias, scale):
    inside = torch.ones_like(v, dtype=torch.bool).tril()
    return [torch.where(inside, v.tanh() * scale + bias, -1.0)]


def gated(gate, up, skip, factor):
    return coda.gelu(gate, "tanh") * up * factor + skip


def gated_reference(gate, up, skip, factor):
    return [torch.nn.functional.gelu(gate, approximate="tanh") * up * factor + skip]


# Function, its reference, right-hand sides, and operands: type and shape, m for M.
CASES = [
    (statistics, statistics_reference, 1, []),
    (query, query_reference, 1, [("f32", (HEAD,)), ("bf16", ("m", HEAD // 2)),
                                 ("bf16", ("m", HEAD // 2))]),
    (neighbours, neighbours_reference, 1, []),
    (loss, loss_reference, 1, [("i32", ("m", 1))]),
    (causal, causal_reference, 1, [("f32", (N,)), 0.125]),
    (gated, gated_reference, 2, [("bf16", ("m", N)), ("f32", ("m", 1))]),
]


def make_shape(shape, m):
    return tuple(m if size == "m" else size for size in shape)


def prepare(build, bundle):
    global coda
    root = pathlib.Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, root / "python/bundle.py", build, bundle],
                   check=True)
    os.environ["CODA_CACHE_DIR"] = str(bundle / "cache")
    sys.path.insert(0, str(pathlib.Path(build).resolve() / "python"))
    import coda

    for function, _, sides, operands in CASES:
        x, w = coda.Spec("bf16", (8, K)), coda.Spec("bf16", (K, N), transposed=True)
        specs = [o if isinstance(o, float) else coda.Spec(o[0], make_shape(o[1], 8))
                 for o in operands]
        coda.build_gemm(x, (w,) * sides, *specs, epilogue=function)
        print(f"{function.__name__}: compiled")
    coda.build_gemm(coda.Spec("f16", (8, K)),
                    coda.Spec("f16", (K, N), transposed=True))


def check_case(case, m):
    function, reference, sides, operands = case
    types = {"f32": torch.float32, "bf16": torch.bfloat16}
    x = torch.randn(m, K, device="cuda").bfloat16()
    weights = [(torch.randn(N, K, device="cuda") * K**-0.5).bfloat16().T
               for _ in range(sides)]
    rest = [o if isinstance(o, float)
            else torch.randint(0, N, make_shape(o[1], m), device="cuda",
                               dtype=torch.int32) if o[0] == "i32"
            else torch.randn(make_shape(o[1], m), device="cuda").to(types[o[0]])
            for o in operands]
    results = coda.gemm(x, weights, *rest, epilogue=function)
    results = results if isinstance(results, tuple) else (results,)
    wide = [o.float() if isinstance(o, torch.Tensor) and o.is_floating_point() else o
            for o in rest]
    exact = reference(*(x.float() @ w.float() for w in weights), *wide)
    rough = reference(*((x @ w).float() for w in weights), *wide)
    worst = 0.0
    for out, ref32, ref16 in zip(results, exact, rough, strict=True):
        assert out.shape == ref32.shape, (out.shape, ref32.shape)
        allowed = 2 * (ref16.to(out.dtype).float() - ref32).abs().max() + 1e-6
        error = (out.float() - ref32).abs().max() / allowed
        worst = max(worst, error.item() if error == error else float("inf"))
    return worst


def check_cupy():
    try:
        import cupy
    except ImportError:
        print("cupy: not installed")
        return True
    x = torch.randn(300, K, device="cuda").half()
    w = torch.randn(N, K, device="cuda").half().T
    expected = coda.gemm(x, w)
    with cupy.cuda.Stream(non_blocking=True):
        ours = coda.gemm(cupy.asarray(x), cupy.asarray(w))
        assert isinstance(ours, cupy.ndarray) and ours.dtype == cupy.float16
        right = bool((ours == cupy.asarray(expected)).all())
    print(f"cupy {cupy.__version__}: {'ok' if right else 'WRONG'}")
    return right


def check(bundle):
    global coda, torch
    os.environ["CODA_CACHE_DIR"] = str(bundle / "cache")
    os.environ["CODA_COMPILER_LIBRARY"] = ""
    sys.path.insert(0, str(bundle.resolve()))
    import torch

    import coda

    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    wrong = 0
    for case in CASES:
        errors = [check_case(case, m) for m in ROWS]
        bad = [m for m, error in zip(ROWS, errors) if not error < 1]
        wrong += len(bad)
        print(f"{case[0].__name__:12} worst error {max(errors):.2f} of what is "
              f"allowed {'WRONG for M = ' + str(bad) if bad else 'ok'}", flush=True)
    wrong += not check_cupy()
    print(f"{wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    command, *folders = sys.argv[1:]
    paths = [pathlib.Path(folder) for folder in folders]
    sys.exit({"prepare": prepare, "check": check}[command](*paths))
