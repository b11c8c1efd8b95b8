"""MLIR text to functions that can be called."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from dataclasses import dataclass
from typing import Any

from . import _cache, _identity
from ._errors import ArgumentError, Diagnostic, Error
from .runtime import Module, reading

#: What the compiler can print, in the order in which it is made.
LEVELS = (
    "input", "fused", "scheduled", "bufferized", "gpu", "manifest", "llvm", "ptx",
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """How to compile.

    `chip`: the GPU, as "sm_90a". `kernel`: "auto", or the main loop to use for
    measurements, "cooperative", "pingpong" or "simple". `normalize`: bring the
    source to one form first. `remarks`: a regular expression of the categories
    that are collected. `extra`: further options of the pipelines coda-fusion and
    coda-to-ptx, as "name=value ...".
    """

    chip: str = "sm_90a"
    kernel: str = "auto"
    normalize: bool = True
    remarks: str = "coda"
    extra: str = ""

    def text(self) -> str:
        """The options as the compiler reads them. Raises ArgumentError."""
        for name in ("chip", "kernel", "remarks"):
            value = getattr(self, name)
            empty = value == "" and name != "remarks"
            if not isinstance(value, str) or empty or re.search(r"[\s\0'\"{}]", value):
                raise ArgumentError(
                    f"options: {name} must be one word, but is {value!r}"
                )
        if not isinstance(self.extra, str) or not self.extra.isprintable():
            raise ArgumentError(
                f"options: extra must be text of one line, but is {self.extra!r}"
            )
        if not isinstance(self.normalize, bool):
            raise ArgumentError(
                f"options: normalize must be True or False, but is {self.normalize!r}"
            )
        parts = [
            f"chip={self.chip}",
            f"kernel={self.kernel}",
            f"normalize={'true' if self.normalize else 'false'}",
        ]
        if self.remarks:
            parts.append(f"remarks={self.remarks}")
        return " ".join(parts + [self.extra] * bool(self.extra))


class Compiled(Module):
    """A module with where it came from.

    `source` is the MLIR text, `options` how it was compiled, `ptx` the code,
    `diagnostics` everything that the compiler said.
    """

    def __init__(
        self,
        manifest: str,
        ptx: str,
        source: str,
        options: Options,
        said: tuple[Diagnostic, ...],
    ) -> None:
        super().__init__(manifest, ptx)
        self.source = source
        self.options = options
        self.ptx = ptx
        self.diagnostics = said

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What fused, and why something did not."""
        return tuple(d for d in self.diagnostics if d.severity == "remark")

    def ir(self, level: str = "fused") -> str:
        """The program after a level, one of coda.LEVELS: "fused" is coda.gemm with
        epilogues, "gpu" kernels and host code. Compiles again, up to there.

        Raises ArgumentError for another name.
        """
        if level not in LEVELS:
            names = ", ".join(LEVELS)
            raise ArgumentError(f"level: must be one of {names}, but is {level!r}")
        from . import _library

        text = f"{self.options.text()} emit={level}"
        texts, _ = _library.compile_text(self.source.encode(), text, (level,))
        return texts[level]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that coda.load runs on a machine without a compiler.

        Raises Error if it cannot be written.
        """
        data = _cache.pack(_to_entry(self))
        with reading("path", path, "write"):
            _cache.write(pathlib.Path(path).absolute(), data)


def _to_entry(module: Compiled) -> dict[str, Any]:
    return {
        "manifest": module.manifest.decode(),
        "ptx": module.ptx,
        "source": module.source,
        "options": dataclasses.asdict(module.options),
        "diagnostics": [dataclasses.astuple(d) for d in module.diagnostics],
    }


def _from_entry(entry: dict[str, Any]) -> Compiled:
    """Raises KeyError, TypeError or Error for what is no entry."""
    said = tuple(Diagnostic(*fields) for fields in entry["diagnostics"])
    options = Options(**entry["options"])
    texts = [entry["manifest"], entry["ptx"], entry["source"], options.text()]
    texts += [text for d in said for text in (d.severity, d.message, d.file)]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("an entry that is no text")
    return Compiled(entry["manifest"], entry["ptx"], entry["source"], options, said)


def load(path: str | os.PathLike[str]) -> Compiled:
    """Reads what Compiled.save wrote. Needs no compiler.

    Raises Error if the file cannot be read or is damaged.
    """
    with reading("path", path):
        data = pathlib.Path(path).read_bytes()
    try:
        entry = _cache.unpack(data)
        if entry is not None:
            return _from_entry(entry)
    except (KeyError, TypeError, ValueError):
        pass
    raise Error(f"'{path}' is damaged, or was not written by coda")


#: What prints as something, but not as MLIR.
_NO_SOURCES = (
    type(None), bool, int, float, complex, list, tuple, dict, set, bytearray, type,
    os.PathLike,
)  # fmt: skip


def compile(source: Any, options: Options | None = None, **changes: Any) -> Compiled:
    """Compiles MLIR: linalg or coda on tensors.

    `source`: text, bytes (bytecode too), or a module of MLIR's Python bindings,
    of which the text is taken. `options`: an Options; further keyword arguments
    change a field of it: `coda.compile(text, chip="sm_90a")`.

    A program that was compiled before, by this compiler with these options, comes
    from the cache on disk. Raises CompileError with the compiler's messages, which
    give line and column; ArgumentError for an option.
    """
    try:
        options = dataclasses.replace(options or Options(), **changes)
    except TypeError as error:
        raise ArgumentError(f"options: {error}") from None
    if isinstance(source, _NO_SOURCES):
        raise ArgumentError(
            "source: expected the text of MLIR, bytes or a module, but got "
            f"{type(source).__name__}"
        )
    try:
        data = source if isinstance(source, bytes) else str(source).encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"source: cannot be encoded: {error.reason}") from None
    text = f"{options.text()} emit=manifest,ptx"

    compiler = _identity.identity()
    key = _cache.make_key(
        source=data.hex() if isinstance(source, bytes) else data.decode(),
        options=text,
        compiler=compiler,
    )
    if compiler is not None:
        entry = _cache.load(key)
        if entry is not None:
            try:
                return _from_entry(entry)
            except (KeyError, TypeError, Error):
                pass  # as good as damaged
    from . import _library

    texts, said = _library.compile_text(data, text, ("manifest", "ptx"))
    readable = data.decode(errors="replace")
    module = Compiled(texts["manifest"], texts["ptx"], readable, options, said)
    _cache.store(key, _to_entry(module))
    return module
