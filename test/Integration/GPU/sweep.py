#!/usr/bin/env python3
"""Checks compiled kernels on a Hopper GPU against a reference, over many sizes.

    sweep.py BUNDLE [--only TYPE,...] [--limit SECONDS]

BUNDLE is what bundle.py wrote. Needs torch and the package coda (installed, in
PYTHONPATH, or in build/python with build/lib beside it), no LLVM. Every case has fresh random data, and outputs that
are NaN first. A result is right if its largest error against the formula in f32
is less than twice that of the same formula rounded as the kernel's types say,
plus 1e-6. Tensor cores sum fp8 products with fewer bits than f32 has, which is
allowed for; int8 sums are exact, and a requantised result may miss a tie by the
one rounding that a fused multiply-add saves. --only takes some of bf16, f16, fp8
and int8. The sizes are every triple of SIZES for one kernel of each storage and
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
# Of one-byte types: tensor copies need rows of a multiple of 16 elements.
BYTE_SIZES = (0, 1, 16, 63, 64, 112, 128, 144, 257, 272, 1000, 1008, 4112)
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32,
         "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2,
         "i8": torch.int8, "i32": torch.int32}
FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)


def reference(epilogue, a, b, operands):
    """The function in f32, or in f64 after exact sums of integers."""
    if a.dtype == torch.int8:
        value = a.double() @ b.double()
    else:
        value = a.float() @ b.float()
    rest = list(operands)
    for step in epilogue.split("_"):
        if step in ("rows", "columns"):
            # The sum of integers, and each product, is rounded to f32.
            scale = rest.pop(0)
            value = value.float() * (scale[:, None] if step == "rows" else scale)
        elif step == "scaled":
            value = value * (rest.pop(0) * rest.pop(0))
        elif step in ("bias", "residual"):
            value = value + rest.pop(0).float()
        elif step == "gelu":
            value = torch.nn.functional.gelu(value)
        elif step == "round":
            value = value.round().clamp(-128, 127)
        elif step == "fixed":
            product = value.long() * 1518500250 + 137438953472
            value = (product >> 38).clamp(-128, 127).double()
    return value


class Case:
    """One kernel of the bundle."""

    def __init__(self, path):
        self.name = path.stem
        self.epilogue, types, self.storage, self.kernel = path.stem.split("-")
        inputs = [TYPES[t] for t in types.split("_") if "out" not in t]
        inputs = inputs or [torch.bfloat16]
        self.lhs, self.rhs = inputs[0], inputs[-1]
        # What the epilogue's vectors and matrices are of.
        self.type = torch.bfloat16 if self.lhs in FP8 else self.lhs
        self.out = self.type
        if "out" in types:
            self.out = TYPES[types.split("_")[-1].removesuffix("out")]
        self.kind = ("fp8" if self.lhs in FP8 else
                     "int8" if self.lhs == torch.int8 else
                     "f16" if self.lhs == torch.float16 else "bf16")
        module = runtime.load(str(path), str(path.with_suffix(".ptx")))
        self.function = module["f"]
        self.run = self.wrong = 0
        self.worst = 0.0

    def matrix(self, element, rows, columns, transposed=False, padding=0):
        shape = (columns, rows + padding) if transposed else (rows, columns + padding)
        if element == torch.int8:
            data = torch.randint(-128, 128, shape, device="cuda", dtype=element)
        else:
            data = torch.randn(shape, device="cuda").to(element)
        if padding:
            data = data[:, :-padding]
        return data

    def operands(self, m, n, k, padding):
        """Random ones, so that the result is about 1, or 50 of 127."""
        scale = max(k, 1)**-0.5
        made = []
        for step in self.epilogue.split("_"):
            if step == "scaled":
                made += [torch.tensor(0.5, device="cuda"),
                         torch.tensor(2 * scale, device="cuda")]
                if "clamp" in self.epilogue or self.out in FP8:
                    # So large that some results are beyond the largest number.
                    made[-1] *= 150 if self.out == torch.float8_e4m3fn else 20000
            elif step in ("rows", "columns"):
                spread = torch.rand(m if step == "rows" else n, device="cuda")
                made.append((spread + 0.5) * (scale / 100 if step == "columns" else 1))
            elif step == "bias":
                element = torch.float32 if self.lhs == torch.int8 else self.type
                made.append(torch.randn(n, device="cuda").to(element))
            elif step == "residual":
                made.append(self.matrix(self.type, m, n, False, padding))
        return made

    def check(self, m, n, k, padding=0):
        a = self.matrix(self.lhs, m, k, self.storage[0] == "t", padding)
        b = self.matrix(self.rhs, k, n, self.storage[1] == "t", padding)
        if k and self.kind in ("bf16", "f16"):
            b = b / k**0.5
        operands = self.operands(m, n, k, padding)
        if self.out.is_floating_point:
            out = torch.full((m, n), float("nan"), device="cuda").to(self.out)
        else:
            out = torch.full((m, n), 99, device="cuda", dtype=self.out)
        self.function(a, b, *operands, out=out)
        left = a.t() if self.storage[0] == "t" else a
        right = b.t() if self.storage[1] == "t" else b
        exact = reference(self.epilogue, left, right, operands)
        self.run += 1
        if out.numel() == 0:
            return
        self.lost = self.lost_bits(left, right, k, operands)
        why = (self.compare_integers(out, exact) if not self.out.is_floating_point
               else self.compare(out.float(), exact))
        if why:
            self.wrong += 1
            print(f"WRONG {self.name} m={m} n={n} k={k} padding={padding}: {why}")

    def compare_integers(self, out, exact):
        difference = (out.double() - exact).abs()
        most = difference.max().item()
        self.worst = max(self.worst, most / 2)
        if "bias" not in self.epilogue:
            return f"{most:g} off, but it is exact" if most else ""
        missed = (difference != 0).double().mean().item()
        if most > 1 or missed > 1e-3 + 1.5 / out.numel():
            return f"up to {most:g} off, in {missed:.2g} of the elements"
        return ""

    def lost_bits(self, left, right, k, operands):
        """How far tensor cores may be off in sums of products: about 2^-13 of the
        largest product or partial sum for each 32 of k is cut off in fp8, 2^-23 for
        each 16 in bf16 and f16, which shows where the result is not rounded."""
        fp8 = self.lhs in FP8
        if not k or not (fp8 or self.out == torch.float32):
            return 0
        left, right = left.float(), right.float()
        if not fp8:
            largest = (left @ right).abs().max().item()
            return ((k + 15) // 16 + 4) * 2.0**-23 * largest
        largest = max((left.abs().max() * right.abs().max()).item(), 3 * k**0.5,
                      (left @ right).abs().max().item())
        scale = (operands[0] * operands[1]).item() if "scaled" in self.epilogue else 1
        return ((k + 31) // 32 + 4) * 2.0**-13 * largest * scale

    def compare(self, out, exact):
        if self.out in FP8:
            return self.compare_float8(out, exact)
        rounded = exact.to(self.out).float()
        error = (out - exact).abs().max().item()
        largest = exact.abs().max().item()
        # The rounding of a lucky element is no measure: at least one unit of
        # the largest value.
        unit = torch.finfo(self.out).eps * largest
        allowed = max(2 * (rounded - exact).abs().max().item(), unit) + 1e-6
        allowed += self.lost
        self.worst = max(self.worst, error / allowed)
        return "" if error < allowed else (
            f"error {error:.3g}, allowed {allowed:.3g}")

    def compare_float8(self, out, exact):
        """Each element lies between the roundings of the ends of an interval
        around the exact one, a NaN or infinity being beyond all."""
        if "clamp" in self.epilogue:
            limit = torch.finfo(self.out).max
            exact = exact.clamp(-limit, limit)
        slack = self.lost + 1e-6 * exact.abs().max()

        def ends(value):
            value = value.to(self.out).float()
            return torch.where(value.isnan(), float("inf"), value)

        magnitude = ends(out.abs())
        low = ends((exact.abs() - slack).clamp(min=0))
        high = ends(exact.abs() + slack)
        if "clamp" in self.epilogue:
            high = high.clamp(max=torch.finfo(self.out).max)
        bad = ~((low <= magnitude) & (magnitude <= high))
        bad |= (out.sign() * exact.sign() < 0) & (exact.abs() > slack)
        count = int(bad.sum().item())
        self.worst = max(self.worst, float(count > 0))
        return f"{count} elements of {out.numel()}" if count else ""


def check_refusals(cases):
    """What the kernels were not made for is refused before a launch."""
    case = next((c for c in cases if c.name == "plain-bf16-nt-auto"), None)
    if not case:
        return 0
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
    case = next((c for c in cases
                 if c.name == "bias_residual-bf16-nt-cooperative"), None)
    if not case:
        return
    m, n, k = 65536 + 128, 32768 + 64, 64
    case.check(m, n, k)
    torch.cuda.empty_cache()
    print(f"output of {m * n} elements checked")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=240)
    parser.add_argument("--only", help="types, by commas: bf16, f16, fp8, int8")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    cases = [Case(p) for p in sorted(options.bundle.glob("*-*-*-*.json"))]
    if options.only:
        cases = [c for c in cases if c.kind in options.only.split(",")]
    if not cases:
        parser.error(f"no kernels of the type in {options.bundle}")
    all_triples = [list(itertools.product(sizes, repeat=3))
                   for sizes in (SIZES, BYTE_SIZES)]
    random.seed(0)
    start = time.time()
    wrong = check_refusals(cases)
    for case in cases:
        triples = all_triples[case.kind in ("fp8", "int8")]
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
        for padding in (1, 8, 16):
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
