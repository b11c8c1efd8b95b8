"""Epilogues as Python functions.

    @coda.epilogue
    def swiglu(gate, up):
        return coda.silu(gate) * up

The function is called once with expressions in place of numbers, and what it
returns is compiled. Its parameters are one product for each right-hand side, then
one for each further operand of coda.gemm. An expression stands for one element of
the output matrix; a row vector is the same in every row.

Arithmetic is done in f32 (f64 for products of f64, integers for those of i8): an
operand in bf16 is converted first, and nothing is rounded before the end, except
by `cast`. A Python number is a constant of the kernel. `if` and `and` cannot see
elements: use `where`, `&`, `|` and `~`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, Union

from ._dtypes import BITS, dtype_name, is_float
from ._errors import ArgumentError

__all__ = [
    "Epilogue", "Expr", "abs", "cast", "columns", "cos", "epilogue", "erf", "exp",
    "exp2", "gelu", "log", "log2", "maximum", "minimum", "relu", "rows", "rsqrt", "sigmoid",
    "silu", "sin", "sqrt", "tanh", "where",
]  # fmt: skip


def _join(op: str, axis: str, sizes: set[int]) -> int:
    """How many rows or columns what is computed from such has."""
    sizes.discard(0)
    if len(sizes) > 1:
        named = " and ".join(
            axis if size == 1 else f"{axis} / {size}" for size in sorted(sizes)
        )
        raise ArgumentError(
            f"epilogue: {op.rpartition('.')[2]} combines tiles of {named} "
            f"{'rows' if axis == 'm' else 'columns'}; coda.repeat and coda.pair give "
            "all of them back"
        )
    return sizes.pop() if sizes else 0


class Expr:
    """One element of a tile while the kernel runs.

    `dtype` is its type by MLIR's name. `rows` and `columns` say how large the tile
    is: 1 for the product's m rows or n columns, d > 1 for one in d of them, rounded
    up, and 0 where all are the same. Supports + - * / and the unary minus,
    comparisons, and for booleans & | ~.
    """

    __slots__ = ("op", "args", "dtype", "value", "rows", "columns")
    __hash__ = object.__hash__

    def __init__(
        self,
        op: str,
        dtype: str,
        args: tuple[Expr, ...] = (),
        value: Any = None,
        rows: int | None = None,
        columns: int | None = None,
    ) -> None:
        self.op, self.dtype, self.args, self.value = op, dtype, args, value
        self.rows: int
        self.columns: int
        for a in args:
            if a.op == "loose":
                raise ArgumentError(a.value.message)
        self.rows = _join(op, "m", {a.rows for a in args}) if rows is None else rows
        if columns is None:
            columns = _join(op, "n", {a.columns for a in args})
        self.columns = columns

    def __add__(self, other: Operand) -> Expr:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Operand) -> Expr:
        return _arithmetic("sub", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return _arithmetic("sub", other, self)

    def __mul__(self, other: Operand) -> Expr:
        return _arithmetic("mul", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return _arithmetic("mul", other, self)

    def __truediv__(self, other: Operand) -> Expr:
        return _arithmetic("div", _to_float(self), other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return _arithmetic("div", other, _to_float(self))

    def __neg__(self) -> Expr:
        if is_float(self.dtype):
            a = _to_float(self)
            return Expr("arith.negf", a.dtype, (a,))
        return 0 - self

    def __abs__(self) -> Expr:
        return abs(self)

    def __lt__(self, other: Operand) -> Expr:
        return _compare("lt", self, other)

    def __le__(self, other: Operand) -> Expr:
        return _compare("le", self, other)

    def __gt__(self, other: Operand) -> Expr:
        return _compare("gt", self, other)

    def __ge__(self, other: Operand) -> Expr:
        return _compare("ge", self, other)

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return _compare("eq", self, other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return _compare("ne", self, other)

    def __and__(self, other: Operand) -> Expr:
        return _logic("arith.andi", self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> Expr:
        return _logic("arith.ori", self, other)

    __ror__ = __or__

    def __invert__(self) -> Expr:
        return _logic("arith.xori", self, True)

    def __bool__(self) -> bool:
        raise ArgumentError(
            "an epilogue cannot branch on an element: use coda.where, and &, | and "
            "~ for and, or and not"
        )

    def astype(self, dtype: Any) -> Expr:
        """coda.cast."""
        return cast(self, dtype)

    def __repr__(self) -> str:
        return f"<coda expression {self.op}: {self.dtype}>"


Operand = Union[Expr, float, int, bool]


# ---------------------------------------------------------------------------
# Types
# ---------------------------------------------------------------------------


def _constant(value: float | int | bool, dtype: str) -> Expr:
    return Expr("constant", dtype, value=value)


def _expr(value: Any, like: str = "f32") -> Expr:
    """`value`, or a constant of the type that goes with `like`."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return _constant(value, "i1")
    if isinstance(value, int):
        if is_float(like):
            return _constant(value, "f64" if like == "f64" else "f32")
        dtype = like if like in ("i32", "i64") else "i32"
        if not -(1 << (BITS[dtype] - 1)) <= value < 1 << (BITS[dtype] - 1):
            raise ArgumentError(f"epilogue: {value} does not fit {dtype}")
        return _constant(value, dtype)
    if isinstance(value, float):
        return _constant(value, "f64" if like == "f64" else "f32")
    raise ArgumentError(
        f"epilogue: expected an expression or a number, but got {type(value).__name__}"
    )


def _convert(value: Expr, dtype: str) -> Expr:
    """Every value of the type as one of `dtype`, rounded where it has to be."""
    source = value.dtype
    if source == dtype:
        return value
    if value.op == "constant" and dtype in ("f32", "f64"):
        return _constant(float(value.value), dtype)
    if is_float(source) and is_float(dtype):
        if BITS[source] < BITS[dtype]:
            return Expr("arith.extf", dtype, (value,))
        if BITS[source] == BITS[dtype]:
            value = Expr("arith.extf", "f32", (value,))
        return Expr("arith.truncf", dtype, (value,))
    if is_float(dtype):
        op = "arith.uitofp" if source == "i1" else "arith.sitofp"
        return Expr(op, dtype, (value,))
    if dtype == "i1":
        return value != 0
    if is_float(source):
        return Expr("arith.fptosi", dtype, (_to_float(value),))
    if BITS[source] < BITS[dtype]:
        op = "arith.extui" if source == "i1" else "arith.extsi"
        return Expr(op, dtype, (value,))
    return Expr("arith.trunci", dtype, (value,))


def _to_float(value: Operand) -> Expr:
    value = _expr(value)
    return _convert(value, "f64" if value.dtype == "f64" else "f32")


def _common(a: Operand, b: Operand) -> tuple[Expr, Expr]:
    """Both as one type: f64, f32, or the wider integer."""
    a_like = a.dtype if isinstance(a, Expr) else "i1"
    b_like = b.dtype if isinstance(b, Expr) else "i1"
    a, b = _expr(a, b_like), _expr(b, a_like)
    types = {a.dtype, b.dtype}
    if "f64" in types:
        dtype = "f64"
    elif any(is_float(t) for t in types):
        dtype = "f32"
    elif types == {"i1"}:
        dtype = "i1"
    else:
        dtype = "i64" if "i64" in types else "i32"
    return _convert(a, dtype), _convert(b, dtype)


def _arithmetic(name: str, a: Operand, b: Operand) -> Expr:
    a, b = _common(a, b)
    if a.dtype == "i1":
        a, b = _convert(a, "i32"), _convert(b, "i32")
    return Expr(f"arith.{name}{'f' if is_float(a.dtype) else 'i'}", a.dtype, (a, b))


def _compare(name: str, a: Operand, b: Any) -> Expr:
    a, b = _common(a, b)
    if is_float(a.dtype):
        # Only "not equal" holds for NaN.
        return Expr("arith.cmpf", "i1", (a, b), ("u" if name == "ne" else "o") + name)
    signed = name if name in ("eq", "ne") else ("u" if a.dtype == "i1" else "s") + name
    return Expr("arith.cmpi", "i1", (a, b), signed)


def _logic(op: str, a: Operand, b: Operand) -> Expr:
    a, b = _expr(a), _expr(b)
    for value in (a, b):
        if value.dtype != "i1":
            raise ArgumentError(
                f"epilogue: &, | and ~ are for comparisons, but got {value.dtype}"
            )
    return Expr(op, "i1", (a, b))


def cast(value: Operand, dtype: Any) -> Expr:
    """Rounds to another type, here and now: a later operation on the result starts
    from the rounded value. As a result of the epilogue it decides the type of the
    output. Raises ArgumentError for an unknown type."""
    converted = _convert(_expr(value), dtype_name(dtype))
    return Expr("cast", converted.dtype, (converted,))


# ---------------------------------------------------------------------------
# Functions
# ---------------------------------------------------------------------------


def _unary(op: str, value: Operand) -> Expr:
    a = _to_float(value)
    return Expr(op, a.dtype, (a,))


def exp(value: Operand) -> Expr:
    """e to the power of `value`."""
    return _unary("math.exp", value)


def exp2(value: Operand) -> Expr:
    """2 to the power of `value`."""
    return _unary("math.exp2", value)


def log(value: Operand) -> Expr:
    """The natural logarithm."""
    return _unary("math.log", value)


def log2(value: Operand) -> Expr:
    """The logarithm of base 2."""
    return _unary("math.log2", value)


def sqrt(value: Operand) -> Expr:
    """The square root."""
    return _unary("math.sqrt", value)


def rsqrt(value: Operand) -> Expr:
    """1 over the square root."""
    return _unary("math.rsqrt", value)


def tanh(value: Operand) -> Expr:
    """The hyperbolic tangent."""
    return _unary("math.tanh", value)


def erf(value: Operand) -> Expr:
    """The error function."""
    return _unary("math.erf", value)


def sin(value: Operand) -> Expr:
    """The sine."""
    return _unary("math.sin", value)


def cos(value: Operand) -> Expr:
    """The cosine."""
    return _unary("math.cos", value)


def abs(value: Operand) -> Expr:
    """The absolute value."""
    a = _expr(value)
    if is_float(a.dtype):
        return _unary("math.absf", a)
    return Expr("math.absi", a.dtype, (a,))


def _extreme(name: str, a: Operand, b: Operand) -> Expr:
    a, b = _common(a, b)
    if is_float(a.dtype):
        return Expr(f"arith.{name}imumf", a.dtype, (a, b))
    return Expr(f"arith.{name}si", a.dtype, (a, b))


def maximum(a: Operand, b: Operand) -> Expr:
    """The larger one; NaN if either is."""
    return _extreme("max", a, b)


def minimum(a: Operand, b: Operand) -> Expr:
    """The smaller one; NaN if either is."""
    return _extreme("min", a, b)


def where(condition: Operand, a: Operand, b: Operand) -> Expr:
    """`a` where the condition, a comparison, holds, and `b` elsewhere."""
    condition = _expr(condition)
    if condition.dtype != "i1":
        raise ArgumentError(
            f"where: the condition must be a comparison, but is of {condition.dtype}"
        )
    a, b = _common(a, b)
    return Expr("arith.select", a.dtype, (condition, a, b))


def relu(value: Operand) -> Expr:
    """max(value, 0); NaN stays NaN."""
    return maximum(value, 0)


def sigmoid(value: Operand) -> Expr:
    """1 / (1 + exp(-value))."""
    return 1.0 / (1.0 + exp(-_to_float(value)))


def silu(value: Operand) -> Expr:
    """value * sigmoid(value)."""
    value = _to_float(value)
    return value * sigmoid(value)


def gelu(value: Operand, approximate: str = "none") -> Expr:
    """GELU: with erf, or with tanh where `approximate` is "tanh", as in torch."""
    value = _to_float(value)
    if approximate == "none":
        inner = erf(value * math.sqrt(0.5))
    elif approximate == "tanh":
        cube = value * value * value
        inner = tanh(math.sqrt(2 / math.pi) * (value + 0.044715 * cube))
    else:
        raise ArgumentError(
            f'gelu: approximate must be "none" or "tanh", but is {approximate!r}'
        )
    return 0.5 * value * (1.0 + inner)


def rows() -> Expr:
    """The number of the element's row, from 0, for masks. An i64."""
    return Expr("rows", "i64", rows=1)


def columns() -> Expr:
    """The number of the element's column, from 0. An i64."""
    return Expr("columns", "i64", columns=1)


# ---------------------------------------------------------------------------
# Functions of the user
# ---------------------------------------------------------------------------


class Epilogue:
    """What @coda.epilogue makes: goes to coda.gemm, and can be called in another
    epilogue. `parameters` are the names."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        kinds = inspect.Parameter
        self.parameters: tuple[str, ...] = ()
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            raise ArgumentError(
                "epilogue: expected a function with named parameters, but got "
                f"{function!r}"
            ) from None
        for name, parameter in parameters.items():
            if parameter.kind not in (
                kinds.POSITIONAL_ONLY,
                kinds.POSITIONAL_OR_KEYWORD,
            ):
                raise ArgumentError(
                    f"epilogue '{self.name}': parameter '{name}' must be an ordinary "
                    "one: one for each product, then one for each operand"
                )
            if parameter.default is kinds.empty:
                self.parameters += (name,)
        functools.update_wrapper(self, function)

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "epilogue")

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.function(*values, **named)

    def trace(self, values: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The expressions that the function returns for these."""
        results = self.function(*values)
        if not isinstance(results, (tuple, list)):
            results = (results,)
        if not results:
            raise ArgumentError(f"epilogue '{self.name}' returns nothing")
        for i, result in enumerate(results):
            if not isinstance(result, Expr):
                raise ArgumentError(
                    f"epilogue '{self.name}': result {i} must be an expression, but "
                    f"is {type(result).__name__}"
                )
        return tuple(results)


def epilogue(function: Callable[..., Any]) -> Epilogue:
    """Makes an epilogue of a function; see the module's text.

    Raises ArgumentError if the function's parameters cannot be given by position.
    """
    return function if isinstance(function, Epilogue) else Epilogue(function)
