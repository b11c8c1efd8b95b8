"""Element types by the names of MLIR and of array libraries."""

from __future__ import annotations

from typing import Any

from ._errors import ArgumentError

#: Of MLIR, to that of NumPy, torch and JAX.
ARRAY_NAMES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
}  # fmt: skip
_MLIR_NAMES = {name: dtype for dtype, name in ARRAY_NAMES.items()}

#: Bits of an element.
BITS = {
    "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16,
    "f32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8,
}  # fmt: skip


def is_float(dtype: str) -> bool:
    """Whether a type, by its MLIR name, is one of floats."""
    return not dtype.startswith("i")


def dtype_name(dtype: Any, what: str = "dtype") -> str:
    """The MLIR name of a type given in any way: "bf16", "bfloat16",
    torch.bfloat16, numpy.float32, numpy.dtype("float32"). `what` is its name in the
    message.

    Raises ArgumentError for a type that Coda has not.
    """
    if isinstance(dtype, type):
        text = dtype.__name__
    else:
        text = str(dtype).rpartition(".")[2]
    if text in ARRAY_NAMES:
        return text
    name = _MLIR_NAMES.get(text)
    if name is None:
        known = ", ".join(ARRAY_NAMES)
        raise ArgumentError(f"{what}: Coda has no {dtype!r}; it has {known}")
    return name
