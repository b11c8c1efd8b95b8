"""Calls of compiled functions: what is launched, and what is refused.

RUN: %python %s %S/../Runtime/Inputs > %t && FileCheck %s < %t
"""

import pathlib
import sys
import unittest

import torch
from coda import ArgumentError, Error, _launch, runtime

folder = pathlib.Path(sys.argv.pop(1))
module = runtime.load(folder / "plan.json", folder / "plan.image")
linear, identity = module["linear"], module.identity


def tensor(*shape, dtype=torch.bfloat16, device="cuda"):
    return torch.empty(*shape, dtype=dtype, device=device)


x, w = tensor(300, 64), tensor(32, 64)


class Launches(unittest.TestCase):
    def test_results_are_allocated(self):
        # CHECK-DAG: launch gemm grid 6x1x1 block 384x1x1 shared 230000 stream 7 map#{{[0-9]+}} i32 300 i64 {{[0-9]+}} f32 0x3fc00000
        torch.cuda.set_stream(7)
        before = torch._fake_arrays.allocated()
        y = linear(x, w, 1.5, 3, 1.0)
        torch.cuda.set_stream(0)
        self.assertIs(type(y), torch.Tensor)
        self.assertEqual((y.shape, y.dtype), ((300, 32), torch.bfloat16))
        self.assertEqual(y.device, "cuda:0")
        # The workspace went back.
        self.assertEqual(torch._fake_arrays.allocated(), before + 1)
        del y
        self.assertEqual(torch._fake_arrays.allocated(), before)

    def test_results_are_given(self):
        # CHECK-DAG: launch gemm {{.*}} stream 9 {{.*}} f32 0x40000000
        out = tensor(300, 32)

        class Stream:
            cuda_stream = 9

        self.assertIs(linear(x, w, 2.0, 3, 1.0, out=out, stream=Stream), out)
        self.assertIs(linear(x, w, 2.0, 3, 1.0, out=[out], stream=9), out)
        self.assertIsNot(linear(x, w, 2.0, 3, 1.0, out=[None]), out)

    def test_an_argument_is_returned(self):
        a = tensor(5, dtype=torch.float32)
        self.assertIs(identity(a), a)

    def test_names(self):
        self.assertEqual(list(module), ["linear", "identity"])
        self.assertEqual(
            repr(linear),
            "<coda function linear(x: ?x64xbf16, w: 32x64xbf16, argument2: f32, "
            "rows: i32, argument4: bf16)>",
        )
        self.assertEqual(linear.arguments[1]["shape"], (32, 64))
        with self.assertRaisesRegex(KeyError, "no function 'other'; there is: linear"):
            module["other"]
        with self.assertRaises(AttributeError):
            module.other

    def test_layouts(self):
        # A transposed view of what is stored as the function wants it.
        # CHECK-DAG: launch gemm {{.*}} f32 0x40400000
        turned = module.function("linear", (None, (2, (1, 0)), None, None, None))
        self.assertEqual(turned(x, w.T, 3.0, 3, 1.0).shape, (300, 32))
        taken = module.function("identity", ((2, (1,)),))
        taken(tensor(1, 5, dtype=torch.float32))
        with self.assertRaisesRegex(ArgumentError, "dimension 0 must be 1, but is 2"):
            taken(tensor(2, 5, dtype=torch.float32))
        with self.assertRaisesRegex(ArgumentError, "rank must be 2, but is 1"):
            taken(tensor(5, dtype=torch.float32))
        for bad in ((), (1,) * 5, ((1, (1,)),) + (None,) * 4):
            with self.assertRaises(ArgumentError):
                module.function("linear", bad)

    def test_describe(self):
        self.assertEqual(_launch.describe(w.T), ("bf16", (64, 32), (1, 64), (2, 0)))


class Refusals(unittest.TestCase):
    def refuse(self, message, *arguments, f=linear, **named):
        with self.assertRaises(ArgumentError) as caught:
            f(*arguments, **named)
        self.assertIn(message, str(caught.exception))
        self.assertIsInstance(caught.exception, (TypeError, ValueError))

    def test_count(self):
        self.refuse("'linear' takes 5 arguments, but got 2", x, w)
        self.refuse("takes 1 argument, but got 0", f=identity)

    def test_kind(self):
        self.refuse("argument 0 'x': expected an array on a GPU", "x", w, 1, 3, 1)
        self.refuse("but got NoneType", x, None, 1, 3, 1)
        self.refuse("argument 3 'rows': expected a number of type i32, but got str",
                    x, w, 1, "3", 1)  # fmt: skip
        self.refuse("argument 3 'rows': expected a number of type i32, but got float",
                    x, w, 1, 3.5, 1)  # fmt: skip
        self.refuse("does not fit 64 bits", x, w, 1, 1 << 70, 1)
        self.refuse("argument 2: expected a number of type f32", x, w, x, 3, 1)

    def test_type(self):
        self.refuse("argument 0 'x': element type must be bf16, but is f32",
                    tensor(300, 64, dtype=torch.float32), w, 1, 3, 1)  # fmt: skip
        self.refuse("argument 0 'x': Coda has no element type",
                    tensor(300, 64, dtype=torch.complex64), w, 1, 3, 1)  # fmt: skip

    def test_shape(self):
        self.refuse("argument 0 'x': size of dimension 1 must be 64, but is 63",
                    tensor(300, 63), w, 1, 3, 1)  # fmt: skip
        self.refuse(
            "argument 0 'x': rank must be 2, but is 1", x[0:1].reshape(64), w, 1, 3, 1
        )
        self.refuse("is not supported", x.reshape(*(1,) * 8, -1), w, 1, 3, 1)

    def test_strides(self):
        # Only the rows of x may have any distance.
        self.refuse("argument 1 'w'", x, tensor(64, 32).T, 1, 3, 1)
        linear(tensor(300, 128)[:, :64], w, 1, 3, 1)

    def test_alignment(self):
        odd = x._view((4, 64), (64, 1))
        odd = torch.Tensor(4, 16, (4, 64), (64, 1), odd.address + 1, 2, 0)
        self.refuse("argument 0 'x': address", odd, w, 1, 3, 1)
        null = torch.Tensor(4, 16, (4, 64), (64, 1), 0, 2, 0)
        self.refuse("argument 0 'x'", null, w, 1, 3, 1)

    def test_device(self):
        self.refuse("argument 1 'w': expected an array on a GPU, but it is on the CPU",
                    x, tensor(32, 64, device="cpu"), 1, 3, 1)  # fmt: skip
        self.refuse("argument 1 'w': expected an array on GPU 0, as those before it, "
                    "but it is on GPU 1",
                    x, tensor(32, 64, device="cuda:1"), 1, 3, 1)  # fmt: skip
        with self.assertRaisesRegex(Error, "there is no device 9: the driver has 1"):
            linear(tensor(300, 64, device="cuda:9"), tensor(32, 64, device="cuda:9"),
                   1, 3, 1)  # fmt: skip

    def test_out(self):
        def out(message, given):
            self.refuse(message, x, w, 1, 3, 1, out=given)

        out("out 0: shape must be (300, 32), but is (300, 31)", tensor(300, 31))
        out("out 0: element type must be bf16, but is f32",
            tensor(300, 32, dtype=torch.float32))  # fmt: skip
        out("out 0: stride 0 must be 32, but is 1", tensor(32, 300).T)
        out("out 0: expected an array on a GPU, but it is on the CPU",
            tensor(300, 32, device="cpu"))  # fmt: skip
        out("on GPU 0, but it is on GPU 1", tensor(300, 32, device="cuda:1"))
        out("'linear' has 1 result, but out has 2", (None, None))
        out("out 0: expected an array", "y")

    def test_overlap(self):
        whole = tensor(300, 128)
        self.refuse("out 0 shares memory with argument 0 'x'",
                    whole[:, :64], w, 1, 3, 1,
                    out=whole._view((300, 32), (32, 1)))  # fmt: skip

    def test_named(self):
        self.refuse(
            "no keyword argument 'outs'", x, w, 1, 3, 1, outs=None, f=linear.raw
        )
        self.refuse("stream: expected an address", x, w, 1, 3, 1, stream="a")

    def test_nothing_leaks(self):
        before = torch._fake_arrays.allocated()
        with self.assertRaises(ArgumentError):
            linear(x, w, 1.0, 1, 1.0, out=tensor(300, 31))
        with self.assertRaisesRegex(Error, "rows must not be negative"):
            linear(x, w, 1.0, -1, 1.0)
        self.assertEqual(torch._fake_arrays.allocated(), before)


unittest.main(verbosity=0)
