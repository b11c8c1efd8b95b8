from typing import Any, Self

def version() -> str: ...
def describe(
    array: Any, /
) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, int]]: ...
def key(
    x: Any,
    rhs: Any,
    operands: tuple[Any, ...],
    epilogue: Any,
    out_dtype: Any,
    dynamic: Any,
    schedule: Any,
    options: Any,
    /,
) -> tuple[Any, ...] | None: ...
def dispatch(
    kernels: dict[tuple[Any, ...], Function],
    x: Any,
    rhs: Any,
    operands: tuple[Any, ...],
    epilogue: Any,
    out_dtype: Any,
    dynamic: Any,
    schedule: Any,
    options: Any,
    stream: Any,
    out: Any,
    /,
) -> Any: ...

class Program:
    def __init__(self, manifest: bytes, image: bytes) -> None: ...
    def functions(self) -> list[tuple[str, int, list[dict[str, Any]]]]: ...
    def load(self, device: int = -1) -> None: ...

class Function:
    def __new__(
        cls, program: Program, index: int, layouts: tuple[Any, ...] | None = None
    ) -> Self: ...
    def __call__(self, *arguments: Any, stream: Any = None, out: Any = None) -> Any: ...
    def raw(self, *arguments: Any, stream: Any = None, out: Any = None) -> Any: ...

class Buffer:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
