"""Arrays of libraries without DLPack's table of functions.

RUN: %python %s %S/../Runtime/Inputs > %t && FileCheck %s < %t
"""

import pathlib
import sys
import types
import unittest

import torch
from coda import ArgumentError, Buffer, _launch, runtime

folder = pathlib.Path(sys.argv.pop(1))
module = runtime.load(folder / "plan.json", folder / "plan.image")
linear, identity = module["linear"], module["identity"]


class Interface:
    """As Numba's arrays."""

    def __init__(self, shape, address=0x2000, strides=None, typestr="<f4", **more):
        self.__cuda_array_interface__ = {
            "typestr": typestr, "shape": shape, "data": (address, False),
            "strides": strides, "version": 3, **more,
        }  # fmt: skip


class OldTorch:
    """A tensor of torch before it had the table."""

    def __init__(self, shape, stride, address, dtype="torch.bfloat16", index=0):
        self.shape, self._stride, self._address = shape, stride, address
        self.dtype = dtype
        self.device = types.SimpleNamespace(type="cuda", index=index)

    def stride(self):
        return self._stride

    def data_ptr(self):
        return self._address


class Namespace:
    """Takes what JAX's from_dlpack would."""

    @staticmethod
    def from_dlpack(buffer):
        return Capsule(buffer)


class Capsule:
    """As JAX's arrays; `inner` makes the capsules."""

    def __init__(self, inner):
        self.inner = inner
        self.streams = []

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        return self.inner.__dlpack__(stream=stream, max_version=max_version)

    def __array_namespace__(self):
        return Namespace


class Old(Capsule):
    """Knows nothing of versions."""

    def __dlpack__(self, *, stream=None):
        return self.inner.__dlpack__(stream=stream)


class Interfaces(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(
            _launch.describe(Interface((5,), strides=(8,))),
            ("f32", (5,), (2,), (2, -1)),
        )
        a = Interface((5,))
        self.assertIs(identity(a), a)

    def test_stream(self):
        # What the array is made on is where it is used.
        # CHECK-DAG: launch finish grid {{.*}} stream 21
        y = linear_of_f16(Interface((300, 64), 0x10000, typestr="<f2", stream=21))
        self.assertIsInstance(y, Buffer)

    def test_refusals(self):
        for array, message in (
            (Interface((5,), typestr="<c8"), "Coda has no element type for '<c8'"),
            (Interface((5,), strides=(6,)), "no whole number of elements"),
            (Interface((5, 5), strides=(4,)), "shape and strides differ in length"),
            (Interface((1,) * 9), "rank 9 is not supported"),
            (Interface((5,), address=0), "argument 0"),
            (Interface((5,), address=3), "argument 0"),
            (Interface((-5,)), "argument 0"),
            (Interface((5,), typestr=None), "Coda has no element type"),
        ):
            with self.assertRaisesRegex(ArgumentError, message):
                identity(array)
        read_only = Interface((5,))
        read_only.__cuda_array_interface__["data"] = (0x2000, True)
        with self.assertRaisesRegex(ArgumentError, "argument 0: .* it is read-only"):
            identity(read_only)
        broken = Interface((5,))
        for name in ("shape", "data"):
            broken.__cuda_array_interface__ = {"typestr": "<f4", "shape": (5,)}
            del broken.__cuda_array_interface__["shape"]
            with self.assertRaisesRegex(ArgumentError, "has no shape or no data"):
                identity(broken)


def linear_of_f16(x):
    """Launches linear with an x of f16; gives its result, bf16 [rows, 32]."""
    text = (folder / "plan.json").read_text()
    text = text.replace('"bf16", "shape": [null, 64]', '"f16", "shape": [null, 64]')
    changed = runtime.Module(text, (folder / "plan.image").read_bytes())
    return changed["linear"](x, OldTorch((32, 64), (64, 1), 0x80000), 1.0, 3, 1.0)


class OldTorches(unittest.TestCase):
    def test_allocates_with_torch(self):
        # CHECK-DAG: launch finish grid {{.*}} stream 33
        torch.cuda.current_stream = lambda device: types.SimpleNamespace(cuda_stream=33)
        sys.modules["torch.cuda"] = torch.cuda
        y = linear(
            OldTorch((300, 64), (64, 1), 0x10000),
            OldTorch((32, 64), (64, 1), 0x80000), 1.0, 3, 1.0,
        )  # fmt: skip
        self.assertIsInstance(y, torch.Tensor)

    def test_type(self):
        with self.assertRaisesRegex(
            ArgumentError, "no element type for torch.complex64"
        ):
            identity(OldTorch((5,), (1,), 0x2000, "torch.complex64"))


class Capsules(unittest.TestCase):
    def setUp(self):
        self.buffer = linear_of_f16(Interface((300, 64), 0x10000, typestr="<f2"))

    def test_buffer(self):
        b = self.buffer
        self.assertEqual((b.shape, b.strides, b.dtype), ((300, 32), (32, 1), "bf16"))
        self.assertEqual(b.__dlpack_device__(), (2, 0))
        with self.assertRaises(AttributeError):
            b.__cuda_array_interface__  # there is no name for bf16
        b.__dlpack__()  # and it frees itself
        with self.assertRaises(BufferError):
            b.__dlpack__(copy=True)
        with self.assertRaises(BufferError):
            b.__dlpack__(dl_device=(1, 0))
        with self.assertRaises(TypeError):
            Buffer()

    def test_round_trip(self):
        for kind in (Capsule, Old):
            self.assertEqual(
                _launch.describe(kind(self.buffer)),
                ("bf16", (300, 32), (32, 1), (2, 0)),
            )

    def test_call(self):
        # The stream of a call is told to the array; the result goes back to its
        # library. Its shape is wrong for x, and is found to be.
        a = Capsule(self.buffer)
        w = OldTorch((32, 64), (64, 1), 0x80000)
        with self.assertRaisesRegex(
            ArgumentError, "'x': size of dimension 1 must be 64"
        ):
            linear(a, w, 1.0, 3, 1.0, stream=77)
        self.assertEqual(a.streams, [77])

    def test_result_goes_back(self):
        # CHECK-DAG: launch finish grid {{.*}} stream 77
        text = (folder / "plan.json").read_text()
        text = text.replace('"shape": [null, 64]', '"shape": [null, 32]')
        f = runtime.Module(text, (folder / "plan.image").read_bytes())["linear"]
        w = OldTorch((32, 64), (64, 1), 0x80000)
        a = Capsule(self.buffer)
        y = f(a, w, 1.0, 3, 1.0, stream=77)
        self.assertIsInstance(y, Capsule)
        self.assertEqual(a.streams, [77])
        self.assertEqual(y.inner.shape, (300, 32))

    def test_cpu(self):
        class Cpu(Capsule):
            def __dlpack_device__(self):
                return (1, 0)

        with self.assertRaisesRegex(ArgumentError, "argument 0: .* it is on the CPU"):
            identity(Cpu(self.buffer))

    def test_no_capsule(self):
        class Wrong(Capsule):
            def __dlpack__(self, **named):
                return 3

        class Raises(Capsule):
            def __dlpack__(self, **named):
                raise BufferError("not today")

        with self.assertRaisesRegex(ArgumentError, "gives no DLPack capsule"):
            identity(Wrong(self.buffer))
        with self.assertRaisesRegex(ArgumentError, "argument 0: not today"):
            identity(Raises(self.buffer))


unittest.main(verbosity=0)
