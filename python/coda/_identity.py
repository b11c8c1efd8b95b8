"""Which compiler there is, found out without loading it."""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Iterator

from . import _elf
from ._errors import Error

_NAMES = ("libCodaC.so", "libCodaC.so.0")


def folders() -> Iterator[pathlib.Path]:
    """Where the library is looked for."""
    package = pathlib.Path(__file__).resolve().parent
    yield package
    yield package.parent.parent / "lib"  # of a build folder
    for prefix in ("/usr/local", "/usr"):
        yield pathlib.Path(prefix, "lib")


def find() -> pathlib.Path | None:
    """Where the library is: CODA_COMPILER_LIBRARY, beside the package's files, in
    the build, or installed. None if there is none."""
    named = os.environ.get("CODA_COMPILER_LIBRARY")
    if named is not None:
        return pathlib.Path(named) if named else None
    for folder in folders():
        for name in _NAMES:
            if (folder / name).exists():
                return folder / name
    return None


_identities: dict[tuple[str, int, int], str] = {}


def identity() -> str | None:
    """Stands for the compiler and the LLVM that it uses: changes whenever one of
    them does. Without loading either. None if there is no compiler."""
    path = find()
    if path is None:
        # A bundle for machines without one says whose cache it brings.
        recorded = pathlib.Path(__file__).resolve().parent / "compiler-id"
        try:
            return recorded.read_text().strip()
        except OSError:
            return None
    try:
        path = path.resolve()
        state = path.stat()
        key = (str(path), state.st_size, state.st_mtime_ns)
        if key not in _identities:
            data = path.read_bytes()
            parts = [hashlib.blake2b(data, digest_size=16).hexdigest()]
            for name in _llvm_libraries(data, path.parent):
                state = name.stat()
                parts.append(f"{name.name}:{state.st_size}:{state.st_mtime_ns}")
            _identities[key] = "-".join(parts)
        return _identities[key]
    except OSError as error:
        raise Error(f"cannot read {error.filename}: {error.strerror}") from None


def _llvm_libraries(data: bytes, origin: pathlib.Path) -> Iterator[pathlib.Path]:
    """The libraries of LLVM that one in the folder `origin` is linked to, in the
    folders that it names."""
    needed, paths = _elf.read_dependencies(data)
    for name in needed:
        if not name.startswith(("libLLVM", "libMLIR")):
            continue
        for folder in paths:
            folder = folder.replace("$ORIGIN", str(origin))
            candidate = pathlib.Path(folder, name)
            if candidate.exists():
                yield candidate.resolve()
                break
