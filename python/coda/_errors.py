"""What Coda raises."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ArgumentError", "CompileError", "Diagnostic", "Error"]


class Error(RuntimeError):
    """Something was refused: by the runtime, the driver or the compiler.

    `status` is the number of the runtime's status (coda_runtime.h), or 0.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ArgumentError(Error, TypeError, ValueError):
    """An argument does not fit; the message names it, what was expected and what
    was given. Nothing was launched."""


@dataclass(frozen=True)
class Diagnostic:
    """What the compiler said about a place in the source.

    `severity` is "error", "warning", "note" or "remark". A remark has a `kind`
    ("passed", "missed", "failed", "analysis") and a `name`, what it is about.
    `line` and `column` count from 1; 0 where there is no place.
    """

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    kind: str = ""
    name: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        about = f" [{self.name}]" if self.name else ""
        return f"{place}{self.kind or self.severity}: {self.message}{about}"


class CompileError(Error):
    """The source was refused; `diagnostics` says where and why."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
