"""MLIR text to functions that can be called."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from dataclasses import dataclass
from typing import Any

from . import _cache, _identity
from ._errors import ArgumentError, Diagnostic, Error
from .runtime import Module

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
            if not isinstance(value, str) or set(value) & set(" \t\n'\"{}"):
                raise ArgumentError(
                    f"options: {name} must be one word, but is {value!r}"
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
        """Writes a file that coda.load runs on a machine without a compiler."""
        _cache.write(pathlib.Path(path).absolute(), _cache.pack(_to_entry(self)))


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
    return Compiled(entry["manifest"], entry["ptx"], entry["source"], options, said)


def load(path: str | os.PathLike[str]) -> Compiled:
    """Reads what Compiled.save wrote. Needs no compiler.

    Raises Error if the file cannot be read or is damaged.
    """
    try:
        entry = _cache.unpack(pathlib.Path(path).read_bytes())
        if entry is not None:
            return _from_entry(entry)
    except OSError as error:
        raise Error(f"cannot read '{path}': {error.strerror}", 5) from None
    except (KeyError, TypeError, ValueError):
        pass
    raise Error(f"'{path}' is damaged, or was not written by coda")


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
    if isinstance(source, bytes):
        data = source
    else:
        data = (source if isinstance(source, str) else str(source)).encode()
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
