"""Runs what Coda compiled: a thin launcher over libcoda_runtime.

    module = coda.runtime.load("out.json", "out.ptx")
    y = module["linear"](x, w, bias)

Arguments are torch tensors on a GPU, or anything with
`__cuda_array_interface__`; numbers are Python numbers. Results are allocated
with torch, or with whatever `outs` holds. The function's name, the argument and
the expected and actual value are in the message of the `Error` that a wrong
argument raises, before anything is launched.
"""

import ctypes
import os
import pathlib

__all__ = ["Error", "Function", "Module", "load", "version"]

_MAX_RANK = 8
_SCALAR = -1
_MESSAGE_SIZE = 1024

# Numbers of coda_runtime.h.
_TYPES = {
    "i1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "f16": 6, "bf16": 7,
    "f32": 8, "f64": 9, "f8E4M3FN": 10, "f8E5M2": 11,
}  # fmt: skip
_TYPE_NAMES = {number: name for name, number in _TYPES.items()}
_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 2, 7: 2, 8: 4, 9: 8, 10: 1, 11: 1}
_FIRST_FLOAT = 6
_TORCH_NAMES = {
    "bool": 1, "int8": 2, "uint8": 2, "int16": 3, "int32": 4, "int64": 5,
    "float16": 6, "bfloat16": 7, "float32": 8, "float64": 9,
    "float8_e4m3fn": 10, "float8_e5m2": 11,
}  # fmt: skip
_TYPESTR = {
    "|b1": 1, "|i1": 2, "|u1": 2, "<i2": 3, "<i4": 4, "<i8": 5, "<f2": 6,
    "<f4": 8, "<f8": 9,
}  # fmt: skip


class Error(RuntimeError):
    """What the runtime refused, with its status number."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class _Payload(ctypes.Union):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
    ]


_Extents = ctypes.c_int64 * _MAX_RANK


class _Value(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("u", _Payload),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class _ArgumentInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("written", ctypes.c_int32),
        ("shape", _Extents),
        ("strides", _Extents),
    ]


class _ResultInfo(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("argument", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("bytes", ctypes.c_int64),
        ("shape", _Extents),
        ("strides", _Extents),
    ]


def _candidates():
    """Where the library may lie, in order."""
    if os.environ.get("CODA_RUNTIME_LIBRARY"):
        yield os.environ["CODA_RUNTIME_LIBRARY"]
        return
    name = "libcoda_runtime.so"
    package = pathlib.Path(__file__).resolve().parent
    yield package / name
    yield package.parent.parent / "build" / "lib" / name
    yield package.parent.parent / "lib" / name
    yield name


def _open_library():
    tried = []
    for path in _candidates():
        if isinstance(path, pathlib.Path) and not path.exists():
            tried.append(str(path))
            continue
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            tried.append(f"{path} ({error})")
    raise ImportError(
        "libcoda_runtime was not found; set CODA_RUNTIME_LIBRARY to its path. "
        "Tried: " + ", ".join(tried)
    )


_library = None


def _runtime():
    global _library
    if _library is None:
        library = _open_library()
        c, p = ctypes, ctypes.POINTER
        pointer, text, size = c.c_void_p, c.c_char_p, c.c_size_t
        message = [c.c_char_p, size]
        for name, result, arguments in [
            ("version", text, []),
            ("module_load", c.c_int, [text, size, text, size, p(pointer)] + message),
            ("module_unload", None, [pointer]),
            ("module_function_count", c.c_int32, [pointer]),
            ("module_function", pointer, [pointer, c.c_int32]),
            ("function_name", text, [pointer]),
            ("function_argument_count", c.c_int32, [pointer]),
            ("function_result_count", c.c_int32, [pointer]),
            ("function_argument", c.c_int32, [pointer, c.c_int32, p(_ArgumentInfo)]),
            (
                "function_plan",
                c.c_int,
                [pointer, pointer, c.c_int32, pointer, p(size)] + message,
            ),
            (
                "function_launch",
                c.c_int,
                [pointer, pointer, c.c_int32, pointer, pointer, size, pointer]
                + message,
            ),
        ]:
            entry = getattr(library, "coda_" + name)
            entry.restype = result
            entry.argtypes = arguments
        _library = library
    return _library


def version():
    """The version of the runtime library."""
    return _runtime().coda_version().decode()


_torch_types = {}


def _torch_type(dtype):
    number = _torch_types.get(dtype)
    if number is None:
        name = str(dtype).rpartition(".")[2]
        number = _TORCH_NAMES.get(name)
        if number is None:
            raise TypeError(f"Coda has no element type for {dtype}")
        _torch_types[dtype] = number
    return number


def _describe(array):
    """Element type, address, shape and strides in elements (None: row-major)."""
    if hasattr(array, "data_ptr"):
        if array.device.type != "cuda":
            raise TypeError(f"expected a tensor on a GPU, but it is on {array.device}")
        return _torch_type(array.dtype), array.data_ptr(), array.shape, array.stride()
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(
            "expected a torch tensor or an object with __cuda_array_interface__, "
            f"but got {type(array).__name__}"
        )
    number = _TYPESTR.get(interface["typestr"])
    if number is None:
        raise TypeError(f"Coda has no element type for {interface['typestr']!r}")
    strides = interface.get("strides")
    if strides is not None:
        size = _BYTES[number]
        if any(stride % size for stride in strides):
            raise TypeError(f"strides {strides} are no whole elements")
        strides = tuple(stride // size for stride in strides)
    return number, interface["data"][0], interface["shape"], strides


class _Call:
    """The C structures of one call, kept by a function for the next one."""

    def __init__(self, function):
        count, results = len(function.arguments), function.result_count
        self.values = (_Value * max(count, 1))()
        self.shapes = [_Extents() for _ in range(count)]
        self.strides = [_Extents() for _ in range(count)]
        for i, info in enumerate(function.arguments):
            self.values[i].type = info["type_number"]
            self.values[i].rank = info["rank"]
        self.infos = (_ResultInfo * max(results, 1))()
        self.results = (ctypes.c_void_p * max(results, 1))()
        self.workspace = ctypes.c_size_t()
        self.message = ctypes.create_string_buffer(_MESSAGE_SIZE)
        pointer = ctypes.POINTER(ctypes.c_int64)
        self.shape_pointers = [ctypes.cast(x, pointer) for x in self.shapes]
        self.stride_pointers = [ctypes.cast(x, pointer) for x in self.strides]


class Function:
    """A compiled function; call it with its arguments."""

    def __init__(self, module, handle):
        library = _runtime()
        self._library = library
        self._module = module  # keeps it loaded
        self._handle = handle
        self.name = library.coda_function_name(handle).decode()
        self.result_count = library.coda_function_result_count(handle)
        self.arguments = []
        for i in range(library.coda_function_argument_count(handle)):
            info = _ArgumentInfo()
            library.coda_function_argument(handle, i, ctypes.byref(info))
            rank = info.rank
            sizes = lambda extents: tuple(  # noqa: E731
                None if extents[d] < 0 else extents[d] for d in range(max(rank, 0))
            )
            self.arguments.append(
                {
                    "name": info.name.decode() if info.name else None,
                    "type": _TYPE_NAMES[info.type],
                    "type_number": info.type,
                    "rank": rank,
                    "written": bool(info.written),
                    "shape": sizes(info.shape),
                    "strides": sizes(info.strides),
                }
            )
        # Calls that are not running; a list's append and pop are atomic.
        self._free = []

    def __repr__(self):
        parts = []
        for i, a in enumerate(self.arguments):
            name = a["name"] or f"argument{i}"
            if a["rank"] == _SCALAR:
                parts.append(f"{name}: {a['type']}")
            else:
                sizes = "x".join("?" if s is None else str(s) for s in a["shape"])
                parts.append(f"{name}: {sizes}{'x' if sizes else ''}{a['type']}")
        return f"<coda function {self.name}({', '.join(parts)})>"

    def _fill(self, call, arguments):
        """Writes the arguments into `call`; gives the first tensor."""
        if len(arguments) != len(self.arguments):
            raise TypeError(
                f"{self.name} takes {len(self.arguments)} arguments, "
                f"but got {len(arguments)}"
            )
        first = None
        values = call.values
        for i, (given, expected) in enumerate(zip(arguments, self.arguments)):
            value = values[i]
            if expected["rank"] == _SCALAR:
                try:
                    if expected["type_number"] >= _FIRST_FLOAT:
                        value.u.real = given
                    else:
                        integer = given.__index__()
                        if not -(1 << 63) <= integer < 1 << 63:
                            raise TypeError(f"{given} does not fit 64 bits")
                        value.u.integer = integer
                except (TypeError, AttributeError) as error:
                    raise TypeError(
                        f"{self.name}: {self._argument(i)} must be a number of type "
                        f"{expected['type']}: {error}"
                    ) from None
                continue
            try:
                value.type, value.u.data, shape, strides = _describe(given)
            except TypeError as error:
                raise TypeError(f"{self.name}: {self._argument(i)}: {error}") from None
            rank = len(shape)
            if rank > _MAX_RANK:
                raise TypeError(
                    f"{self.name}: {self._argument(i)} has rank {rank}; "
                    f"at most {_MAX_RANK} is supported"
                )
            value.rank = rank
            call.shapes[i][:rank] = shape
            value.shape = call.shape_pointers[i]
            if strides is None:
                value.strides = None
            else:
                call.strides[i][:rank] = strides
                value.strides = call.stride_pointers[i]
            if first is None:
                first = given
        return first

    def _argument(self, index):
        name = self.arguments[index]["name"]
        return f"argument {index}" + (f" '{name}'" if name else "")

    def _fail(self, call, status):
        raise Error(status, call.message.value.decode(errors="replace"))

    def _place_results(self, call, arguments, outs, like):
        """Finds or allocates each result; gives the arrays to return."""
        arrays = []
        for i in range(self.result_count):
            info = call.infos[i]
            if info.argument >= 0:
                call.results[i] = None
                arrays.append(arguments[info.argument])
                continue
            rank = info.rank
            shape, strides = tuple(info.shape[:rank]), tuple(info.strides[:rank])
            if outs is not None and outs[i] is not None:
                array = outs[i]
                self._check_out(i, array, info.type, shape, strides)
            else:
                array = _allocate(like, info.type, shape, strides)
            arrays.append(array)
            call.results[i] = _describe(array)[1] or None
        return arrays

    def _check_out(self, index, array, number, shape, strides):
        given, _, given_shape, given_strides = _describe(array)
        given_shape = tuple(given_shape)
        who = f"{self.name}: result {index}"
        if given != number:
            raise Error(
                2,
                f"{who}: element type must be {_TYPE_NAMES[number]}, "
                f"but is {_TYPE_NAMES[given]}",
            )
        if given_shape != shape:
            raise Error(2, f"{who}: shape must be {shape}, but is {given_shape}")
        if given_strides is None or 0 in shape:
            given_strides = strides if 0 in shape else _row_major(shape)
        for size, expected, actual in zip(shape, strides, given_strides):
            if size > 1 and expected != actual:
                raise Error(
                    2,
                    f"{who}: strides must be {strides}, "
                    f"but are {tuple(given_strides)}",
                )

    def __call__(self, *arguments, stream=None, outs=None):
        """Launches on `stream` (an address, or an object with `cuda_stream`;
        the current torch stream where torch is in use) and returns the result,
        or a tuple of them. Entries of `outs` are written instead of new
        arrays."""
        try:
            call = self._free.pop()
        except IndexError:
            call = _Call(self)
        library = self._library
        if outs is not None:
            if self.result_count == 1 and not isinstance(outs, (tuple, list)):
                outs = (outs,)
            if len(outs) != self.result_count:
                raise TypeError(
                    f"{self.name} has {self.result_count} results, "
                    f"but outs has {len(outs)}"
                )
        like = self._fill(call, arguments)
        status = library.coda_function_plan(
            self._handle,
            call.values,
            len(arguments),
            call.infos,
            ctypes.byref(call.workspace),
            call.message,
            _MESSAGE_SIZE,
        )
        if status:
            self._fail(call, status)
        if like is None and outs:
            like = next((out for out in outs if out is not None), None)
        is_torch = like is not None and hasattr(like, "data_ptr")
        arrays = self._place_results(call, arguments, outs, like)
        if stream is not None:
            stream = getattr(stream, "cuda_stream", stream)
        elif is_torch:
            stream = _torch().cuda.current_stream(like.device).cuda_stream
        workspace = None
        bytes_ = call.workspace.value
        # From torch's pool where there is one; it is reused in stream order. The
        # stream given may be another one than torch's current one.
        buffer = None
        if bytes_ and is_torch:
            torch = _torch()
            buffer = torch.empty(bytes_ + 256, dtype=torch.uint8, device=like.device)
            if stream != torch.cuda.current_stream(like.device).cuda_stream:
                buffer.record_stream(
                    torch.cuda.ExternalStream(stream, device=like.device)
                )
            workspace = (buffer.data_ptr() + 255) & ~255
        status = library.coda_function_launch(
            self._handle,
            call.values,
            len(arguments),
            call.results,
            workspace,
            bytes_,
            stream,
            call.message,
            _MESSAGE_SIZE,
        )
        if status:
            self._fail(call, status)
        self._free.append(call)
        if len(arrays) == 1:
            return arrays[0]
        return tuple(arrays) if arrays else None


_torch_module = None


def _torch():
    global _torch_module
    if _torch_module is None:
        import torch

        _torch_module = torch
    return _torch_module


_torch_dtypes = {}


def _row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _allocate(like, number, shape, strides):
    if like is not None and not hasattr(like, "data_ptr"):
        raise TypeError(
            f"results are not allocated for {type(like).__name__} arrays; "
            "give them in outs"
        )
    torch = _torch()
    if not _torch_dtypes:
        for name, n in _TORCH_NAMES.items():
            if n not in _torch_dtypes and hasattr(torch, name):
                _torch_dtypes[n] = getattr(torch, name)
    device = like.device if like is not None else "cuda"
    if strides == _row_major(shape):
        return torch.empty(shape, dtype=_torch_dtypes[number], device=device)
    return torch.empty_strided(
        shape, strides, dtype=_torch_dtypes[number], device=device
    )


class Module:
    """A loaded manifest with its image: functions by name."""

    def __init__(self, manifest, image):
        library = _runtime()
        handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(_MESSAGE_SIZE)
        status = library.coda_module_load(
            manifest,
            len(manifest),
            image,
            len(image),
            ctypes.byref(handle),
            message,
            _MESSAGE_SIZE,
        )
        if status:
            raise Error(status, message.value.decode(errors="replace"))
        self._owner = _Owner(library, handle)
        self._functions = {}
        for i in range(library.coda_module_function_count(handle)):
            function = Function(self._owner, library.coda_module_function(handle, i))
            self._functions[function.name] = function

    def __getitem__(self, name):
        try:
            return self._functions[name]
        except KeyError:
            known = ", ".join(self._functions) or "none"
            raise KeyError(f"no function '{name}'; there is: {known}") from None

    def __iter__(self):
        return iter(self._functions)

    def __len__(self):
        return len(self._functions)


class _Owner:
    """Unloads the module once its last function is gone."""

    def __init__(self, library, handle):
        self._library, self._handle = library, handle

    def __del__(self):
        self._library.coda_module_unload(self._handle)


def load(manifest_path, image_path):
    """Loads a manifest and its PTX or cubin into the current CUDA context."""
    # torch makes its context current when it is first used; the module must be
    # loaded into that one.
    import sys

    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.init()
        torch.cuda.current_stream().synchronize()
    manifest = pathlib.Path(manifest_path).read_bytes()
    image = pathlib.Path(image_path).read_bytes()
    return Module(manifest, image)
