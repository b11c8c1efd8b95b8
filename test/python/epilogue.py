"""Python functions to coda.map, and what cannot be one.

RUN: %python %s | FileCheck %s
"""

import coda

x, w = coda.Spec("bf16", (300, 64)), coda.Spec("bf16", (64, 128))


SIMPLE = coda.Options(kernel="simple")  # the fastest to compile


def show(function, *operands, **named):
    print(f"-- {function.__name__}")
    named["options"] = SIMPLE
    print(coda.build_gemm(x, w, *operands, epilogue=function, **named).module.source)


# Operands by their shape; what is not f32 is converted, the result rounded once.
# CHECK-LABEL: -- operands
# CHECK: operands(%row [n] : tensor<128xbf16>, %row1 [n] : tensor<128xf32>, %column [m] : tensor<?xf32>, %whole [m, n] : tensor<?x128xbf16>, %turned [n, m] : tensor<128x?xbf16>, %one [] : tensor<f32>, %number [] : f32)
# CHECK: %t.0: !coda.tile<1x128xbf16>, %t.1: !coda.tile<1x128xf32>, %t.2: !coda.tile<?x1xf32>
# CHECK: arith.extf {{.*}} : bf16 to f32
# CHECK: arith.truncf {{.*}} : f32 to bf16
# CHECK-NOT: arith.truncf
def operands(acc, row, row1, column, whole, turned, one, number):
    return acc + row + row1 + column + whole + turned + one * number


S = coda.Spec
show(operands, S("bf16", (128,)), S("f32", (1, 128)), S("f32", (300, 1)),
     S("bf16", (300, 128)), S("bf16", (300, 128), True), S("f32", ()), 1.5)  # fmt: skip


# CHECK-LABEL: -- functions
# CHECK: math.exp
# CHECK: math.log
# CHECK: math.sqrt
# CHECK: math.rsqrt
# CHECK: math.tanh
# CHECK: math.erf
# CHECK: math.absf
# CHECK: arith.divf
# CHECK: arith.minimumf
def functions(v):
    v = coda.rsqrt(coda.sqrt(coda.log(coda.exp(v))))
    v = abs(coda.gelu(coda.tanh(v)))
    return coda.minimum(coda.sigmoid(v), 1 - v)


show(functions)


# Comparisons are ordered, "not equal" holds for NaN. Infinity is a constant.
# CHECK-LABEL: -- masked
# CHECK-DAG: coda.index rows : !coda.tile<?x1xi64>
# CHECK-DAG: coda.index columns : !coda.tile<1x128xi64>
# CHECK: arith.cmpf une
# CHECK: arith.cmpi sgt
# CHECK: arith.andi
# CHECK: arith.constant 0xFF800000 : f32
# CHECK: arith.select
def masked(v):
    return coda.where((v != 0) & (coda.columns() > coda.rows()), float("-inf"), v)


show(masked)


# A cast rounds where it stands; as a result it decides the type.
# CHECK-LABEL: -- rounded
# CHECK: outs(%init.0 [m, n] : tensor<?x128xf32>, %init.1 [m, n] : tensor<?x128xi32>, %init.2 [m, n] : tensor<?x128xbf16>)
# CHECK: arith.truncf {{.*}} : f32 to f16
# CHECK: arith.extf {{.*}} : f16 to f32
# CHECK: arith.fptosi
# CHECK: coda.yield %acc.0
def rounded(v):
    return coda.cast(coda.cast(v, "f16") * 2, "f32"), v.astype("i32"), v


def whole(v):
    return coda.cast(v, "f32")


show(rounded, out_dtype=("f32", "i32", "bf16"))
print(coda.build_gemm(x, w, epilogue=whole, options=SIMPLE).module.source)


# A result without a product in it still has all rows.
# CHECK-LABEL: -- constant
# CHECK: coda.map({{.*}} = %acc.0
def constant(v):
    return coda.cast(1.0, "f32")


show(constant)


# A reduction is a vector of f32; a matrix of it is one again.
# CHECK-LABEL: -- reduced
# CHECK: outs(%init.0 [m, n] : tensor<?x128xbf16>, %init.1 [m] : tensor<?xf32>, %init.2 [n] : tensor<128xf32>)
# CHECK: coda.map
# CHECK: %[[SQUARE:.*]] = coda.map
# CHECK: arith.mulf
# CHECK: %[[SUM:.*]] = coda.reduce add %[[SQUARE]] along columns : !coda.tile<?x128xf32> -> !coda.tile<?x1xf32>
# CHECK: %[[MAX:.*]] = coda.reduce max %acc.0 along rows : !coda.tile<?x128xf32> -> !coda.tile<1x128xf32>
# CHECK: coda.yield %{{.*}}, %[[SUM]], %[[MAX]]
def reduced(v):
    return v * 2, coda.reduce(v * v), coda.reduce(v, "max", "rows")


# Only the text: whether it lowers depends on the kernel.
compile, coda._gemm.compile = coda._gemm.compile, lambda text, options: print(text)
try:
    show(reduced)
except AttributeError:  # there is no kernel
    pass
coda._gemm.compile = compile


# Long chains are no problem.
def chain(v):
    for _ in range(2000):
        v = v + 1
    return v


coda.build_gemm(x, w, epilogue=chain, options=SIMPLE)


def attempt(what, call):
    try:
        call()
        print(what, "was accepted")
    except coda.ArgumentError as error:
        print(f"{what}: {error}")


def build(function, *operands):
    return lambda: coda.build_gemm(x, w, *operands, epilogue=function)


# CHECK: branch: an epilogue cannot branch on an element
attempt("branch", build(lambda v: v if v > 0 else -v))
# CHECK: bits: epilogue: &, | and ~ are for comparisons, but got f32
attempt("bits", build(lambda v: v & v))
# CHECK: text: epilogue: expected an expression or a number, but got str
attempt("text", build(lambda v: v + "1"))
# CHECK: result: epilogue '<lambda>': result 0 must be an expression, but is float
attempt("result", build(lambda v: 1.0))
# CHECK: none: epilogue '<lambda>': result 0 must be an expression, but is NoneType
attempt("none", build(lambda v: None))
# CHECK: empty: epilogue '<lambda>' returns nothing
attempt("empty", build(lambda v: ()))
# CHECK: variadic: epilogue '<lambda>': parameter 'v' must be an ordinary one
attempt("variadic", build(lambda *v: v))
# CHECK: condition: where: the condition must be a comparison, but is of f32
attempt("condition", build(lambda v: coda.where(v, v, v)))
# CHECK: gelu: gelu: approximate must be "none" or "tanh", but is 'fast'
attempt("gelu", build(lambda v: coda.gelu(v, "fast")))
# CHECK: reduction: reduce: kind must be one of add, mul, max, min, absmax, logsumexp, and along columns or rows, but they are 'sum' and 'columns'
attempt("reduction", build(lambda v: coda.reduce(v, "sum")))
# CHECK: large: epilogue: 4294967296 does not fit i32
attempt("large", build(lambda v: coda.where(coda.cast(v, "i32") > 1 << 32, v, v)))
