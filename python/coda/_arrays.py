"""Arrays of other libraries, where the extension needs Python for them."""

from __future__ import annotations

import sys
from typing import Any

from ._dtypes import ARRAY_NAMES


def _row_major(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def allocate(
    like: Any, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...]
) -> Any:
    """An array of `like`'s library on its device, or None where that is not
    known. Called by the extension."""
    name = ARRAY_NAMES[dtype]
    library = type(like).__module__.partition(".")[0]
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(like, "data_ptr"):
        return torch.empty_strided(
            shape, strides, dtype=getattr(torch, name), device=like.device
        )
    cupy = sys.modules.get("cupy")
    if library == "cupy" and cupy is not None and _row_major(shape, strides):
        try:
            return cupy.empty(shape, dtype=name)
        except TypeError:  # NumPy has no such type
            return None
    return None


def convert(like: Any, buffer: Any) -> Any:
    """`buffer`, a coda.Buffer, as an array of `like`'s library where that takes
    it. Called by the extension."""
    find = getattr(like, "__array_namespace__", None)
    namespace = find() if find is not None else None
    take = getattr(namespace, "from_dlpack", None)
    return buffer if take is None else take(buffer)
