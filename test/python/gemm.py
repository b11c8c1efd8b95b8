"""coda.gemm from Python functions to launches.

RUN: %python %s > %t && FileCheck %s < %t
"""

import unittest

import coda
import torch

bf16, f32 = torch.bfloat16, torch.float32
e4m3, e5m2 = torch.float8_e4m3fn, torch.float8_e5m2


def tensor(*shape, dtype=bf16, device="cuda"):
    return torch.empty(*shape, dtype=dtype, device=device)


@coda.epilogue
def swiglu(gate, up):
    return coda.silu(gate) * up


@coda.epilogue
def linear(acc, bias):
    return coda.relu(acc + bias)


x, w = tensor(300, 64), tensor(64, 128)


class Calls(unittest.TestCase):
    def test_swiglu(self):
        # CHECK-DAG: launch swiglu_gemm {{.*}} i32 300 i32 128 i32 64
        y = coda.gemm(x, rhs=(w, tensor(64, 128)), epilogue=swiglu)
        self.assertEqual((y.shape, y.dtype, y.device), ((300, 128), bf16, "cuda:0"))

    def test_rows_do_not_recompile(self):
        # CHECK-DAG: launch linear_gemm {{.*}} i32 300 i32 128 i32 64
        # CHECK-DAG: launch linear_gemm {{.*}} i32 7 i32 128 i32 64
        kernels = len(coda._gemm._kernels)
        b = tensor(128, dtype=f32)
        for rows in (300, 7, 1, 0):
            y = coda.gemm(tensor(rows, 64), w, epilogue=linear, bias=b)
            self.assertEqual(y.shape, (rows, 128))
        self.assertEqual(len(coda._gemm._kernels), kernels + 1)
        coda.gemm(x, w, b, epilogue=linear, dynamic="")
        coda.gemm(x, w, b, epilogue=linear, dynamic="mnk")
        self.assertEqual(len(coda._gemm._kernels), kernels + 3)

    def test_a_linear_layer(self):
        k = coda.build_gemm(x, tensor(128, 64).T)
        self.assertIn("rhs(%rhs [n, k] : tensor<128x64xbf16>)", k.module.source)
        self.assertEqual(k(x, tensor(128, 64).T).shape, (300, 128))
        self.assertEqual(coda.gemm(tensor(64, 300).T, w).shape, (300, 128))

    def test_two_formats(self):
        inputs = tensor(300, 64, dtype=e5m2), tensor(128, 64, dtype=e4m3).T
        k = coda.build_gemm(*inputs)
        self.assertIn("lhs(%x [m, k] : tensor<?x64xf8E5M2>) "
                      "rhs(%rhs [n, k] : tensor<128x64xf8E4M3FN>)",
                      " ".join(k.module.source.split()))  # fmt: skip
        self.assertEqual(k(*inputs).dtype, bf16)

    def test_leading_dimensions(self):
        y = coda.gemm(x.reshape(3, 100, 64), w, epilogue=lambda a, r: a + r,
                      r=tensor(3, 100, 128))  # fmt: skip
        self.assertEqual(y.shape, (3, 100, 128))
        out = tensor(3, 100, 128)
        self.assertIs(coda.gemm(x.reshape(3, 100, 64), w, out=out), out)

    def test_results(self):
        a, b = coda.gemm(x, w, epilogue=lambda v: (v, coda.cast(v, f32)))
        self.assertEqual((a.dtype, b.dtype), (bf16, f32))
        y = coda.gemm(x, w, out_dtype="f16", stream=5)
        self.assertEqual(y.dtype, torch.float16)
        self.assertIs(coda.gemm(x, w, out=(y,), out_dtype=torch.float16), y)

    def test_numbers(self):
        # CHECK-DAG: launch scaled_gemm {{.*}} f32 0x3f000000
        # CHECK-DAG: launch scaled_gemm {{.*}} f32 0x40000000
        def scaled(v, alpha):
            return v * alpha

        for alpha in (0.5, 2.0):
            coda.gemm(x, w, alpha, epilogue=scaled)

    def test_levels(self):
        k = coda.build_gemm(
            coda.Spec("bf16", (300, 64)), coda.Spec("bf16", (64, 128), True),
            coda.Spec("f32", (128,)), epilogue=linear,
            schedule=coda.Schedule("simple", 64, 64, 32),
        )  # fmt: skip
        self.assertIn("kernel = simple", k.module.ir("fused"))
        self.assertIn("gpu.module", k.module.ir("gpu"))
        self.assertIn("memref", k.module.ir("bufferized"))
        self.assertIn(".entry linear_gemm", k.module.ptx)
        with self.assertRaisesRegex(coda.ArgumentError, "level: must be one of input"):
            k.module.ir("cubin")
        with self.assertRaises(coda.CompileError):
            coda.build_gemm(x, w, schedule=coda.Schedule("cooperative", 1, 1, 1))


class Refusals(unittest.TestCase):
    def refuse(self, message, *arguments, **named):
        with self.assertRaises(coda.ArgumentError) as caught:
            coda.gemm(*arguments, **named)
        self.assertIn(message, str(caught.exception))

    def test_matrices(self):
        self.refuse("x: expected an array", "x", w)
        self.refuse("rhs: expected an array", x, None)
        self.refuse("x: rank must be 2, but is 1", tensor(64), w)
        self.refuse("rhs: rank must be 2, but is 1", x, tensor(64))
        self.refuse(
            "rhs: dtype must be bf16 as x's, but is f32", x, tensor(64, 128, dtype=f32)
        )
        # Two 8-bit floats go together, but all right-hand sides are of one type.
        weights = tensor(64, 128, dtype=e4m3), tensor(64, 128, dtype=e5m2)
        self.refuse("rhs1: dtype must be f8E4M3FN as x's, but is f8E5M2",
                    tensor(300, 64, dtype=e4m3), weights, epilogue=swiglu)  # fmt: skip
        self.refuse("x: dtype must be one of bf16", tensor(4, 64, dtype=torch.int64), w)
        self.refuse("rhs: size of dimension 0 must be 64", x, tensor(63, 128))
        self.refuse("rhs1: size of dimension 1 must be 128", x, (w, tensor(64, 64)),
                    epilogue=swiglu)  # fmt: skip
        self.refuse("rhs1: must be stored as rhs0", x, (w, tensor(128, 64).T),
                    epilogue=swiglu)  # fmt: skip
        self.refuse("at least 1 right-hand side", x, ())
        self.refuse("expected an array on a GPU, but it is on the CPU",
                    tensor(300, 64, device="cpu"), w)  # fmt: skip

    def test_operands(self):
        self.refuse("bias: shape must broadcast to (300, 128), but is (127,)",
                    x, w, tensor(127), epilogue=linear)  # fmt: skip
        self.refuse(
            "bias: rank must be at most 2", x, w, tensor(1, 1, 128), epilogue=linear
        )
        self.refuse("operand 'b' is missing", x, w, epilogue=lambda v, a, b: v, a=1.0)
        self.refuse("no such parameter", x, w, epilogue=linear, more=x)
        self.refuse("epilogue 'linear' takes 2 values, but there are 1 products and 0",
                    x, w, epilogue=linear)  # fmt: skip
        self.refuse("1 operands, but no epilogue", x, w, x)
        self.refuse("there is no epilogue", x, w, bias=x)
        self.refuse("bias: expected an array", x, w, "b", epilogue=linear)

    def test_options(self):
        self.refuse('dynamic: must be made of "mnk"', x, w, dynamic="q")
        self.refuse("dtype: Coda has no 'f7'", x, w, out_dtype="f7")
        self.refuse(
            "out_dtype: 2 types, but there are 1 results",
            x,
            w,
            out_dtype=("f16", "f16"),
        )
        self.refuse(
            "chip must be one word", x, w, options=coda.Options(chip="sm_90a x=y")
        )
        with self.assertRaises(coda.CompileError):
            coda.gemm(x, w, options=coda.Options(chip="sm_1"))

    def test_out(self):
        self.refuse("out 0: shape must be (300, 128), but is (300, 127)", x, w,
                    out=tensor(300, 127))  # fmt: skip
        self.refuse("out 0 shares memory with argument 0 'x'", x, w,
                    out=x._view((300, 128), (128, 1)))  # fmt: skip


unittest.main(verbosity=0)
