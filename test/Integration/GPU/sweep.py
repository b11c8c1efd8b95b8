#!/usr/bin/env python3
"""Checks compiled kernels on a Hopper GPU against a reference, over many sizes.

    sweep.py BUNDLE [--limit SECONDS]

BUNDLE is what bundle.py wrote. Needs torch and the package coda (installed, in
PYTHONPATH, or in build/python with build/lib beside it), no LLVM. Every case has fresh random data, and outputs that
are NaN first. A result is right if its largest error against the formula in f32
is less than twice that of the same formula rounded as the kernel's types say,
plus 1e-6. The sizes are every triple of SIZES for one kernel of each storage and
type, and a random part of them for the others. Prints a table, and one line for
each wrong case; the exit code is 1 if there is any.
"""

import argparse
import itertools
import pathlib
import random
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "build" / "python"))
from coda import runtime  # noqa: E402

SIZES = (0, 1, 7, 8, 63, 64, 65, 127, 129, 255, 257, 1000, 4097)
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def reference(epilogue, a, b, operands):
    """The function in f32."""
    value = a.float() @ b.float()
    rest = list(operands)
    if "bias" in epilogue:
        value = value + rest.pop(0).float()
    if "gelu" in epilogue:
        value = torch.nn.functional.gelu(value)
    if "residual" in epilogue:
        value = value + rest.pop(0).float()
    return value


class Case:
    """One kernel of the bundle."""

    def __init__(self, path):
        self.name = path.stem
        self.epilogue, element, self.storage, self.kernel = path.stem.split("-")
        self.out = torch.float32 if element == "f32out" else None
        self.type = TYPES.get(element, torch.bfloat16)
        self.out = self.out or self.type
        module = runtime.load(str(path), str(path.with_suffix(".ptx")))
        self.function = module["f"]
        self.run = self.wrong = 0
        self.worst = 0.0

    def matrix(self, rows, columns, transposed=False, padding=0):
        shape = (columns, rows + padding) if transposed else (rows, columns + padding)
        data = torch.randn(shape, device="cuda").to(self.type)
        if padding:
            data = data[:, :-padding]
        return data

    def check(self, m, n, k, padding=0):
        a = self.matrix(m, k, self.storage[0] == "t", padding)
        b = self.matrix(k, n, self.storage[1] == "t", padding)
        if k:
            b = b / k**0.5
        operands = []
        if "bias" in self.epilogue:
            operands.append(torch.randn(n, device="cuda").to(self.type))
        if "residual" in self.epilogue:
            operands.append(self.matrix(m, n, False, padding))
        out = torch.full((m, n), float("nan"), device="cuda", dtype=self.out)
        self.function(a, b, *operands, out=out)
        left = a.t() if self.storage[0] == "t" else a
        right = b.t() if self.storage[1] == "t" else b
        exact = reference(self.epilogue, left, right, operands)
        self.run += 1
        if out.numel() == 0:
            return
        rounded = exact.to(self.type).float()
        error = (out.float() - exact).abs().max().item()
        # The rounding of a lucky element is no measure: at least one unit of
        # the largest value.
        unit = torch.finfo(self.out).eps * exact.abs().max().item()
        allowed = max(2 * (rounded - exact).abs().max().item(), unit) + 1e-6
        if k == 0 or self.out == torch.float32:
            # Nothing, or little, is rounded: sums differ by their order alone.
            allowed = max(allowed, 1e-6)
        self.worst = max(self.worst, error / allowed)
        if not error < allowed:
            self.wrong += 1
            print(f"WRONG {self.name} m={m} n={n} k={k} padding={padding}: "
                  f"error {error:.3g}, allowed {allowed:.3g}")


def check_refusals(cases):
    """What the kernels were not made for is refused before a launch."""
    case = next(c for c in cases if c.name == "plain-bf16-nt-auto")
    a = torch.randn(64, 32, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(16, 32, device="cuda", dtype=torch.bfloat16)
    bad = {
        "disagreeing k": (a, b[:, :16].contiguous()),
        "wrong type": (a.float(), b),
        "wrong rank": (a[0], b),
        "an argument missing": (a,),
    }
    failures = 0
    for what, arguments in bad.items():
        try:
            case.function(*arguments)
            print(f"WRONG {what} was accepted")
            failures += 1
        except (runtime.Error, TypeError, ValueError) as error:
            print(f"refused {what}: {error}")
    return failures


def check_large(cases):
    """More than 2^31 elements in the output."""
    case = next(c for c in cases if c.name == "bias_residual-bf16-nt-cooperative")
    m, n, k = 65536 + 128, 32768 + 64, 64
    case.check(m, n, k)
    torch.cuda.empty_cache()
    print(f"output of {m * n} elements checked")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=240)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    cases = [Case(p) for p in sorted(options.bundle.glob("*-*-*-*.json"))]
    triples = list(itertools.product(SIZES, repeat=3))
    random.seed(0)
    start = time.time()
    wrong = check_refusals(cases)
    for case in cases:
        full = case.kernel == "cooperative"
        chosen = triples if full else random.sample(triples, 400)
        share = options.limit / len(cases) * (1.6 if full else 0.6)
        begin = time.time()
        for m, n, k in chosen:
            case.check(m, n, k)
            if time.time() - begin > share:
                print(f"NOTE {case.name} stopped after {case.run} of {len(chosen)}")
                break
        # Gapped views: strides that are, and are not, multiples of 16 bytes.
        for padding in (1, 8):
            for m, n, k in ((129, 257, 65), (256, 512, 128), (64, 8, 1000)):
                case.check(m, n, k, padding)
    check_large(cases)
    print(f"\n{'kernel':45} {'cases':>6} {'wrong':>6}  worst error / allowed")
    for case in cases:
        print(f"{case.name:45} {case.run:6} {case.wrong:6}  {case.worst:.2f}")
        wrong += case.wrong
    print(f"{sum(c.run for c in cases)} cases, {wrong} wrong, "
          f"{time.time() - start:.0f} s on {torch.cuda.get_device_name()}")
    return wrong > 0


sys.exit(main())
