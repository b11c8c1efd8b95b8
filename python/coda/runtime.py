"""Runs what Coda compiled. Needs a driver, and neither LLVM nor the compiler.

    module = coda.runtime.load("linear.json", "linear.ptx")
    y = module["linear"](x, w, bias)

An argument is an array on a GPU of any library (torch, CuPy, JAX, Numba: a type
with DLPack or `__cuda_array_interface__`), or a number. A call launches on the
current stream of that library and returns without waiting.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from . import _launch
from ._errors import ArgumentError, Error

if TYPE_CHECKING:
    from typing import Self

__all__ = ["ArgumentError", "Error", "Function", "Module", "load", "version"]


def version() -> str:
    """The version of the runtime, as "0.1.0"."""
    return _launch.version()


class Function(_launch.Function):
    """A compiled function.

    `name`, `arguments` (a dict each: name, type, rank, shape, strides, written;
    None for a size or stride that may be any) and `result_count` say what it
    takes and gives.

    A call, `f(*arguments, stream=None, out=None)`, launches it and returns its
    result, a tuple if there are several, None if there is none.

    `arguments`: arrays and numbers of the types, ranks and sizes that
    `self.arguments` says, all arrays on one GPU.
    `stream`: an address, or an object with `cuda_stream` or `ptr`; by default the
    current stream of the first array's library.
    `out`: an array, or a tuple of arrays and None, to be written instead of new
    ones; they must not share memory with an argument.

    Raises ArgumentError, naming the argument, before anything is launched; Error
    for what the driver refuses or a check of the function finds.

    `raw(*arguments, stream=None, out=None)` is the same, and some hundredths of a
    microsecond faster to call.
    """

    name: str
    result_count: int
    arguments: list[dict[str, Any]]

    def __new__(
        cls,
        program: _launch.Program,
        index: int,
        name: str,
        result_count: int,
        arguments: list[dict[str, Any]],
        layouts: tuple[Any, ...] | None = None,
    ) -> Self:
        self = super().__new__(cls, program, index, layouts)
        self.name = name
        self.result_count = result_count
        self.arguments = arguments
        return self

    def __repr__(self) -> str:
        parts = []
        for i, a in enumerate(self.arguments):
            name = a["name"] or f"argument{i}"
            if a["rank"] < 0:
                parts.append(f"{name}: {a['type']}")
            else:
                sizes = "x".join("?" if s is None else str(s) for s in a["shape"])
                parts.append(f"{name}: {sizes}{'x' if sizes else ''}{a['type']}")
        return f"<coda function {self.name}({', '.join(parts)})>"


def _to_bytes(what: str, text: Any) -> bytes:
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    if not isinstance(text, str):
        raise ArgumentError(
            f"{what}: expected text or bytes, but got {type(text).__name__}"
        )
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{what}: cannot be encoded: {error.reason}") from None


@contextlib.contextmanager
def reading(what: str, path: Any, verb: str = "read") -> Iterator[None]:
    """Says which file it was that could not be read or written."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"{what}: expected a path, but got {type(path).__name__}")
    try:
        yield
    except OSError as error:
        raise Error(f"cannot {verb} '{path}': {error.strerror}", 5) from None
    except ValueError as error:  # a null byte
        raise Error(f"cannot {verb} {path!r}: {error}", 5) from None


_F = TypeVar("_F", bound=Function)


class Module:
    """Functions by name: `module["linear"]`, or `module.linear`.

    It is loaded on a GPU by the first call there, or by `load`.
    """

    def __init__(self, manifest: bytes | str, image: bytes | str) -> None:
        """`manifest`: the JSON text (docs/manifest.md); `image`: PTX or a cubin.

        Raises Error if the manifest is malformed.
        """
        self.manifest = _to_bytes("manifest", manifest)
        self.image = _to_bytes("image", image)
        self._program = _launch.Program(self.manifest, self.image)
        try:
            functions = self._program.functions()
        except UnicodeDecodeError:
            raise Error("manifest: a name in it is not UTF-8", 1) from None
        self._signatures = {
            name: (index, name, results, arguments)
            for index, (name, results, arguments) in enumerate(functions)
        }
        self._functions: dict[str, Function] = {}

    def load(self, device: int = -1) -> Module:
        """Loads on a device now: the current one, or the one with that number.

        Raises Error if there is no driver or GPU, or it is of another kind.
        """
        if type(device) is not int or not -1 <= device < 1 << 31:
            raise ArgumentError(
                f"device: expected a number, or -1 for the current one, but got {device!r}"
            )
        self._program.load(device)
        return self

    def function(self, name: str, layouts: tuple[Any, ...] | None = None) -> Function:
        """A function whose arguments are views: `layouts` has for each argument
        None, or (rank, dims): the array that is given has that rank, and the
        argument is made of its dimensions `dims` in that order."""
        if name not in self._signatures:
            names = ", ".join(self._signatures) or "none"
            raise KeyError(f"no function '{name}'; there is: {names}")
        return self._make(Function, name, layouts)

    def _make(self, kind: type[_F], name: str, layouts: tuple[Any, ...] | None) -> _F:
        return kind(self._program, *self._signatures[name], layouts)

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            self._functions[name] = self.function(name)
        return self._functions[name]

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_") or name not in self._signatures:
            raise AttributeError(f"the module has no attribute or function '{name}'")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"<coda module: {', '.join(self) or 'empty'}>"


def load(
    manifest: str | os.PathLike[str], image: str | os.PathLike[str] | None = None
) -> Module:
    """Loads the files that coda-compile wrote, on the current device, or on the
    first one if there is none.

    `image` is by default the file beside the manifest with the extension .ptx.
    Raises Error if a file cannot be read, is malformed, or is not for this GPU.
    """
    with reading("manifest", manifest):
        text = pathlib.Path(manifest).read_bytes()
    if image is None:
        image = pathlib.Path(manifest).with_suffix(".ptx")
    with reading("image", image):
        code = pathlib.Path(image).read_bytes()
    return Module(text, code).load()
