"""Epilogue functions that combine rows or columns.

A tile has the product's m rows and n columns, or fewer: a reduction leaves one column,
or one for each group; unpairing leaves half of them. Arithmetic is between tiles of one
size, where a tile of one row or column is repeated; `repeat` and `pair` lead back to
all columns. What a kernel cannot keep in one tile is computed after the product, by
kernels of its own: a remark of the kernel's module (`not-in-tile`) says so.
"""

from __future__ import annotations

from ._dtypes import is_float
from ._epilogue import Expr, Operand, _common, _convert, _expr, _to_float
from ._errors import ArgumentError

__all__ = ["cyclic", "pair", "reduce", "repeat", "select_column", "unpair"]

_REDUCTIONS = ("add", "mul", "max", "min", "absmax", "logsumexp")


def _positive(what: str, value: object) -> int:
    if type(value) is not int or value < 1:
        raise ArgumentError(f"{what} must be a positive number, but is {value!r}")
    return value


def _of_columns(what: str, value: Operand) -> Expr:
    a = _expr(value)
    if not a.columns:
        raise ArgumentError(
            f"{what} must have columns of its own, but is the same in each"
        )
    return a


def reduce(
    value: Operand, kind: str = "add", along: str = "columns", group: int | None = None
) -> Expr:
    """The columns of each row (or, along "rows", the rows of each column) reduced to
    one element, or to one for every `group` neighbours: their "add", "mul", "max",
    "min", "absmax" or "logsumexp".

    `value`: [m, n] elements; floats are taken as f32 (f64 stays), integers below 32
    bits as i32. Gives [m, 1] along columns, [1, n] along rows, and with a group
    [m, ceil(n / group)] or [ceil(m / group), n], of the same type. As a result of the
    epilogue a vector is of `m` or `n` elements and not rounded.

    A kernel uses the reduction of a group again where the group's columns lie in one
    tile (a multiple of 8 that divides 128, as a head). What uses a whole reduction
    together with the matrix is computed after the product. Raises ArgumentError for
    another kind or direction, or a group that is no positive number.
    """
    if kind not in _REDUCTIONS or along not in ("columns", "rows"):
        raise ArgumentError(
            f"reduce: kind must be one of {', '.join(_REDUCTIONS)}, and along columns or "
            f"rows, but they are {kind!r} and {along!r}"
        )
    if group is not None:
        _positive("reduce: group", group)
    a = _expr(value)
    if is_float(a.dtype):
        a = _to_float(a)
    elif a.dtype not in ("i32", "i64") or kind == "logsumexp":
        a = _to_float(a) if kind == "logsumexp" else _convert(a, "i32")
    rows, columns = a.rows or 1, a.columns or 1
    if along == "columns":
        columns = columns * group if group else 0
    else:
        rows = rows * group if group else 0
    return Expr("reduce", a.dtype, (a,), (kind, along, group), rows, columns)


def repeat(value: Operand, count: int) -> Expr:
    """Each column `count` times: gives a value of each group of columns back to the
    columns of the group.

    `value`: [m, ceil(n / count)], from `reduce` with a group, or an operand of that many
    columns (a scale for each head). Gives [m, n], of the same type. Raises
    ArgumentError for a value that has not one column for each group.
    """
    count = _positive("repeat: count", count)
    a = _expr(value)
    if a.op == "loose":
        a = a.value.take_groups(count)
    if not a.columns or a.columns % count:
        has = f"n / {a.columns} columns" if a.columns else "one column"
        raise ArgumentError(
            f"repeat: the value must have one column for every {count} columns, but "
            f"has {has}"
        )
    columns = a.columns // count
    return Expr("repeat", a.dtype, (a,), count, a.rows, columns)


def unpair(value: Operand, stride: int = 1) -> tuple[Expr, Expr]:
    """The first and the second ones of pairs of columns: column `c` is paired with
    `c + stride`, within every `2 * stride` columns.

    Stride 1 pairs neighbours (an interleaved gate and up projection, rotary embedding
    in GPT-J's form), stride `h // 2` the halves of heads of width `h` (Hugging Face's
    `rotate_half`). `value`: [m, n] elements of any type, where `2 * stride` divides n.
    Gives two of [m, n / 2], pairs counted by their first column. Raises ArgumentError
    for a stride that does not divide.
    """
    stride = _positive("unpair: stride", stride)
    a = _of_columns("unpair: the value", value)
    return tuple(
        Expr("unpair", a.dtype, (a,), (stride, i), a.rows, 2 * a.columns)
        for i in range(2)
    )  # type: ignore[return-value]


def pair(first: Operand, second: Operand, stride: int = 1) -> Expr:
    """The inverse of `unpair`: the columns of both, side by side in pairs.

    `first`, `second`: [m, n / 2] elements, computed from what `unpair` gave; one of them
    may be the same in each column. Gives [m, n], of the type that an operation on both
    would have. Raises ArgumentError for others.
    """
    stride = _positive("pair: stride", stride)
    a, b = (_expr(first), _expr(second))
    if a.dtype != b.dtype:
        a, b = _common(a, b)
    both = Expr("pair", a.dtype, (a, b), stride)
    if not both.columns or both.columns % 2:
        has = "all n columns" if both.columns else "one column"
        raise ArgumentError(
            f"pair: first and second must have half of the columns, but have {has}"
        )
    return Expr("pair", a.dtype, (a, b), stride, both.rows, both.columns // 2)


def select_column(value: Operand, index: Operand) -> Expr:
    """For each row the element in column `index` of it, or 0 where that is no column (a
    negative index does not count from the end): the logit of a target.

    `value`: [m, n] elements of any type. `index`: integers, [m, 1] or a number. Gives
    [m, 1], of the value's type. Raises ArgumentError for an index that is no integer or
    differs between columns.
    """
    a = _of_columns("select_column: the value", value)
    at = _expr(index, "i64")
    if at.columns:
        raise ArgumentError(
            "select_column: index must be one for each row, [m, 1], but differs "
            "between columns"
        )
    if is_float(at.dtype) or at.dtype == "i1":
        raise ArgumentError(f"select_column: index must be integers, but is {at.dtype}")
    return Expr("select_column", a.dtype, (a, _convert(at, "i64")), None, a.rows, 0)


def cyclic(operand: Operand, like: Expr) -> Expr:
    """An operand again and again, over the rows and columns that `like` has: a table
    for one head that all share, or for one sequence of several.

    `operand`: a parameter of the epilogue, an array of rank 1 or 2. A size of 1
    broadcasts, another one is repeated: the element in column `c` is that in column
    `c mod size` of the array. Gives an expression as wide as `like`, of the operand's
    type. Raises ArgumentError for what is no operand.
    """
    if not isinstance(operand, Expr) or operand.op not in ("loose", "operand"):
        raise ArgumentError("cyclic: expected an operand of the epilogue")
    if not isinstance(like, Expr):
        raise ArgumentError(
            f"cyclic: like must be an expression, but is {type(like).__name__}"
        )
    if operand.op == "operand":
        if operand.columns == 1 < like.columns:
            raise ArgumentError(
                f"cyclic: the operand has n columns, but like has n / {like.columns}"
            )
        return operand  # as large as the product already
    taken: Expr = operand.value.take_cyclic(like.rows or 1, like.columns or 1)
    return taken
