#!/usr/bin/env python3
"""Compiles the kernels that sweep.py and the benchmarks run into a folder.

    bundle.py BIN OUT [--only TYPE,...] [--benchmark]

BIN holds coda-opt and coda-compile. Each kernel becomes NAME.ptx and NAME.json
in OUT, which a machine with a GPU and no LLVM can run. The input is linalg with
unknown sizes: C = epilogue(A @ B), all four storages of A and B, for bf16, f16,
fp8 (each pair of formats) and int8, by each kernel that the compiler has. --only
takes some of these types. With --benchmark the sizes are those of
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
# By the name of a kernel: the elements of A, of B, of the epilogue's bias and
# residual, and of the result.
TYPES = {
    "bf16": ("bf16", "bf16", "bf16", "bf16"),
    "f16": ("f16", "f16", "f16", "f16"),
    "f32out": ("bf16", "bf16", "bf16", "f32"),
    "e4m3": ("f8E4M3FN", "f8E4M3FN", "bf16", "bf16"),
    "e4m3_e5m2": ("f8E4M3FN", "f8E5M2", "bf16", "bf16"),
    "e5m2_e4m3": ("f8E5M2", "f8E4M3FN", "bf16", "bf16"),
    "e5m2": ("f8E5M2", "f8E5M2", "bf16", "bf16"),
    "e4m3_f32out": ("f8E4M3FN", "f8E4M3FN", "bf16", "f32"),
    "e4m3_e4m3out": ("f8E4M3FN", "f8E4M3FN", "bf16", "f8E4M3FN"),
    "e4m3_e5m2out": ("f8E4M3FN", "f8E4M3FN", "bf16", "f8E5M2"),
    "i8": ("i8", "i8", "f32", "i8"),
    "i8_i32out": ("i8", "i8", "f32", "i32"),
    "i8_bf16out": ("i8", "i8", "f32", "bf16"),
}
STORAGES = ("nn", "nt", "tn", "tt")
TMA_KERNELS = ("cooperative", "pingpong")


def tensor(sizes, element):
    return f"tensor<{''.join(f'{s}x' for s in sizes)}{element}>"


class Epilogue:
    """The elementwise function after a product: the arguments that it adds to
    the function, and its scalar body. The words of a name are its steps."""

    def __init__(self, name, sizes, sums, vector, output):
        self.sizes, self.output = sizes, output
        self.arguments, self.maps, self.arms, self.body = [], [], [], []
        self.value, self.element, self.vector = "%s", sums, vector
        for step in name.split("_"):
            getattr(self, step)()
        if output != self.element:
            self.apply(f"arith.truncf %v : {self.element} to {output}", output)

    def operand(self, name, dims, element):
        """Adds an operand over some of m and n; its value, in f32."""
        sizes = [self.sizes["mn".index(d)] for d in dims]
        self.arguments.append((name, tensor(sizes, element)))
        self.maps.append(", ".join(f"d{'mn'.index(d)}" for d in dims))
        self.arms.append(f"%{name}_in: {element}")
        if element == "f32":
            return f"%{name}_in"
        self.body.append(f"%{name}_f32 = arith.extf %{name}_in : {element} to f32")
        return f"%{name}_f32"

    def apply(self, text, element="f32"):
        """Appends operations; %v is the value so far, the last line's the next."""
        for line in text.strip().splitlines():
            result = f"%r{len(self.body)}"
            name, _, line = line.strip().rpartition(" = ")
            self.body.append(f"{name or result} = "
                             + line.replace("%v ", f"{self.value} ")
                             .replace("%v,", f"{self.value},"))
        self.value, self.element = result, element

    def to_f32(self):
        if self.element == "i32":
            self.apply("arith.sitofp %v : i32 to f32")

    def plain(self):
        pass

    def bias(self):
        self.apply(f"arith.addf %v, {self.operand('bias', 'n', self.vector)} : f32")

    def residual(self):
        self.apply(f"arith.addf %v, {self.operand('c', 'mn', self.vector)} : f32")

    def gelu(self):
        self.apply("""%half = arith.constant 0.5 : f32
            %one = arith.constant 1.0 : f32
            %root = arith.constant 0.70710678118654757 : f32
            %u = arith.mulf %v, %root : f32
            %erf = math.erf %u : f32
            %w = arith.addf %erf, %one : f32
            %h = arith.mulf %v, %half : f32
            arith.mulf %h, %w : f32""")

    def scaled(self):
        """One scale of each of A and B, as torch._scaled_mm has them."""
        a, b = (self.operand(f"scale_{x}", "", "f32") for x in "ab")
        self.apply(f"""%scale = arith.mulf {a}, {b} : f32
            arith.mulf %v, %scale : f32""")

    def rows(self):
        self.to_f32()
        self.apply(f"arith.mulf %v, {self.operand('rows', 'm', 'f32')} : f32")

    def columns(self):
        self.to_f32()
        self.apply(f"arith.mulf %v, {self.operand('columns', 'n', 'f32')} : f32")

    def clamp(self):
        limit = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0}[self.output]
        self.apply(f"""%high = arith.constant {limit} : f32
            %low = arith.constant -{limit} : f32
            %most = arith.minimumf %v, %high : f32
            arith.maximumf %most, %low : f32""")

    def round(self):
        self.apply("""%high = arith.constant 127.0 : f32
            %low = arith.constant -128.0 : f32
            %even = math.roundeven %v : f32
            %most = arith.minimumf %even, %high : f32
            %clamped = arith.maximumf %most, %low : f32
            arith.fptosi %clamped : f32 to i8""", "i8")

    def fixed(self):
        """Requantised by a multiplication in fixed point, rounded half up."""
        self.apply("""%factor = arith.constant 1518500250 : i64
            %unit = arith.constant 137438953472 : i64
            %bits = arith.constant 38 : i64
            %high = arith.constant 127 : i64
            %low = arith.constant -128 : i64
            %wide = arith.extsi %v : i32 to i64
            %product = arith.muli %wide, %factor : i64
            %total = arith.addi %product, %unit : i64
            %shifted = arith.shrsi %total, %bits : i64
            %most = arith.minsi %shifted, %high : i64
            %clamped = arith.maxsi %most, %low : i64
            arith.trunci %clamped : i64 to i8""", "i8")


def function(name, sizes, storage, types, epilogue):
    """Linalg of one product. storage is two letters, as BLAS says them: A and B
    each n (stored [m, k], [k, n]) or t (transposed)."""
    lhs, rhs, vector, output = TYPES[types]
    sum_type = "i32" if lhs == "i8" else "f32"
    m, n, k = sizes
    a = tensor((m, k) if storage[0] == "n" else (k, m), lhs)
    b = tensor((k, n) if storage[1] == "n" else (n, k), rhs)
    sums, result = tensor((m, n), sum_type), tensor((m, n), output)
    a_map = "d0, d2" if storage[0] == "n" else "d2, d0"
    b_map = "d2, d1" if storage[1] == "n" else "d1, d2"
    last = Epilogue(epilogue, (m, n), sum_type, vector, output)
    arguments = [("a", a), ("b", b)] + last.arguments
    inputs = [("%sum", sums, "d0, d1")] + [
        (f"%{v}", t, m) for (v, t), m in zip(last.arguments, last.maps)]
    maps = ", ".join(f"affine_map<(d0, d1) -> ({m})>" for _, _, m in inputs)
    arms = ", ".join([f"%s: {sum_type}"] + last.arms + [f"%unused: {output}"])
    body = "\n    ".join(last.body + [f"linalg.yield {last.value} : {output}"])
    sizes_of = "".join(
        f"\n  %d{i} = tensor.dim %{v}, %c{int(p)} : {t}"
        for i, v, p, t in ((0, "a", storage[0] == "t", a),
                           (1, "b", storage[1] == "n", b)))
    dynamic = ", ".join(f"%d{i}" for i, s in enumerate((m, n)) if s == "?")
    parameters = ", ".join(
        f'%{v}: {t} {{coda.name = "{v}"}}' for v, t in arguments)
    return f"""func.func @{name}({parameters}) -> {result} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant {"0" if sum_type == "i32" else "0.0"} : {sum_type}{sizes_of}
  %empty = tensor.empty({dynamic}) : {sums}
  %filled = linalg.fill ins(%zero : {sum_type}) outs(%empty : {sums}) -> {sums}
  %sum = linalg.matmul
      indexing_maps = [affine_map<(d0, d1, d2) -> ({a_map})>,
                       affine_map<(d0, d1, d2) -> ({b_map})>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>]
      ins(%a, %b : {a}, {b}) outs(%filled : {sums}) -> {sums}
  %out_init = tensor.empty({dynamic}) : {result}
  %out = linalg.generic {{indexing_maps = [{maps}, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}}
      ins({", ".join(v for v, _, _ in inputs)} : {", ".join(t for _, t, _ in inputs)})
      outs(%out_init : {result}) {{
  ^bb0({arms}):
    {body}
  }} -> {result}
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


def sweep_cases(kind):
    """(epilogue, types, storage, kernel) of the kernels of one type."""
    if kind in ("bf16", "f16"):
        for storage in STORAGES:
            for kernel in TMA_KERNELS:
                yield "bias_residual", kind, storage, kernel
    if kind == "bf16":
        for epilogue in EPILOGUES:
            yield epilogue, "bf16", "nt", "auto"
        yield "bias", "f32out", "nt", "auto"
    # One byte an element: only along k do tensor cores take them.
    if kind == "fp8":
        for types in ("e4m3", "e4m3_e5m2", "e5m2_e4m3", "e5m2"):
            for kernel in TMA_KERNELS:
                yield "scaled_bias", types, "nt", kernel
        for storage in ("nn", "tn", "tt"):
            yield "scaled_bias", "e4m3_e5m2", storage, "auto"
        yield "scaled_residual", "e4m3", "nt", "auto"
        for kernel in TMA_KERNELS:
            yield "scaled_residual", "e4m3_e4m3out", "nt", kernel
        yield "plain", "e4m3_f32out", "nt", "auto"
        for types in ("e4m3_e4m3out", "e4m3_e5m2out"):
            yield "scaled", types, "nt", "cooperative"
            yield "scaled_clamp", types, "nt", "pingpong"
        yield "scaled", "e4m3_e4m3out", "tn", "auto"
    if kind == "int8":
        for kernel in TMA_KERNELS:
            yield "plain", "i8_i32out", "nt", kernel
            yield "columns_bias_round", "i8", "nt", kernel
        for storage in ("nn", "tn", "tt"):
            yield "columns_round", "i8", storage, "auto"
        yield "rows_columns", "i8_bf16out", "nt", "auto"
        yield "fixed", "i8", "nt", "auto"


def benchmark_cases(kind):
    """(epilogue, types) of the kernels of one type."""
    if kind == "bf16":
        for epilogue in EPILOGUES:
            yield epilogue, "bf16"
    if kind == "fp8":
        yield "scaled", "e4m3"
        yield "scaled_bias_gelu", "e4m3"
        yield "scaled_clamp", "e4m3_e4m3out"
    if kind == "int8":
        yield "plain", "i8_i32out"
        yield "rows_columns", "i8_bf16out"
        yield "columns_round", "i8"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--benchmark", action="store_true")
    parser.add_argument("--only", help="types, by commas: bf16, f16, fp8, int8")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    default = "bf16" if options.benchmark else "bf16,f16,fp8,int8"
    for kind in (options.only or default).split(","):
        if kind not in ("bf16", "f16", "fp8", "int8"):
            parser.error(f"no type '{kind}'; expected bf16, f16, fp8 or int8")
        if options.benchmark:
            for shape in SHAPES:
                for epilogue, types in benchmark_cases(kind):
                    name = f"{epilogue}-{types}-{'x'.join(map(str, shape))}"
                    compile_kernel(options.bin, options.out, name,
                                   function("f", shape, "nt", types, epilogue),
                                   "auto")
            continue
        for epilogue, types, storage, kernel in sweep_cases(kind):
            compile_kernel(options.bin, options.out,
                           f"{epilogue}-{types}-{storage}-{kernel}",
                           function("f", ("?",) * 3, storage, types, epilogue),
                           kernel)


main()
