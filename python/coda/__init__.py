"""Matrix products with what surrounds them, in one kernel.

    import coda

    @coda.epilogue
    def swiglu(gate, up):
        return coda.silu(gate) * up

    y = coda.gemm(x, rhs=(w_gate, w_up), epilogue=swiglu)

`gemm` compiles for the arrays that it is given; `compile` takes MLIR text;
`runtime.load` and `load` run what was compiled elsewhere, without a compiler.
Everything is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import runtime as runtime
    from ._compile import LEVELS, Compiled, Options, compile, load
    from ._errors import ArgumentError, CompileError, Diagnostic, Error
    from ._gemm import Kernel, Schedule, build_gemm, gemm
    from ._launch import Buffer
    from ._operands import Spec
    from ._epilogue import (
        Epilogue, Expr, abs, cast, columns, cos, epilogue, erf, exp, exp2, gelu,
        log, log2, maximum, minimum, relu, rows, rsqrt, sigmoid, silu, sin, sqrt, tanh,
        where,
    )  # fmt: skip
    from ._tiles import cyclic, pair, reduce, repeat, select_column, unpair
    from .runtime import Function, Module

__all__ = [
    "ArgumentError", "Buffer", "CompileError", "Compiled", "Diagnostic", "Epilogue",
    "Error", "Expr", "Function", "Kernel", "LEVELS", "Module", "Options", "Schedule",
    "Spec", "abs", "build_gemm", "cast", "columns", "compile", "cos", "cyclic",
    "epilogue", "erf", "exp", "exp2", "gelu", "gemm", "load", "log", "log2", "maximum",
    "minimum", "pair", "reduce", "relu", "repeat", "rows", "rsqrt", "runtime",
    "select_column", "sigmoid", "silu", "sin", "sqrt", "tanh", "unpair", "where",
]  # fmt: skip
__version__ = "0.1.0"

_HOMES = {
    "_compile": ("LEVELS", "Compiled", "Options", "compile", "load"),
    "_errors": ("ArgumentError", "CompileError", "Diagnostic", "Error"),
    "_gemm": ("Kernel", "Schedule", "build_gemm", "gemm"),
    "_launch": ("Buffer",),
    "_operands": ("Spec",),
    "runtime": ("Function", "Module"),
    "_epilogue": (
        "Epilogue", "Expr", "abs", "cast", "columns", "cos", "epilogue", "erf",
        "exp", "exp2", "gelu", "log", "log2", "maximum", "minimum", "relu", "rows",
        "rsqrt", "sigmoid", "silu", "sin", "sqrt", "tanh", "where",
    ),
    "_tiles": ("cyclic", "pair", "reduce", "repeat", "select_column", "unpair"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "runtime":
        return importlib.import_module(".runtime", __name__)
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'coda' has no attribute '{name}'")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
