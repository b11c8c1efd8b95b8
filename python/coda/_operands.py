"""What coda.gemm is given: how arrays become arguments of a function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _emit, _launch
from ._dtypes import dtype_name
from ._epilogue import Expr
from ._errors import ArgumentError

#: Numbers of DLPack: CUDA's own and managed memory; ordinary and pinned memory.
_GPUS, _CPUS = (2, 13), (1, 3)
_FLOAT8 = ("f8E4M3FN", "f8E5M2")
_INPUTS = ("bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i8")


@dataclass(frozen=True)
class Spec:
    """An array that there is none of yet, to compile for: its type, its sizes and,
    for a matrix, whether its columns lie one after the other in memory (as those
    of `w.T` do)."""

    dtype: Any
    shape: tuple[int, ...]
    transposed: bool = False


@dataclass(frozen=True)
class Array:
    """An array, or a number (whose rank is -1), as it matters to a kernel."""

    dtype: str
    shape: tuple[int, ...]
    transposed: bool = False
    rank: int = 0


def inspect(value: Any, what: str) -> Array:
    if isinstance(value, bool) or value is None:
        raise ArgumentError(f"{what}: expected an array, but got {value!r}")
    if isinstance(value, float):
        return Array("f32", (), rank=-1)
    if isinstance(value, int):
        return Array("i32", (), rank=-1)
    if isinstance(value, Spec):
        shape = value.shape
        if not isinstance(shape, (tuple, list)) or any(
            type(size) is not int or not 0 <= size < 1 << 63 for size in shape
        ):
            raise ArgumentError(f"{what}: the sizes of a Spec are numbers: {shape!r}")
        if value.transposed and len(shape) != 2:
            raise ArgumentError(f"{what}: only a matrix can be transposed")
        dtype = dtype_name(value.dtype, f"{what}: dtype")
        return Array(dtype, tuple(shape), bool(value.transposed), len(shape))
    try:
        dtype, shape, strides, (device, _) = _launch.describe(value)
    except Exception as error:
        raise ArgumentError(f"{what}: {error}") from None
    if device not in _GPUS:
        place = "the CPU" if device in _CPUS else "a device that is not CUDA's"
        raise ArgumentError(f"{what}: expected an array on a GPU, but it is on {place}")
    transposed = len(shape) == 2 and strides[0] == 1 and (
        (strides[1] != 1 and shape[1] > 1) or (shape[0] > 1 and shape[1] == 1)
    )  # fmt: skip
    return Array(dtype, shape, transposed, len(shape))


def _layout(array: Array, dims: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
    """For coda.runtime: which dimensions of the array the argument is made of."""
    return None if dims == tuple(range(array.rank)) else (array.rank, dims)


def matrix(
    name: str, array: Array, dims: str, dynamic: str
) -> tuple[_emit.Value, tuple[Any, ...] | None]:
    order = (1, 0) if array.transposed else (0, 1)
    value = _emit.Value(
        name,
        array.dtype,
        tuple(dims[d] for d in order),
        tuple(None if dims[d] in dynamic else array.shape[d] for d in order),
    )
    return value, _layout(array, order)


class Loose:
    """An operand that does not broadcast to the output: coda.cyclic and coda.repeat say
    in the epilogue what it runs over."""

    def __init__(
        self, index: int, name: str, array: Array, m: int, n: int, dynamic: str
    ) -> None:
        self.index, self.name, self.array, self.dynamic = index, name, array, dynamic
        self.whole = (m, n)
        self.message = (
            f"{name}: shape must broadcast to {(m, n)}, but is {array.shape}; "
            "coda.cyclic and coda.repeat take others"
        )
        self.taken: Expr | None = None
        self.dims: tuple[str, ...] = ()
        self.sizes: tuple[int | None, ...] = ()
        self.layout: tuple[Any, ...] | None = None

    def _take(self, names: tuple[str, str], divisors: tuple[int, int]) -> Expr:
        """With `names` the rows' and columns' dims, "" where they are of size 1."""
        array = self.array
        order = [d for d in range(array.rank) if names[d + 2 - array.rank]]
        if array.transposed:
            order.reverse()
        dims = tuple(names[d + 2 - array.rank] for d in order)
        if self.taken is not None:
            if dims != self.dims:
                raise ArgumentError(
                    f"{self.name}: it is taken as [{', '.join(self.dims)}] and as "
                    f"[{', '.join(dims)}]; pass it twice"
                )
            return self.taken
        self.dims = dims
        self.sizes = tuple(
            None if dim in self.dynamic else array.shape[d]
            for d, dim in zip(order, dims)
        )
        self.layout = _layout(array, tuple(order))
        rows, columns = (d if name else 0 for d, name in zip(divisors, names))
        self.taken = Expr("operand", array.dtype, (), self.index, rows, columns)
        return self.taken

    def _padded(self) -> tuple[int, int]:
        return ((1,) * (2 - self.array.rank) + self.array.shape)[:2]  # type: ignore[return-value]

    def take_groups(self, count: int) -> Expr:
        (rows, columns), (m, n) = self._padded(), self.whole
        if rows not in (1, m) or columns != -(-n // count):
            raise ArgumentError(
                f"{self.name}: with groups of {count} columns, shape must broadcast to "
                f"{(m, -(-n // count))}, but is {self.array.shape}"
            )
        names = ("m" if rows == m != 1 else "", f"n / {count}" if count > 1 else "n")
        return self._take(names, (1, count))

    def take_cyclic(self, rows: int, columns: int) -> Expr:
        names = []
        for axis, size, whole, divisor in zip(
            "mn", self._padded(), self.whole, (rows, columns)
        ):
            whole = -(-whole // divisor)
            name = axis if divisor == 1 else f"{axis} / {divisor}"
            if size == 0 or (size > whole and axis == "n"):
                raise ArgumentError(
                    f"{self.name}: a cyclic operand must have from 1 to {whole} columns, "
                    f"but its shape is {self.array.shape}"
                )
            if size == 1:
                names.append("")
            else:
                names.append(name if size == whole else f"cyclic {name}")
        return self._take((names[0], names[1]), (rows, columns))


def operand(
    name: str, array: Array, m: int, n: int, dynamic: str, index: int
) -> tuple[_emit.Value | Loose, tuple[Any, ...] | None]:
    """An operand by its shape, as NumPy broadcasts it to the output's."""
    if array.rank < 0:
        return _emit.Value(name, array.dtype, array=False), None
    if array.rank > 2:
        raise ArgumentError(f"{name}: rank must be at most 2, but is {array.rank}")
    kept, padded = [], (1,) * (2 - array.rank) + array.shape
    for position, size, whole in zip((0, 1), padded, (m, n)):
        if size == whole and (size != 1 or position == 1):
            kept.append(position)
        elif size != 1:
            return Loose(index, name, array, m, n, dynamic), None
    if array.transposed and len(kept) == 2:
        kept.reverse()
    dims = tuple("mn"[position] for position in kept)
    sizes = tuple(None if d in dynamic else (m, n)["mn".index(d)] for d in dims)
    taken = tuple(position - (2 - array.rank) for position in kept)
    taken = tuple(d for d in taken if d >= 0)
    if len(taken) != len(kept):  # a size of 1 that the array does not have
        dims, sizes = dims[-len(taken) :], sizes[-len(taken) :]
        if not taken:
            dims = sizes = ()
    return _emit.Value(name, array.dtype, dims, sizes), _layout(array, taken)


def check_matrices(x: Array, rhs: Sequence[Array], names: Sequence[str]) -> None:
    for name, array in zip(("x", *names), (x, *rhs)):
        if array.rank < 0:
            raise ArgumentError(f"{name}: expected an array, but got a number")
    if x.rank != 2:
        raise ArgumentError(f"x: rank must be 2, but is {x.rank}")
    if x.dtype not in _INPUTS:
        known = ", ".join(_INPUTS)
        raise ArgumentError(f"x: dtype must be one of {known}, but is {x.dtype}")
    for name, w in zip(names, rhs):
        if w.rank != 2:
            raise ArgumentError(f"{name}: rank must be 2, but is {w.rank}")
        # One 8-bit float goes with the other, on all right-hand sides.
        pair = {x.dtype, w.dtype} <= set(_FLOAT8) and w.dtype == rhs[0].dtype
        if w.dtype != x.dtype and not pair:
            raise ArgumentError(
                f"{name}: dtype must be {x.dtype} as x's, but is {w.dtype}"
            )
        if w.shape[0] != x.shape[1]:
            raise ArgumentError(
                f"{name}: size of dimension 0 must be {x.shape[1]}, as of x's "
                f"dimension 1, but is {w.shape[0]}"
            )
        if w.shape[1] != rhs[0].shape[1]:
            raise ArgumentError(
                f"{name}: size of dimension 1 must be {rhs[0].shape[1]}, as of "
                f"{names[0]}, but is {w.shape[1]}"
            )
        if w.transposed != rhs[0].transposed:
            raise ArgumentError(
                f"{name}: must be stored as {names[0]}: rows or columns one after the "
                "other in memory"
            )


def settle(
    value: _emit.Value | Loose, layout: tuple[Any, ...] | None
) -> tuple[_emit.Value, tuple[Any, ...] | None]:
    """An operand when the epilogue has said what it runs over."""
    if not isinstance(value, Loose):
        return value, layout
    if value.taken is None:
        raise ArgumentError(value.message)
    settled = _emit.Value(value.name, value.array.dtype, value.dims, value.sizes)
    return settled, value.layout
