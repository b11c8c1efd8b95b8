#!/usr/bin/env python3
"""Times the forward kernels on a Hopper GPU.

    forward.py BUNDLE

BUNDLE is what `test/Integration/GPU/forward.py COMPILER BUNDLE --benchmark`
wrote. M is 16384. Beside each kernel, in one process and in random order, on random
data: cuBLAS's plain product of the same size (torch.matmul into a given output;
for two right-hand sides, of both side by side), and the same function by cuBLAS
and torch.compile (default mode, static shapes). Figures are medians of the
rounds; correctness is checked first. `gemm` and `compile` are the other's time
over ours.
"""

import math
import pathlib
import random
import statistics
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "build" / "python"))
sys.path.insert(0, str(ROOT / "test" / "Integration" / "GPU"))
import check_forward as oracle  # noqa: E402
from coda import runtime  # noqa: E402
from timing import time_calls  # noqa: E402

M, ROUNDS, CALLS = 16384, 7, 5


def compiled(kind, n, inputs):
    """The function of a kernel as PyTorch says it, compiled."""
    a, weights, rest = inputs
    # One product for both right-hand sides, as a careful author writes it.
    weight = torch.cat(weights)

    def function(a, weight, *rest):
        sums = (a @ weight.T).float()
        halves = sums.split(n, 1)

        def product(_, index):
            return halves[index]

        results = oracle.references(kind, n, (a, range(len(weights)), rest),
                                    product)
        keep = kind in ("k5", "k9", "k0")
        return [x if keep and x.dim() == 1 else x.bfloat16() for x in results]

    run = torch.compile(function)
    return lambda: run(a, weight, *rest)


def main():
    torch.manual_seed(0)
    ratios = {}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, bf16, "
          f"M = {M}; milliseconds")
    for manifest in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        kind, n, k = manifest.stem.split("_")
        n, k = int(n), int(k)
        torch._dynamo.reset()
        torch.cuda.empty_cache()
        module = runtime.load(str(manifest), str(manifest.with_suffix(".ptx")))
        function = module[manifest.stem]
        inputs = oracle.make_inputs(kind, M, n, k)
        a, weights, rest = inputs
        worst = oracle.check(function, kind, min(M, 2048), n, k)
        if not worst < 1:
            print(f"{manifest.stem}: WRONG ({worst})", flush=True)
            continue
        weight = torch.cat(weights)
        out = torch.empty(M, weight.shape[0], device="cuda",
                          dtype=torch.bfloat16)
        runs = {
            "ours": lambda: function(a, *weights, *rest),
            "gemm": lambda: torch.matmul(a, weight.T, out=out),
            "compile": compiled(kind, n, inputs),
        }
        times = {name: [] for name in runs}
        for name, run in runs.items():
            run()
        for _ in range(ROUNDS):
            # In no fixed order: what ran before moves the clocks.
            for name, run in random.sample(list(runs.items()), len(runs)):
                times[name].append(time_calls(run, CALLS, warmups=1))
        median = {name: statistics.median(t) for name, t in times.items()}
        for other in ("gemm", "compile"):
            ratios.setdefault(other, {})[manifest.stem] = (
                median[other] / median["ours"])
        print(f"{manifest.stem:16} ours {median['ours']:8.3f}  "
              f"gemm {median['gemm']:8.3f} "
              f"({ratios['gemm'][manifest.stem]:.3f})  "
              f"compile {median['compile']:8.3f} "
              f"({ratios['compile'][manifest.stem]:.3f})", flush=True)
        del inputs, a, weights, rest, weight, out, runs
    for other, values in ratios.items():
        mean = math.exp(statistics.mean(map(math.log, values.values())))
        print(f"{other}: geometric mean {mean:.3f}, least "
              f"{min(values.values()):.3f}")


if __name__ == "__main__":
    main()
