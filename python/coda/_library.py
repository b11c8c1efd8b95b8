"""The compiler's shared library (coda-c/Compile.h), loaded when it is needed."""

from __future__ import annotations

import ctypes
import pathlib
import threading

from . import _identity
from ._errors import CompileError, Diagnostic, Error

_SEVERITIES = ("error", "warning", "remark", "note")


class _Diagnostic(ctypes.Structure):
    _fields_ = [
        ("severity", ctypes.c_int32),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
        ("file", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
    ]


def _load(path: pathlib.Path) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(path))
        c = ctypes
        result, index = c.c_void_p, c.c_ssize_t
        for name, gives, takes in (
            ("codaCompilerVersion", c.c_char_p, []),
            ("codaGetLastErrorMessage", c.c_char_p, []),
            (
                "codaCompile",
                c.c_int32,
                [c.c_char_p, c.c_size_t, c.c_char_p, c.POINTER(result)],
            ),
            ("codaCompileResultDestroy", None, [result]),
            (
                "codaCompileResultGetText",
                c.c_void_p,
                [result, c.c_char_p, c.POINTER(c.c_size_t)],
            ),
            ("codaCompileResultGetNumDiagnostics", index, [result]),
            (
                "codaCompileResultGetDiagnostic",
                c.c_bool,
                [result, index, c.POINTER(_Diagnostic)],
            ),
            ("codaCompileResultGetMessages", c.c_char_p, [result]),
        ):
            entry = getattr(library, name)
            entry.restype, entry.argtypes = gives, takes
        return library
    except (OSError, AttributeError) as error:
        raise Error(f"the compiler library {path} cannot be used: {error}") from None


_loaded: dict[str, ctypes.CDLL] = {}
_lock = threading.Lock()


def _library() -> ctypes.CDLL:
    path = _identity.find()
    if path is None:
        tried = ", ".join(str(folder) for folder in _identity.folders())
        raise Error(
            "the compiler library libCodaC.so is not installed (what is in the "
            "cache or a bundle runs without it); set CODA_COMPILER_LIBRARY to its "
            f"path. Tried: {tried}"
        )
    with _lock:
        if str(path) not in _loaded:
            _loaded[str(path)] = _load(path)
        return _loaded[str(path)]


def version() -> str:
    """The version of the compiler. Raises Error if there is none."""
    return str(_library().codaCompilerVersion().decode())


def compile_text(
    source: bytes, options: str, levels: tuple[str, ...]
) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """The texts of `levels` by their names, and everything that was said.

    Raises CompileError if the source or an option is refused.
    """
    library = _library()
    result = ctypes.c_void_p()
    status = library.codaCompile(
        source, len(source), options.encode(), ctypes.byref(result)
    )
    if not result:
        raise Error(library.codaGetLastErrorMessage().decode(errors="replace"))
    try:
        said = []
        entry = _Diagnostic()
        for i in range(library.codaCompileResultGetNumDiagnostics(result)):
            library.codaCompileResultGetDiagnostic(result, i, ctypes.byref(entry))
            text = (
                value.decode(errors="replace")
                for value in (entry.message, entry.file, entry.kind, entry.name)
            )
            message, file, kind, name = text
            said.append(
                Diagnostic(
                    _SEVERITIES[entry.severity],
                    message,
                    file,
                    entry.line,
                    entry.column,
                    kind,
                    name,
                )  # fmt: skip
            )
        if status:
            message = library.codaCompileResultGetMessages(result)
            text = message.decode(errors="replace").strip()
            raise CompileError(text or "the compiler gave no reason", tuple(said))
        texts = {}
        for level in levels:
            length = ctypes.c_size_t()
            address = library.codaCompileResultGetText(
                result, level.encode(), ctypes.byref(length)
            )
            if address is not None:
                data = ctypes.string_at(address, length.value)
                texts[level] = data.decode(errors="replace")
        return texts, tuple(said)
    finally:
        library.codaCompileResultDestroy(result)
