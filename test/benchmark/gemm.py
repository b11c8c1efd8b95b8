#!/usr/bin/env python3
"""Times fused kernels beside cuBLAS's plain product on a Hopper GPU.

    gemm.py BUNDLE [--only TYPE,...] [--shapes COUNT]

BUNDLE is what `bundle.py BIN BUNDLE --benchmark [--only ...]` wrote; --only takes
some of the types bf16, fp8 and int8 in it. All runs are in one process,
interleaved, on random data; a figure is the median of the rounds' medians.
Correctness is checked first. `ratio` is cuBLAS's time for the plain product over
ours for the whole function: 1 or more means that the epilogue cost nothing. The
plain product is torch.matmul, for fp8 torch._scaled_mm (with the fast
accumulation that Coda has, too) and for int8 torch._int_mm, which gives i32.
"""

import argparse
import math
import pathlib
import statistics
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "build" / "python"))
from coda import runtime  # noqa: E402
from timing import time_calls  # noqa: E402

ROUNDS, CALLS = 7, 8
ROWS = 512  # that are checked
OUTPUTS = {"bf16": torch.bfloat16, "e4m3": torch.bfloat16, "i8": torch.int8,
           "e4m3_e4m3out": torch.float8_e4m3fn, "i8_i32out": torch.int32,
           "i8_bf16out": torch.bfloat16}


def kind_of(types):
    return {"b": "bf16", "e": "fp8", "i": "int8"}[types[0]]


class Inputs:
    """What all functions of one type and shape are applied to."""

    def __init__(self, kind, m, n, k):
        self.k = k
        options = dict(device="cuda", dtype=torch.bfloat16)
        if kind == "int8":
            self.a, self.b = (torch.randint(-128, 128, (x, k), device="cuda",
                                            dtype=torch.int8) for x in (m, n))
        else:
            self.a, self.b = torch.randn(m, k, **options), torch.randn(n, k, **options)
        if kind == "bf16":
            self.b /= k**0.5
        elif kind == "fp8":
            self.a, self.b = (x.to(torch.float8_e4m3fn) for x in (self.a, self.b))
        self.scales = [torch.tensor(s, device="cuda") for s in (0.5, 2 / k**0.5)]
        spread = torch.rand(m + n, device="cuda") + 0.5
        self.rows, self.columns = spread[:m], spread[m:] / (100 * k**0.5)
        self.bias, self.c = torch.randn(n, **options), torch.randn(m, n, **options)
        product = torch.empty(m, n, **options)
        self.vendor = {
            "bf16": lambda: torch.matmul(self.a, self.b.t(), out=product),
            "fp8": lambda: torch._scaled_mm(
                self.a, self.b.t(), *self.scales, out_dtype=torch.bfloat16,
                use_fast_accum=True),
            "int8": lambda: torch._int_mm(self.a, self.b.t()),
        }[kind]

    def operands(self, epilogue):
        of = {"scaled": self.scales, "rows": [self.rows], "columns": [self.columns],
              "bias": [self.bias], "residual": [self.c]}
        return [x for step in epilogue.split("_") for x in of.get(step, [])]

    def exact(self, epilogue):
        """The first rows, in f32."""
        a, b = self.a[:ROWS], self.b.t()
        if self.a.dtype == torch.int8:
            value = a.double() @ b.double()
            value = value if epilogue == "plain" else value.float()
        else:
            value = a.float() @ b.float()
        for step in epilogue.split("_"):
            if step == "scaled":
                value *= self.scales[0] * self.scales[1]
            elif step == "rows":
                value *= self.rows[:ROWS, None]
            elif step == "columns":
                value *= self.columns
            elif step == "bias":
                value += self.bias.float()
            elif step == "residual":
                value += self.c[:ROWS].float()
            elif step == "gelu":
                value = torch.nn.functional.gelu(value)
            elif step == "round":
                value = value.round().clamp(-128, 127)
        return value


def check(name, out, exact, inputs):
    got = out[:ROWS].to(exact.dtype)
    error = (got - exact).abs().max().item()
    if not out.is_floating_point():
        allowed = 0.5
    else:
        allowed = 2 * (exact.to(out.dtype).to(exact.dtype) - exact).abs().max().item()
    if inputs.a.dtype == torch.float8_e4m3fn:
        # Tensor cores keep some 13 bits of a sum of 32 products.
        allowed += inputs.k // 32 * 2.0**-13 * exact.abs().max().item()
    if not error <= allowed or (
            out.is_floating_point() and out.float().isnan().any().item()):
        sys.exit(f"wrong: {name}: error {error}, allowed {allowed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("--only", help="types, by commas: bf16, fp8, int8")
    parser.add_argument("--shapes", type=int, help="how many, of the first")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    names = {}
    for path in sorted(options.bundle.glob("*.json")):
        epilogue, types, shape = path.stem.split("-")
        kind = kind_of(types)
        if not options.only or kind in options.only.split(","):
            sizes = tuple(map(int, shape.split("x")))
            names.setdefault(kind, {}).setdefault(sizes, []).append(
                (epilogue, types, path))
    for kind, shapes in names.items():
        benchmark(kind, list(shapes.items())[:options.shapes])


def benchmark(kind, shapes):
    ratios = {}
    labels = [f"{e} ({t})" for e, t, _ in shapes[0][1]]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {kind}, "
          "B stored [n, k]: TFLOP/s (ratio)")
    print(f"| M,N,K | cuBLAS | {' | '.join(labels)} |")
    for (m, n, k), cases in shapes:
        inputs = Inputs(kind, m, n, k)
        runs = {"cublas": inputs.vendor}
        runs["cublas"]()
        for label, (epilogue, types, path) in zip(labels, cases):
            function = runtime.load(str(path), str(path.with_suffix(".ptx")))["f"]
            operands = inputs.operands(epilogue)
            out = torch.zeros(m, n, device="cuda", dtype=OUTPUTS[types])

            def run(function=function, operands=operands, out=out):
                function(inputs.a, inputs.b, *operands, out=out)

            run()
            check(path.stem, out, inputs.exact(epilogue), inputs)
            runs[label] = run
        times = {name: [] for name in runs}
        for _ in range(ROUNDS):
            for name, run in runs.items():
                times[name].append(time_calls(run, CALLS, warmups=2))
        base = statistics.median(times["cublas"])
        line = f"| {m},{n},{k} | {2 * m * n * k / base / 1e9:.0f} |"
        for name in labels:
            ratio = base / statistics.median(times[name])
            ratios.setdefault(name, []).append(ratio)
            rate = 2 * m * n * k / statistics.median(times[name]) / 1e9
            line += f" {rate:.0f} ({ratio:.3f}) |"
        print(line, flush=True)
        del inputs, runs
        torch.cuda.empty_cache()
    for name, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{name}: geometric mean {mean:.3f}, least {min(values):.3f}")


main()
