"""LayerNorm, activations and scales as coda.gemm ops, for the GPU tests.

Their references are in check_epilogues.py.
"""

from kernel_text import BF16, F32, Kernel, rounded

ONE = "%one = arith.constant 1.0 : f32\n"
ZERO = "%zero = arith.constant 0.0 : f32\n"

# Of %x0; each gives %y.
ACTIVATIONS = {
    "relu": ZERO + "%y = arith.maximumf %x0, %zero : f32",
    "relu2": ZERO + """%big = arith.maximumf %x0, %zero : f32
%y = arith.mulf %big, %big : f32""",
    "tanh": "%y = math.tanh %x0 : f32",
    "sigmoid": ONE + """%n = arith.negf %x0 : f32
%e = math.exp %n : f32
%d = arith.addf %e, %one : f32
%y = arith.divf %one, %d : f32""",
    "silu": ONE + """%n = arith.negf %x0 : f32
%e = math.exp %n : f32
%d = arith.addf %e, %one : f32
%y = arith.divf %x0, %d : f32""",
    "gelu": ONE + """%c = arith.constant 0.70710678118654752 : f32
%h = arith.constant 0.5 : f32
%s = arith.mulf %x0, %c : f32
%e = math.erf %s : f32
%d = arith.addf %e, %one : f32
%p = arith.mulf %x0, %h : f32
%y = arith.mulf %p, %d : f32""",
    "gelutanh": ONE + """%c = arith.constant 0.7978845608028654 : f32
%k = arith.constant 0.044715 : f32
%h = arith.constant 0.5 : f32
%q = arith.mulf %x0, %x0 : f32
%q3 = arith.mulf %q, %x0 : f32
%t = arith.mulf %q3, %k : f32
%u = arith.addf %x0, %t : f32
%v = arith.mulf %u, %c : f32
%e = math.tanh %v : f32
%d = arith.addf %e, %one : f32
%p = arith.mulf %x0, %h : f32
%y = arith.mulf %p, %d : f32""",
}
GATED = {"geglu": "gelu", "geglutanh": "gelutanh", "reglu": "relu"}

# GPT-OSS: gate at most 7, up within 7, sigmoid of 1.702 gate, up + 1.
CLAMPED = ONE + """%seven = arith.constant 7.0 : f32
%less = arith.constant -7.0 : f32
%alpha = arith.constant 1.702 : f32
%g = arith.minimumf %x0, %seven : f32
%u0 = arith.minimumf %x1, %seven : f32
%u1 = arith.maximumf %u0, %less : f32
%u = arith.addf %u1, %one : f32
%ag = arith.mulf %g, %alpha : f32
%n = arith.negf %ag : f32
%e = math.exp %n : f32
%d = arith.addf %e, %one : f32
%s = arith.divf %g, %d : f32
%p = arith.mulf %s, %u : f32
%r = arith.truncf %p : f32 to bf16"""


def activation(name, n, k):
    """Z = A B^T + bias, and act(Z)."""
    kernel = Kernel(f"{name}_{n}_{k}", n, k)
    bias = kernel.operand("bias", "[n]", f"{n}", BF16)
    z = kernel.map([kernel.accumulator(), bias], """
%e = arith.extf %x1 : bf16 to f32
%r = arith.addf %x0, %e : f32""", F32)
    kernel.out(rounded(kernel, z))
    kernel.out(kernel.map([z], ACTIVATIONS[name] + """
%r = arith.truncf %y : f32 to bf16""", BF16))
    return kernel


def gated(name, n, k):
    """act(A G^T) * (A U^T), or GPT-OSS's clamped form."""
    kernel = Kernel(f"{name}_{n}_{k}", n, k, rhs=2)
    body = CLAMPED if name == "clamped" else ACTIVATIONS[GATED[name]] + """
%w = arith.mulf %y, %x1 : f32
%r = arith.truncf %w : f32 to bf16"""
    kernel.out(kernel.map([kernel.accumulator(0), kernel.accumulator(1)], body,
                          BF16))
    return kernel


def layer_norm_producer(n, k):
    """D = A B^T + C; O = D g; row sums of D and of D^2 (rule R5)."""
    kernel = Kernel(f"lnp_{n}_{k}", n, k)
    c = kernel.operand("c", "[m, n]", f"?x{n}", BF16)
    g = kernel.operand("g", "[n]", f"{n}", BF16)
    d = kernel.map([kernel.accumulator(), c], """
%e = arith.extf %x1 : bf16 to f32
%r = arith.addf %x0, %e : f32""", F32)
    o = kernel.map([d, g], """
%e = arith.extf %x1 : bf16 to f32
%p = arith.mulf %x0, %e : f32
%r = arith.truncf %p : f32 to bf16""", BF16)
    square = kernel.map([d], "%r = arith.mulf %x0, %x0 : f32", F32)
    kernel.out(rounded(kernel, d))
    kernel.out(o)
    kernel.out(kernel.reduce("add", d), "[m]")
    kernel.out(kernel.reduce("add", square), "[m]")
    return kernel


def layer_norm_consumer(n, k):
    """r (A B^T) - (r mu) u + v, u and v columns (rule R5)."""
    kernel = Kernel(f"lnc_{n}_{k}", n, k)
    r = kernel.operand("rs", "[m]", "?", F32)
    mu = kernel.operand("mu", "[m]", "?", F32)
    u = kernel.operand("u", "[n]", f"{n}", F32)
    v = kernel.operand("v", "[n]", f"{n}", F32)
    kernel.out(kernel.map([kernel.accumulator(), r, mu, u, v], """
%p = arith.mulf %x0, %x1 : f32
%q = arith.mulf %x1, %x2 : f32
%s = arith.mulf %q, %x3 : f32
%t = arith.subf %p, %s : f32
%y = arith.addf %t, %x4 : f32
%r = arith.truncf %y : f32 to bf16""", BF16))
    return kernel


def scale(n, k):
    """D = alpha (A B^T) rows columns + beta C, alpha and beta on the device; the
    largest magnitude of each row of D."""
    kernel = Kernel(f"scale_{n}_{k}", n, k)
    alpha = kernel.operand("alpha", "[]", "", F32)
    beta = kernel.operand("beta", "[]", "", F32)
    rows = kernel.operand("rows", "[m]", "?", F32)
    columns = kernel.operand("columns", "[n]", f"{n}", F32)
    c = kernel.operand("c", "[m, n]", f"?x{n}", BF16)
    d = kernel.map([kernel.accumulator(), alpha, rows, columns, beta, c], """
%p = arith.mulf %x0, %x1 : f32
%q = arith.mulf %p, %x2 : f32
%s = arith.mulf %q, %x3 : f32
%e = arith.extf %x5 : bf16 to f32
%t = arith.mulf %x4, %e : f32
%r = arith.addf %s, %t : f32""", F32)
    kernel.out(rounded(kernel, d))
    kernel.out(kernel.reduce("absmax", d), "[m]")
    return kernel


def kernels(n, k):
    made = [activation(name, n, k) for name in ACTIVATIONS]
    made += [gated(name, n, k) for name in (*GATED, "clamped")]
    return made + [layer_norm_producer(n, k), layer_norm_consumer(n, k),
                   scale(n, k)]
