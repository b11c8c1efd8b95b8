#!/usr/bin/env python3
"""Compiles the kernels that sweep.py and the benchmarks run into a folder.

    bundle.py BIN OUT [--benchmark]

BIN holds coda-opt and coda-compile. Each kernel becomes NAME.ptx and NAME.json
in OUT, which a machine with a GPU and no LLVM can run. The input is linalg with
unknown sizes: C = epilogue(A @ B), all four storages of A and B, bf16 and f16,
by each kernel that the compiler has. With --benchmark the sizes are those of
docs/benchmarks.md, and the compiler chooses the kernel.
"""

import argparse
import pathlib
import subprocess

SHAPES = [
    (8192, 8192, 8192),
    (4096, 4096, 4096),
    (16384, 4096, 4096),
    (16384, 14336, 4096),
    (16384, 4096, 14336),
    (8192, 28672, 4096),
]
EPILOGUES = ("plain", "bias_gelu", "residual")


def tensor(sizes, element):
    return f"tensor<{''.join(f'{s}x' for s in sizes)}{element}>"


def elementwise(name, inputs, result, body):
    """A linalg.generic over (m, n); inputs are (value, type, map) triples."""
    maps = ", ".join(f"affine_map<(d0, d1) -> ({m})>" for _, _, m in inputs)
    values = ", ".join(v for v, _, _ in inputs)
    types = ", ".join(t for _, t, _ in inputs)
    return f"""
  %{name} = linalg.generic {{indexing_maps = [{maps}, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}}
      ins({values} : {types}) outs(%{name}_init : {result}) {{{body}
  }} -> {result}"""


def function(name, sizes, storage, element, epilogue, output=None):
    """Linalg of one product. storage is two letters, as BLAS says them: A and B
    each n (stored [m, k], [k, n]) or t (transposed)."""
    output = output or element
    m, n, k = sizes
    a_sizes = (m, k) if storage[0] == "n" else (k, m)
    b_sizes = (k, n) if storage[1] == "n" else (n, k)
    a, b = tensor(a_sizes, element), tensor(b_sizes, element)
    sums, result = tensor((m, n), "f32"), tensor((m, n), output)
    a_map = "d0, d2" if storage[0] == "n" else "d2, d0"
    b_map = "d2, d1" if storage[1] == "n" else "d1, d2"
    arguments = [("a", a), ("b", b)]
    inputs = [("%sum", sums, "d0, d1")]
    arms = ["%s: f32"]
    body = []
    value = "%s"
    if "bias" in epilogue:
        arguments.append(("bias", tensor((n,), element)))
        inputs.append(("%bias", arguments[-1][1], "d1"))
        arms.append(f"%q: {element}")
        body += [f"%e = arith.extf %q : {element} to f32",
                 f"%x = arith.addf {value}, %e : f32"]
        value = "%x"
    if "gelu" in epilogue:
        body += ["%half = arith.constant 0.5 : f32",
                 "%one = arith.constant 1.0 : f32",
                 "%root = arith.constant 0.70710678118654757 : f32",
                 f"%u = arith.mulf {value}, %root : f32",
                 "%erf = math.erf %u : f32",
                 "%v = arith.addf %erf, %one : f32",
                 f"%h = arith.mulf {value}, %half : f32",
                 "%g = arith.mulf %h, %v : f32"]
        value = "%g"
    if "residual" in epilogue:
        arguments.append(("c", tensor((m, n), element)))
        inputs.append(("%c", arguments[-1][1], "d0, d1"))
        arms.append(f"%r: {element}")
        body += [f"%f = arith.extf %r : {element} to f32",
                 f"%y = arith.addf {value}, %f : f32"]
        value = "%y"
    if output != "f32":
        body.append(f"%t = arith.truncf {value} : f32 to {output}")
        value = "%t"
    arms.append(f"%unused: {output}")
    text = "\n    ".join(
        [f"\n  ^bb0({', '.join(arms)}):"] + body +
        [f"linalg.yield {value} : {output}"])
    sizes_of = "".join(
        f"\n  %d{i} = tensor.dim %{v}, %c{p} : {t}"
        for i, v, p, t in ((0, "a", storage[0] == "t", a),
                           (1, "b", storage[1] == "n", b))
        for p in [int(p)])
    dynamic = ", ".join(f"%d{i}" for i, s in enumerate((m, n)) if s == "?")
    parameters = ", ".join(
        f'%{v}: {t} {{coda.name = "{v}"}}' for v, t in arguments)
    return f"""func.func @{name}({parameters}) -> {result} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32{sizes_of}
  %empty = tensor.empty({dynamic}) : {sums}
  %filled = linalg.fill ins(%zero : f32) outs(%empty : {sums}) -> {sums}
  %sum = linalg.matmul
      indexing_maps = [affine_map<(d0, d1, d2) -> ({a_map})>,
                       affine_map<(d0, d1, d2) -> ({b_map})>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>]
      ins(%a, %b : {a}, {b}) outs(%filled : {sums}) -> {sums}
  %out_init = tensor.empty({dynamic}) : {result}{elementwise("out", inputs, result, text)}
  return %out : {result}
}}
"""


def compile_kernel(bin_dir, out, name, text, kernel):
    source = out / f"{name}.mlir"
    source.write_text(text)
    scheduled = subprocess.run(
        [bin_dir / "coda-opt", source, "--coda-fusion",
         f"--coda-schedule=kernel={kernel}"],
        check=True, capture_output=True, text=True).stdout
    if "linalg" in scheduled or scheduled.count("coda.gemm") != 1:
        raise SystemExit(f"{name} did not fuse into one coda.gemm:\n{scheduled}")
    subprocess.run([bin_dir / "coda-compile", "-", "-o", out / f"{name}.ptx"],
                   input=scheduled, check=True, text=True)
    source.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--benchmark", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    unknown = ("?", "?", "?")
    if options.benchmark:
        for shape in SHAPES:
            for epilogue in EPILOGUES:
                name = f"{epilogue}-{'x'.join(map(str, shape))}"
                compile_kernel(options.bin, options.out, name,
                               function("f", shape, "nt", "bf16", epilogue),
                               "auto")
        return
    for element in ("bf16", "f16"):
        for storage in ("nn", "nt", "tn", "tt"):
            for kernel in ("cooperative", "pingpong"):
                compile_kernel(
                    options.bin, options.out,
                    f"bias_residual-{element}-{storage}-{kernel}",
                    function("f", unknown, storage, element, "bias_residual"),
                    kernel)
    for epilogue in EPILOGUES:
        compile_kernel(options.bin, options.out, f"{epilogue}-bf16-nt-auto",
                       function("f", unknown, "nt", "bf16", epilogue), "auto")
    compile_kernel(options.bin, options.out, "bias-f32out-nt-auto",
                   function("f", unknown, "nt", "bf16", "bias", "f32"), "auto")


main()
