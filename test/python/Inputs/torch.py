"""As much of torch as tests need: tensors without memory, on no GPU at all."""

import math

import _fake_arrays


class dtype:
    def __init__(self, name, code, bits):
        self.name, self.code, self.bits = name, code, bits

    def __repr__(self):
        return f"torch.{self.name}"


bool = dtype("bool", 6, 8)
uint8 = dtype("uint8", 1, 8)
int8 = dtype("int8", 0, 8)
int32 = dtype("int32", 0, 32)
int64 = dtype("int64", 0, 64)
float16 = dtype("float16", 2, 16)
bfloat16 = dtype("bfloat16", 4, 16)
float32 = dtype("float32", 2, 32)
float8_e4m3fn = dtype("float8_e4m3fn", 10, 8)
float8_e5m2 = dtype("float8_e5m2", 12, 8)
float64 = dtype("float64", 2, 64)
complex64 = dtype("complex64", 5, 64)
_dtypes = {(t.code, t.bits): t for t in list(globals().values()) if type(t) is dtype}


class Tensor(_fake_arrays.Tensor):
    """Views of a tensor are tensors at other addresses."""

    @property
    def dtype(self):
        return _dtypes[self.type_code]

    @property
    def device(self):
        kind, number = self.dl_device
        return f"cuda:{number}" if kind == 2 else "cpu"

    def stride(self):
        return self.strides

    def data_ptr(self):
        return self.address

    def _view(self, shape, strides, offset=0):
        size = self.type_code[1] // 8
        view = type(self)(
            *self.type_code, tuple(shape), tuple(strides),
            self.address + offset * size, *self.dl_device,
        )  # fmt: skip
        view._base = self
        return view

    def t(self):
        return self._view(self.shape[::-1], self.strides[::-1])

    T = property(t)

    def float(self):
        return empty(self.shape, dtype=float32, device=self.device)

    def reshape(self, *shape):
        whole = math.prod(self.shape)
        known = math.prod(size for size in shape if size >= 0)
        shape = [whole // known if size < 0 else size for size in shape]
        return self._view(shape, _row_major(shape))

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        shape, strides, offset = [], [], 0
        for part, size, stride in zip(index, self.shape, self.strides):
            start, stop, step = part.indices(size)
            offset += start * stride
            shape.append(len(range(start, stop, step)))
            strides.append(stride * step)
        rest = len(index)
        return self._view(
            (*shape, *self.shape[rest:]), (*strides, *self.strides[rest:]), offset
        )


_fake_arrays.set_type(Tensor)


def _row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


_next = [0x20000000]


def empty_strided(shape, strides, dtype=float32, device="cpu"):
    kind, _, number = str(device).partition(":")
    address = _next[0]
    elements = 1
    for size, stride in zip(shape, strides):
        elements += max(size - 1, 0) * stride
    _next[0] += (elements * dtype.bits // 8 + 0xFFFF) & ~0xFFFF
    return Tensor(
        dtype.code, dtype.bits, tuple(shape), tuple(strides), address,
        2 if kind == "cuda" else 1, int(number or 0),
    )  # fmt: skip


def empty(*shape, dtype=float32, device="cpu"):
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    return empty_strided(shape, _row_major([max(s, 0) for s in shape]), dtype, device)


randn = ones = zeros = empty


class cuda:
    """The current stream, and no way to synchronise."""

    @staticmethod
    def set_stream(address):
        _fake_arrays.set_stream(address)
