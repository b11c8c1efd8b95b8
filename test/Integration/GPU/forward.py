#!/usr/bin/env python3
"""The forward kernels of CODA as coda.gemm ops, for the GPU tests; with those of
epilogues.py.

    forward.py COMPILER FOLDER [--benchmark] [OPTION...]

compiles each to FOLDER/NAME.json and FOLDER/NAME.ptx with COMPILER
(coda-compile). M is dynamic; N and K are small, and do not divide tiles evenly,
or with --benchmark those of docs/benchmarks.md. Options go to the compiler.
check_forward.py and test/benchmark/forward.py run them.
"""

import pathlib
import subprocess
import sys

import epilogues
from kernel_text import BF16, F32, Chain, Kernel, rounded, scaled, tile


def k0(n, k):
    """D = A B^T + C; S = sum of D^2 in a row; O = D g."""
    kernel = Kernel(f"k0_{n}_{k}", n, k)
    c = kernel.operand("c", "[m, n]", f"?x{n}", BF16)
    g = kernel.operand("g", "[n]", f"{n}", BF16)
    d = kernel.map([kernel.accumulator(), c], """
%e = arith.extf %x1 : bf16 to f32
%r = arith.addf %x0, %e : f32""", F32)
    square = kernel.map([d], "%r = arith.mulf %x0, %x0 : f32", F32)
    s = kernel.reduce("add", square)
    o = kernel.map([d, g], """
%e = arith.extf %x1 : bf16 to f32
%p = arith.mulf %x0, %e : f32
%r = arith.truncf %p : f32 to bf16""", BF16)
    kernel.out(rounded(kernel, d))
    kernel.out(o)
    kernel.out(s, "[m]")
    return kernel


def k1(n, k):
    """D = (A B^T) r."""
    kernel = Kernel(f"k1_{n}_{k}", n, k)
    r = kernel.operand("rs", "[m]", "?", F32)
    kernel.out(rounded(kernel, scaled(kernel, kernel.accumulator(), r)))
    return kernel


SILU = """
%n = arith.negf %x0 : f32
%e = math.exp %n : f32
%one = arith.constant 1.0 : f32
%d = arith.addf %e, %one : f32
%q = arith.divf %x0, %d : f32
%p = arith.mulf %q, %x1 : f32
%r = arith.truncf %p : f32 to bf16"""


def k2(n, k, scale=True):
    """O = silu(G r) (U r), G and U from two right-hand sides."""
    kernel = Kernel(f"{'k2' if scale else 'k8'}_{n}_{k}", n, k, rhs=2)
    gate, up = kernel.accumulator(0), kernel.accumulator(1)
    if scale:
        r = kernel.operand("rs", "[m]", "?", F32)
        gate, up = scaled(kernel, gate, r), scaled(kernel, up, r)
    kernel.out(kernel.map([gate, up], SILU, BF16))
    return kernel


def unpaired(kernel, value, h):
    """The halves of heads of width h."""
    half = tile("?", kernel.n // 2, F32)
    kernel.count += 1
    a, b = f"%a{kernel.count}", f"%b{kernel.count}"
    kernel.lines.append(f"{a}, {b} = coda.unpair {value[0]} stride {h // 2} : "
                        f"{value[1]} -> {half}")
    return (a, half), (b, half)


def rotated(kernel, value, h):
    """Half-split rotation of heads of width h; the tables are [M, h / 2]."""
    tables = [kernel.operand(name, "[m, cyclic n / 2]", f"?x{h // 2}", BF16)
              for name in ("cos", "sin")]
    a, b = unpaired(kernel, value, h)
    shape = ("?", kernel.n // 2)
    halves = [kernel.map([x, y, *tables], f"""
%co = arith.extf %x2 : bf16 to f32
%si = arith.extf %x3 : bf16 to f32
%p = arith.mulf %x0, %co : f32
%q = arith.mulf %x1, %si : f32
%t = arith.{op} %p, %q : f32
%r = arith.truncf %t : f32 to bf16""", BF16, shape)
              for x, y, op in ((a, b, "subf"), (b, a, "addf"))]
    type_ = tile("?", kernel.n, BF16)
    return kernel.op(f"coda.pair {halves[0][0]}, {halves[1][0]} stride {h // 2} "
                     f": {halves[0][1]} -> {type_}", type_)


def rotated_full(kernel, value, h):
    """The same as exporters write it: the tables are [M, h]."""
    cos = kernel.operand("cos", "[m, cyclic n]", f"?x{h}", BF16)
    sin = kernel.operand("sin", "[m, cyclic n]", f"?x{h}", BF16)
    n = kernel.n
    a, b = unpaired(kernel, value, h)
    minus = kernel.map([b], "%r = arith.negf %x0 : f32", F32, ("?", n // 2))
    partner = kernel.op(f"coda.pair {minus[0]}, {a[0]} stride {h // 2} : "
                        f"{a[1]} -> {tile('?', n, F32)}", tile("?", n, F32))
    return kernel.map([value, partner, cos, sin], """
%co = arith.extf %x2 : bf16 to f32
%si = arith.extf %x3 : bf16 to f32
%p = arith.mulf %x0, %co : f32
%q = arith.mulf %x1, %si : f32
%t = arith.addf %p, %q : f32
%r = arith.truncf %t : f32 to bf16""", BF16)


def k4(n, k, h=128, scale=True, full=False):
    """Rotary embedding of (A B^T) r."""
    name = ("k4" if scale else "k3") + ("f" if full else "")
    kernel = Kernel(f"{name}_{n}_{k}", n, k)
    value = kernel.accumulator()
    if scale:
        value = scaled(kernel, value, kernel.operand("rs", "[m]", "?", F32))
    kernel.out((rotated_full if full else rotated)(kernel, value, h))
    return kernel


def halves(n, k, h=128):
    """First halves of heads times one table [M, h / 2], second ones times a
    vector [h / 2]."""
    kernel = Kernel(f"halves_{n}_{k}", n, k)
    table = kernel.operand("table", "[m, cyclic n / 2]", f"?x{h // 2}", BF16)
    vector = kernel.operand("vector", "[cyclic n / 2]", f"{h // 2}", BF16)
    parts = [kernel.map([x, y], """
%e = arith.extf %x1 : bf16 to f32
%p = arith.mulf %x0, %e : f32
%r = arith.truncf %p : f32 to bf16""", BF16, ("?", n // 2))
             for x, y in zip(unpaired(kernel, kernel.accumulator(), h),
                             (table, vector))]
    type_ = tile("?", n, BF16)
    kernel.out(kernel.op(f"coda.pair {parts[0][0]}, {parts[1][0]} stride "
                         f"{h // 2} : {parts[0][1]} -> {type_}", type_))
    return kernel


def qkn(n, k, h=128):
    """Per head of width h: q rsqrt(mean(q^2) + eps) g, then rotation."""
    kernel = Kernel(f"qkn_{n}_{k}", n, k)
    x = kernel.accumulator()
    square = kernel.map([x], "%r = arith.mulf %x0, %x0 : f32", F32)
    total = kernel.reduce("add", square, h)
    heads = ("?", n // h)
    scale = kernel.map([total], f"""
%h = arith.constant {float(h)} : f32
%mean = arith.divf %x0, %h : f32
%eps = arith.constant 1.0e-6 : f32
%v = arith.addf %mean, %eps : f32
%r = math.rsqrt %v : f32""", F32, heads)
    wide = kernel.op(f"coda.repeat {scale[0]} by {h} : {scale[1]} -> "
                     f"{tile('?', n, F32)}", tile("?", n, F32))
    g = kernel.operand("g", "[cyclic n]", f"{h}", F32)
    normed = kernel.map([x, wide, g], """
%p = arith.mulf %x0, %x1 : f32
%r = arith.mulf %p, %x2 : f32""", F32)
    kernel.out(rotated(kernel, normed, h))
    return kernel


def k5(n, k, logits=True):
    """logits = (A B^T) r; lse and the target's logit of each row."""
    kernel = Kernel(f"{'k5' if logits else 'k9'}_{n}_{k}", n, k)
    r = kernel.operand("rs", "[m]", "?", F32)
    target = kernel.operand("target", "[m]", "?", "i64")
    x = scaled(kernel, kernel.accumulator(), r)
    if logits:
        kernel.out(rounded(kernel, x))
    kernel.out(kernel.reduce("logsumexp", x), "[m]")
    t = kernel.op(f"coda.select_column {x[0]}[{target[0]}] : {x[1]}"
                  f"[{target[1]}] -> {tile('?', 1, F32)}", tile("?", 1, F32))
    kernel.out(t, "[m]")
    return kernel


# Of products of bf16; without one the compiler chooses.
SCHEDULES = {
    "": "",
    "p": "schedule<kernel = pingpong, tile_m = 128, tile_n = 128, tile_k = 64, "
         "cluster = 2, stages = 4>",
    "c": "schedule<kernel = cooperative, tile_m = 128, tile_n = 256, "
         "tile_k = 64, cluster = 2, stages = 3>",
    "t": "schedule<kernel = pingpong, tile_m = 256, tile_n = 64, tile_k = 64, "
         "cluster = 1, stages = 3, store_buffers = 1>",
    "s": "schedule<kernel = simple, tile_m = 64, tile_n = 32, tile_k = 32>",
}


def from_sum(kernel, total, n):
    """1 / rms of rows of n elements from the sum of their squares."""
    return kernel.map([total], f"""
%n = arith.constant {float(n)} : f32
%mean = arith.divf %x0, %n : f32
%eps = arith.constant 1.0e-5 : f32
%v = arith.addf %mean, %eps : f32
%r = math.rsqrt %v : f32""", F32, ("?", 1))


def after_k0(kind, n, k, schedule=""):
    """k0, then k1, k2 or k4 of O with n columns: they alone read S, so that it
    is never finished, but comes to them as parts."""
    name = f"k0{kind}{schedule}_{n}_{k}"
    first = k0(n, k)
    first.outs, first.yields = first.outs[1:], first.yields[1:]
    second = Kernel(name, n, n, rhs=2 if kind == "k2" else 1)
    second.schedule = SCHEDULES[schedule]
    r = from_sum(second, second.operand("rs", "[m]", "?", F32), n)
    values = [scaled(second, second.accumulator(i), r)
              for i in range(second.rhs)]
    if kind == "k1":
        second.out(rounded(second, values[0]))
    if kind == "k2":
        second.out(second.map(values, SILU, BF16))
    if kind == "k4":
        second.out(rotated(second, values[0], 128))
    return Chain(name, first, second, {"%a": 0, "%rs": 1})


def after_reduction(kind, n, k, schedule=""):
    """X = A B^T and its logsumexp or greatest element s in a row, then
    X C^T - s of n columns."""
    first = Kernel(f"{kind}{schedule}_{n}_{k}", n, k)
    x = first.accumulator()
    first.out(rounded(first, x))
    first.out(first.reduce({"lse": "logsumexp", "max": "max"}[kind], x), "[m]")
    second = Kernel(first.name, n, n)
    second.schedule = SCHEDULES[schedule]
    s = second.operand("s", "[m]", "?", F32)
    difference = second.map([second.accumulator(), s],
                            "%r = arith.subf %x0, %x1 : f32", F32)
    second.out(rounded(second, difference))
    return Chain(first.name, first, second, {"%a": 0, "%s": 1})


SMALL = [(256, 192), (384, 520), (1024, 1000)]
WIDTHS = [(2048, 5632), (4096, 11008), (8192, 22016)]
VOCABULARY = 32768


def small_kernels():
    made = []
    for n, k in SMALL:
        made += [k0(n, k), k1(n, k), k2(n, k), k2(n, k, scale=False),
                 k4(n, k), k4(n, k, scale=False), k4(n, k, full=True),
                 qkn(n, k), halves(n, k), k5(n, k), k5(n, k, logits=False)]
    # Columns that end within a tile.
    for n in (72, 200, 333 * 8):
        made += [k0(n, 64), k1(n, 64), k2(n, 64), k5(n, 64)]
    # Rows of 2 to 64 parts, an odd number too, and a last part that is smaller.
    for n, k in ((256, 192), (384, 520), (1024, 64), (8192, 64)):
        made += [after_k0(kind, n, k) for kind in ("k1", "k2", "k4")]
        made += [after_k0("k1", n, k, schedule) for schedule in "pcts"]
    made += [after_k0("k1", n, 64, schedule) for n in (200, 333 * 8)
             for schedule in "pcs"]
    made += [after_reduction(kind, n, 192, schedule)
             for kind in ("lse", "max") for n in (384, 1000)
             for schedule in "pcs"]
    for n, k in ((256, 192), (200, 64)):
        made += epilogues.kernels(n, k)
    return made


def benchmark_kernels():
    made = []
    for d, f in WIDTHS:
        made += [k0(d, d), k0(d, f), k1(d, d), k2(f, d), k2(f, d, scale=False),
                 k4(d, d), k4(d, d, scale=False), qkn(d, d),
                 k5(VOCABULARY, d), k5(VOCABULARY, d, logits=False)]
    return made


def main():
    compiler, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    options = sys.argv[3:]
    made = small_kernels()
    if "--benchmark" in options:
        options.remove("--benchmark")
        made = benchmark_kernels()
    for kernel in made:
        source = folder / f"{kernel.name}.mlir"
        source.write_text(kernel.text())
        subprocess.run([compiler, *options, str(source), "-o",
                        str(folder / f"{kernel.name}.ptx")], check=True)


if __name__ == "__main__":
    main()
