"""What no entry point takes: each refusal names what was wrong, nothing is launched,
and nothing crashes.

RUN: %python %s %S/../Runtime/Inputs > %t && FileCheck %s --allow-empty < %t
CHECK-NOT: launch
"""

import ctypes
import json
import pathlib
import sys
import tempfile
import unittest

import coda
import torch
from coda import _cache, runtime

folder = pathlib.Path(sys.argv.pop(1))
MANIFEST = (folder / "plan.json").read_bytes()
IMAGE = (folder / "plan.image").read_bytes()
module = runtime.Module(MANIFEST, IMAGE)
linear, identity = module["linear"], module["identity"]
bf16 = torch.bfloat16
HUGE = 1 << 70


def tensor(*shape, dtype=bf16, device="cuda"):
    return torch.empty(*shape, dtype=dtype, device=device)


x, w = tensor(300, 64), tensor(64, 128)


class Case(unittest.TestCase):
    def refuse(self, message, call, kind=coda.ArgumentError):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(message, str(caught.exception))

    def refuse_all(self, message, values, call, kind=coda.ArgumentError):
        for value in values:
            with self.subTest(value=repr(value)[:60]):
                self.refuse(message, lambda: call(value), kind)


NO_ARRAYS = ("x", {}, [1], object(), b"x", torch, int)


class Products(Case):
    def test_no_arrays(self):
        self.refuse_all("x: expected an array", NO_ARRAYS + (None, True, 3, 2.5),
                        lambda v: coda.gemm(v, w))  # fmt: skip
        for v in ("x", {}, object(), b"x", None, True, 3, 2.5, [None]):
            self.refuse("rhs: expected an array", lambda: coda.gemm(x, v))
        self.refuse("rhs1: expected an array",
                    lambda: coda.gemm(x, (w, None), epilogue=lambda a, b: a))  # fmt: skip
        self.refuse_all("b: expected an array", NO_ARRAYS + (None, True),
                        lambda v: coda.gemm(x, w, v, epilogue=lambda a, b: a + b))  # fmt: skip

    def test_epilogues(self):
        self.refuse_all("epilogue: expected a function with named parameters",
                        (3, "relu", int, object(), []),
                        lambda v: coda.gemm(x, w, epilogue=v))  # fmt: skip
        self.refuse("parameter 'args' must be an ordinary one",
                    lambda: coda.gemm(x, w, epilogue=print))  # fmt: skip

    def test_options(self):
        self.refuse_all("dynamic: must be made of", (3, None, [], ("m",), b"m", "MN"),
                        lambda v: coda.gemm(x, w, dynamic=v))  # fmt: skip
        self.refuse_all("schedule: expected a coda.Schedule", (3, "simple", {}, object()),
                        lambda v: coda.gemm(x, w, schedule=v))  # fmt: skip
        self.refuse_all("options: expected a coda.Options", (3, "simple", {}, object()),
                        lambda v: coda.gemm(x, w, options=v))  # fmt: skip
        self.refuse_all("out_dtype: Coda has no", (3, object(), "", b"f32", ["f7"]),
                        lambda v: coda.gemm(x, w, out_dtype=v))  # fmt: skip
        self.refuse_all("out_dtype: ", ([], (), ("f32", "f32")),
                        lambda v: coda.gemm(x, w, out_dtype=v))  # fmt: skip
        self.refuse_all("schedule: kernel must be", ("x", None, 3, "simple "),
                        lambda v: coda.gemm(x, w, schedule=coda.Schedule(v, 64, 64, 32)))  # fmt: skip
        self.refuse_all("schedule: tile_m must be a positive number", (0, -1, "a", HUGE, 2.0),
                        lambda v: coda.gemm(x, w, schedule=coda.Schedule("simple", v, 64, 32)))  # fmt: skip

    def test_specs(self):
        def build(dtype, shape):
            coda.build_gemm(coda.Spec(dtype, shape), coda.Spec("bf16", (64, 128)))

        self.refuse_all("x: the sizes of a Spec are numbers",
                        (None, 3, "ab", (3, -1), (2.0, 64), (True, 64), (HUGE, 64)),
                        lambda v: build("bf16", v))  # fmt: skip
        self.refuse_all("x: dtype: Coda has no", ("zz", None, 3),
                        lambda v: build(v, (3, 64)))  # fmt: skip
        self.refuse("x: rank must be 2, but is 3", lambda: build("bf16", (3, 64, 1)))
        self.refuse("argument 0 'x': expected an array on a GPU",
                    lambda: coda.gemm(coda.Spec("bf16", (3, 64)), w))  # fmt: skip

    def test_storage(self):
        def of(address=x.address, shape=(300, 64), strides=(64, 1)):
            return torch.Tensor(4, 16, shape, strides, address, 2, 0)

        simple = coda.Options(kernel="simple")
        for message, array in (
            ("x: rank must be 2, but is 0", tensor()),
            ("x: rank must be 2, but is 1", tensor(64)),
            ("argument 0 'x': address 0x", of(x.address + 1)),
            ("argument 0 'x': address is null", of(0)),
            ("argument 0 'x': size of dimension 0 is -3", of(shape=(-3, 64))),
            ("expected an array on a GPU, but it is on", tensor(3, 64, device="cpu")),
        ):
            self.refuse(message, lambda: coda.gemm(array, w, options=simple))
        for message, shape in (
            ("size of dimension m of coda.gemm must be less than 2^31", (1 << 40, 64)),
            ("argument 0 'x': its size in bytes does not fit 64 bits", (1 << 62, 64)),
        ):
            self.refuse(message, lambda: coda.gemm(of(shape=shape), w, options=simple),
                        coda.Error)  # fmt: skip


class Calls(Case):
    a, b = tensor(300, 64), tensor(32, 64)

    def call(self, scale=1.0, rows=3, **named):
        return linear(self.a, self.b, scale, rows, 1.0, **named)

    def test_streams(self):
        self.refuse_all("stream: expected an address", ("x", -1, HUGE, 2.5, [], True),
                        lambda v: self.call(stream=v))  # fmt: skip

    def test_out(self):
        self.refuse_all("out 0: expected an array", ("x", 3, {}, [3], (object(),)),
                        lambda v: self.call(out=v))  # fmt: skip
        self.refuse_all("1 result, but out has", ((), (None, None), []),
                        lambda v: self.call(out=v))  # fmt: skip

    def test_numbers(self):
        self.refuse_all("argument 2: expected a number of type f32",
                        ("x", None, [], 1j), lambda v: self.call(scale=v))  # fmt: skip
        self.refuse_all("argument 3 'rows': ", ("x", None, 1j, 1.0, 1 << 63, 1 << 32),
                        lambda v: self.call(rows=v))  # fmt: skip

    def test_layouts(self):
        rest = (None,) * 4
        self.refuse_all("layouts must be a tuple", (3, [], ()),
                        lambda v: module.function("linear", v))  # fmt: skip
        self.refuse_all("a layout is None or (rank, dims)", (3, (1,), (1 << 40, ()), "ab"),
                        lambda v: module.function("linear", (v, *rest)))  # fmt: skip
        self.refuse_all("in a layout of rank", ((1, (5,)), (2, ("a", 0)), (2, (0, 0))),
                        lambda v: module.function("linear", (v, *rest)))  # fmt: skip
        self.refuse_all("a layout of rank", ((-1, ()), (99, ()), (1, (0, 0))),
                        lambda v: module.function("linear", (v, *rest)))  # fmt: skip


class Interface:
    def __init__(self, **named):
        self.__cuda_array_interface__ = {
            "typestr": "<f4", "shape": (5,), "data": (0x2000, False), "strides": None,
            "version": 3, **named,
        }  # fmt: skip


class Interfaces(Case):
    def test_members(self):
        for name, message, values in (
            ("shape", "shape must be a sequence of integers of 64 bits",
             (None, 5, "ab", (5.0,), (HUGE,), {0: 5})),
            ("strides", "strides must be a sequence of integers of 64 bits",
             ("a", (4.0,), (1 << 63,), 4)),
            ("data", "data must be an address",
             (("x", False), (-4, False), (HUGE, False), (2.0, False))),
            ("data", "has no shape or no data", (3, (1, 2, 3), None)),
            ("stream", "stream must be an address", ("x", -3, 2.0)),
            ("mask", "an array with a mask is not supported", (3,)),
            ("typestr", "Coda has no element type for", (b"<f4", ">f4", None, 3, "<c8")),
        ):  # fmt: skip
            self.refuse_all(message,
                            values, lambda v: identity(Interface(**{name: v})))  # fmt: skip

    def test_sizes(self):
        for named in (
            dict(shape=(1 << 62,)),
            dict(strides=(-(1 << 63),)),
            dict(strides=((1 << 63) - 4,)),
        ):
            self.refuse("argument 0: its size in bytes does not fit 64 bits",
                        lambda: identity(Interface(**named)), coda.Error)  # fmt: skip

    def test_no_dict(self):
        array = Interface()
        for value in (None, 3, [], "x"):
            array.__cuda_array_interface__ = value
            self.refuse("__cuda_array_interface__ is no dict", lambda: identity(array))


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("number", ctypes.c_int32),
        ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    ]  # fmt: skip


class Capsule:
    """An array whose DLPack tensor is as its maker says."""

    def __init__(self, pair=(2, 0), make=None, **fields):
        self.pair, self.make = pair, make
        self.sizes = (ctypes.c_int64 * 1)(fields.pop("size", 5))
        self.name = fields.pop("name", b"dltensor")
        shape = ctypes.cast(self.sizes, ctypes.c_void_p).value
        self.tensor = Tensor(**{
            "data": 0x2000, "device": 2, "rank": 1, "code": 2, "bits": 32, "lanes": 1,
            "shape": shape, **fields,
        })  # fmt: skip

    def __dlpack_device__(self):
        return self.pair

    def __dlpack__(self, **named):
        if self.make is not None:
            return self.make()
        create = ctypes.pythonapi.PyCapsule_New
        create.restype = ctypes.py_object
        create.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return create(ctypes.addressof(self.tensor), self.name, None)


def interrupt():
    raise KeyboardInterrupt


def no():
    raise BufferError("not today")


class Capsules(Case):
    def test_tensors(self):
        for message, fields in (
            ("rank -1 is not supported", dict(rank=-1)),
            ("rank 9 is not supported", dict(rank=9)),
            ("its shape is null", dict(shape=None)),
            ("address is null", dict(data=None)),
            ("no element type", dict(lanes=2)),
            ("no element type", dict(lanes=0)),
            ("no element type", dict(bits=7)),
            ("no element type", dict(code=99)),
            ("address 0x2001 is not a multiple of the 4 bytes", dict(offset=1)),
            ("size of dimension 0 is -1", dict(size=-1)),
            ("it is on the CPU", dict(device=1)),
            ("on a device that is not CUDA's", dict(device=99)),
            ("__dlpack__ gives no DLPack capsule", dict(name=b"used_dltensor")),
        ):
            self.refuse(message, lambda: identity(Capsule(**fields)))
        self.refuse("x: its shape is null",
                    lambda: coda.gemm(Capsule(shape=None, rank=2), w))  # fmt: skip

    def test_devices(self):
        self.refuse_all("argument 0: __dlpack_device__ gives no pair of numbers",
                        (None, 3, (2,), (2, 0, 0), ("a", 0), (1 << 40, 0), [2, 0]),
                        lambda v: identity(Capsule(v)))  # fmt: skip
        self.refuse("there is no device 77", lambda: identity(Capsule(number=77)),
                    coda.Error)  # fmt: skip

    def test_methods(self):
        self.refuse_all("__dlpack__ gives no DLPack capsule", (None, 3, "x"),
                        lambda v: identity(Capsule(make=lambda: v)))  # fmt: skip
        self.refuse("argument 0: not today", lambda: identity(Capsule(make=no)))
        self.refuse("x: not today", lambda: coda.gemm(Capsule(make=no), w))
        self.refuse("argument 1 'w': not today",
                    lambda: linear(tensor(300, 64), Capsule(make=no), 1, 3, 1))  # fmt: skip
        self.refuse("out 0: not today",
                    lambda: linear(tensor(300, 64), tensor(32, 64), 1, 3, 1,
                                   out=Capsule(make=no)))  # fmt: skip
        for call in (identity, lambda a: coda.gemm(a, w)):
            self.refuse("", lambda: call(Capsule(make=interrupt)), KeyboardInterrupt)

    def test_twice(self):
        # A capsule can be taken once.
        array = Capsule()
        array.made = array.__dlpack__()
        array.make = lambda: array.made
        identity(array)
        self.refuse("__dlpack__ gives no DLPack capsule", lambda: identity(array))


class Files(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "a.json"

    def test_manifests(self):
        self.refuse_all("manifest: expected text or bytes", (None, 3, []),
                        lambda v: runtime.Module(v, IMAGE))  # fmt: skip
        self.refuse_all("image: expected text or bytes", (None, 3, []),
                        lambda v: runtime.Module(MANIFEST, v))  # fmt: skip
        self.refuse("manifest: cannot be encoded",
                    lambda: runtime.Module("\ud800", IMAGE))  # fmt: skip
        name = MANIFEST.replace(b'"linear"', b'"\xff\xfe"')
        self.refuse("manifest: a name in it is not UTF-8",
                    lambda: runtime.Module(name, IMAGE), coda.Error)  # fmt: skip
        self.refuse_all("manifest: ",
                        (b"", b"{", MANIFEST[:100], MANIFEST[:-5], MANIFEST + b"x", b"[]",
                         b"null", b"3", b"\xff", b"{" * 100000, b"[" * 1000000),
                        lambda v: runtime.Module(v, IMAGE), coda.Error)  # fmt: skip
        for step in range(0, len(MANIFEST) - 2, 131):
            self.refuse("manifest: not JSON",
                        lambda: runtime.Module(MANIFEST[:step], IMAGE), coda.Error)  # fmt: skip

    def test_images(self):
        self.refuse_all("image", (b"", b"\0", IMAGE[:10], IMAGE[:-20], b"bad"),
                        lambda v: runtime.Module(MANIFEST, v).load(), coda.Error)  # fmt: skip

    def test_paths(self):
        self.refuse_all("manifest: expected a path", (None, 3, [], b"x"), runtime.load)
        self.path.write_bytes(MANIFEST)
        self.refuse("image: expected a path", lambda: runtime.load(self.path, 3))
        self.refuse("a.ptx': No such file", lambda: runtime.load(self.path), coda.Error)
        self.refuse("null byte", lambda: runtime.load("a\0b"), coda.Error)
        self.refuse(
            "Is a directory", lambda: runtime.load(self.folder.name), coda.Error
        )
        self.refuse_all("path: expected a path", (None, 3, b"x"), coda.load)
        self.refuse("null byte", lambda: coda.load("a\0b"), coda.Error)
        self.refuse("cannot read '/none'", lambda: coda.load("/none"), coda.Error)

    def test_devices(self):
        self.refuse_all("device: expected a number", (-2, 1 << 40, "0", None, 1.5, True),
                        module.load)  # fmt: skip
        self.refuse_all("there is no device", (64, 1000), module.load, coda.Error)

    def test_bundles(self):
        compiled = coda.compile("module{}")
        self.refuse_all("cannot write", (self.folder.name, "/none/x", "a\0b"),
                        compiled.save, coda.Error)  # fmt: skip
        self.refuse_all("path: expected a path", (None, 3), compiled.save)
        compiled.save(self.path)
        data = self.path.read_bytes()
        good = json.loads(data[data.index(b'{"manifest"') :])

        def load(content):
            self.path.write_bytes(content)
            coda.load(self.path)

        self.refuse_all("is damaged, or was not written by coda",
                        [data[:n] for n in (0, 5, 13, 40, 100, len(data) - 1)]
                        + [data + b"x", data[:-2] + b"}}"],
                        load, coda.Error)  # fmt: skip
        for change in (
            {"manifest": 3}, {"manifest": ["a"]}, {"ptx": None}, {"source": 3},
            {"options": []}, {"options": {"zz": 1}}, {"options": {"chip": 3}},
            {"diagnostics": 7}, {"diagnostics": [[1] * 20]}, {"diagnostics": [[1, 2]]},
        ):  # fmt: skip
            self.refuse("is damaged", lambda: load(_cache.pack({**good, **change})),
                        coda.Error)  # fmt: skip
        for content in ([], {}, 3):
            self.refuse("is damaged", lambda: load(_cache.pack(content)), coda.Error)


class Sources(Case):
    def test_sources(self):
        self.refuse_all("source: expected the text of MLIR",
                        (None, 3, 2.5, [], {}, (), pathlib.Path("a.mlir"), bytearray()),
                        coda.compile)  # fmt: skip
        self.refuse("source: cannot be encoded", lambda: coda.compile("\ud800"))
        self.refuse_all("<source>:1:", ("foo", "module {", b"ML\xefR\0\1", b"\xff\xfe"),
                        coda.compile, coda.CompileError)  # fmt: skip

    def test_options(self):
        for name, values in (
            ("chip", (None, 3, "", "a b", "a\0b")), ("kernel", ("x y", None, "")),
            ("remarks", (None, "a b")), ("normalize", ("maybe", 1, None)),
            ("extra", (3, None, "\0", "a\nb")),
        ):  # fmt: skip
            self.refuse_all(f"options: {name} must be", values,
                            lambda v: coda.compile("module{}", **{name: v}))  # fmt: skip
        self.refuse("options: ", lambda: coda.compile("module{}", colour=3))


unittest.main(verbosity=0)
