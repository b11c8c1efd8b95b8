#!/usr/bin/env python3
"""Times fused kernels beside cuBLAS's plain product on a Hopper GPU.

    gemm.py BUNDLE

BUNDLE is what `bundle.py BIN BUNDLE --benchmark` wrote. All runs are in one
process, interleaved, on random data; a figure is the median of the rounds'
medians. Correctness is checked first. `ratio` is cuBLAS's time for the plain
product (torch.matmul into a given output) over ours for the whole function: 1 or
more means that the epilogue cost nothing.
"""

import math
import pathlib
import statistics
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "build" / "python"))
from coda import runtime  # noqa: E402
from timing import time_calls  # noqa: E402

ROUNDS, CALLS = 7, 8


def main():
    bundle = pathlib.Path(sys.argv[1])
    names = {}
    for path in sorted(bundle.glob("*.json")):
        epilogue, shape = path.stem.split("-")
        names.setdefault(tuple(map(int, shape.split("x"))), {})[epilogue] = path
    ratios = {}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, bf16, "
          "B stored [n, k]")
    for (m, n, k), paths in names.items():
        options = dict(device="cuda", dtype=torch.bfloat16)
        a, b = torch.randn(m, k, **options), torch.randn(n, k, **options)
        b /= k**0.5
        bias, c = torch.randn(n, **options), torch.randn(m, n, **options)
        product = torch.empty(m, n, **options)
        runs = {"cublas": lambda: torch.matmul(a, b.t(), out=product)}
        runs["cublas"]()
        sums = torch.empty(m, n, device="cuda")
        for epilogue, path in sorted(paths.items()):
            function = runtime.load(str(path), str(path.with_suffix(".ptx")))["f"]
            operands = {"bias_gelu": [bias], "residual": [c]}.get(epilogue, [])
            out = torch.full((m, n), float("nan"), **options)

            def run(function=function, operands=operands, out=out):
                function(a, b, *operands, out=out)

            run()
            exact = torch.matmul(a[:512].float(), b.float().t(), out=sums[:512])
            if epilogue == "bias_gelu":
                exact = torch.nn.functional.gelu(exact + bias.float())
            elif epilogue == "residual":
                exact = exact + c[:512].float()
            error = (out[:512].float() - exact).abs().max().item()
            allowed = 2 * (exact.bfloat16().float() - exact).abs().max().item()
            if not error < allowed or out.isnan().any().item():
                sys.exit(f"wrong: {path.stem}: error {error}, allowed {allowed}")
            runs[epilogue] = run
        times = {name: [] for name in runs}
        for _ in range(ROUNDS):
            for name, run in runs.items():
                times[name].append(time_calls(run, CALLS, warmups=2))
        base = statistics.median(times["cublas"])
        line = f"| {m},{n},{k} | {2 * m * n * k / base / 1e9:.0f} |"
        for name in paths and sorted(paths):
            ratio = base / statistics.median(times[name])
            ratios.setdefault(name, []).append(ratio)
            rate = 2 * m * n * k / statistics.median(times[name]) / 1e9
            line += f" {rate:.0f} ({ratio:.3f}) |"
        print(line, flush=True)
    for name, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{name}: geometric mean {mean:.3f}, least {min(values):.3f}")


main()
