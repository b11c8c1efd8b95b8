"""What Coda raises."""

from __future__ import annotations

__all__ = ["ArgumentError", "CompileError", "Error"]


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


class CompileError(Error):
    """The source was refused; `diagnostics` says where and why."""

    def __init__(self, message: str, diagnostics: tuple = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
