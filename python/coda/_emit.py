"""The text of a coda.gemm with an epilogue."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ._dtypes import is_float
from ._epilogue import Expr

_FORMATS = {"f32": ("<f", "<I", 8), "f64": ("<d", "<Q", 16)}


@dataclass(frozen=True)
class Value:
    """A value of the function: `dims` are "m", "n" and "k" in the order in which it
    is stored, `sizes` those of its dimensions, None where any will do. A number
    has no dims and is no array."""

    name: str
    dtype: str
    dims: tuple[str, ...] = ()
    sizes: tuple[int | None, ...] = ()
    array: bool = True

    @property
    def type(self) -> str:
        if not self.array:
            return self.dtype
        sizes = "".join(f"{'?' if s is None else s}x" for s in self.sizes)
        return f"tensor<{sizes}{self.dtype}>"

    def operand(self) -> str:
        return f"%{self.name} [{', '.join(self.dims)}] : {self.type}"


@dataclass(frozen=True)
class Program:
    """What is computed: `results` are expressions of leaves "acc" and "operand",
    whose value is the number of the right-hand side or of the operand."""

    name: str
    lhs: Value
    rhs: tuple[Value, ...]
    operands: tuple[Value, ...]
    results: tuple[Expr, ...]
    result_types: tuple[str, ...]
    accumulator: str
    m: int | None
    n: int | None
    schedule: str = ""


def _literal(value: float | int | bool, dtype: str) -> str:
    if dtype == "i1":
        return "true" if value else "false"
    if not is_float(dtype):
        return str(value)
    number, bits, digits = _FORMATS[dtype]
    try:
        data = struct.pack(number, value)
    except OverflowError:  # rounds to infinity
        data = struct.pack(number, float("inf") if value > 0 else float("-inf"))
    (rounded,) = struct.unpack(number, data)
    if rounded - rounded == 0:
        return f"{rounded:.9e}" if dtype == "f32" else f"{rounded:.17e}"
    return f"0x{struct.unpack(bits, data)[0]:0{digits}X}"


def _order(root: Expr) -> list[Expr]:
    """All that `root` is made of, operands first. Without recursion: a loop in an
    epilogue can make a long chain."""
    done: dict[Expr, None] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        missing = [a for a in node.args if a not in done]
        if node in done or not missing:
            done[stack.pop()] = None
        else:
            stack += reversed(missing)
    return list(done)


class _Body:
    """The scalar body of a coda.map, and the tiles that it reads."""

    def __init__(self, emitter: _Emitter) -> None:
        self.emitter = emitter
        self.lines: list[str] = []
        self.inputs: dict[str, tuple[str, str]] = {}  # tile: name in it, tile type
        self.rows = self.columns = False  # whether an input has all of them
        self.names: dict[Expr, str] = {}

    def input(self, tile: str, kind: str, rows: bool, columns: bool) -> str:
        self.rows |= rows
        self.columns |= columns
        if tile not in self.inputs:
            self.inputs[tile] = f"%a{len(self.inputs)}", kind
        return self.inputs[tile][0]

    def emit(self, root: Expr) -> str:
        """Emits what `root` needs down to the tiles; gives its name."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [a for a in node.args if a not in self.names]
            if node in self.names or node.op == "reduce" or not missing:
                stack.pop()
                if node not in self.names:
                    self.names[node] = self.one(node)
            else:
                stack += reversed(missing)
        return self.names[root]

    def one(self, node: Expr) -> str:
        tile = self.emitter.tile_of(node)
        if tile is not None:
            return self.input(*tile)
        if node.op == "cast":  # what it does is below it
            return self.names[node.args[0]]
        name = f"%{len(self.lines)}"
        operands = ", ".join(self.names[a] for a in node.args)
        if node.op == "constant":
            name = f"%c{len(self.lines)}"
            kind = "" if node.dtype == "i1" else f" : {node.dtype}"
            text = f"arith.constant {_literal(node.value, node.dtype)}{kind}"
        elif node.op in ("arith.cmpf", "arith.cmpi"):
            text = f"{node.op} {node.value}, {operands} : {node.args[0].dtype}"
        elif node.op == "arith.select":
            text = f"{node.op} {operands} : {node.dtype}"
        elif len(node.args) == 1 and node.args[0].dtype != node.dtype:
            text = f"{node.op} {operands} : {node.args[0].dtype} to {node.dtype}"
        else:
            text = f"{node.op} {operands} : {node.dtype}"
        self.lines.append(f"        {name} = {text}")
        return name


class _Emitter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.indices: dict[str, str] = {}
        self.reductions: dict[Expr, str] = {}
        self.maps = 0

    def tile(self, dtype: str, rows: bool = True, columns: bool = True) -> str:
        m, n = (
            "1" if not varies else "?" if size is None else size
            for varies, size in ((rows, self.program.m), (columns, self.program.n))
        )
        return f"!coda.tile<{m}x{n}x{dtype}>"

    def tile_of(self, node: Expr) -> tuple[str, str, bool, bool] | None:
        """The tile that a leaf is an element of: its name and type, and whether it
        has all rows and columns."""
        if node.op == "acc":
            return f"%acc.{node.value}", self.tile(node.dtype), True, True
        if node.op == "operand":
            value = self.program.operands[node.value]
            rows, columns = "m" in value.dims, "n" in value.dims
            return (
                f"%t.{node.value}",
                self.tile(value.dtype, rows, columns),
                rows,
                columns,
            )
        if node.op == "reduce":
            return self.reduce(node)
        if node.op in ("rows", "columns"):
            rows = node.op == "rows"
            kind = self.tile(node.dtype, rows, not rows)
            if node.op not in self.indices:
                self.indices[node.op] = f"%at.{node.op}"
                self.lines.append(f"    %at.{node.op} = coda.index {node.op} : {kind}")
            return f"%at.{node.op}", kind, rows, not rows
        return None

    def reduce(self, node: Expr) -> tuple[str, str, bool, bool]:
        kind, along = node.value
        rows, columns = along == "columns", along == "rows"
        result = self.tile(node.dtype, rows, columns)
        if node not in self.reductions:
            tile, used = self.whole(node.args[0], True, True)
            name = self.reductions[node] = f"%reduced.{len(self.reductions)}"
            text = f"coda.reduce {kind} {tile} along {along} : {used} -> {result}"
            self.lines.append(f"    {name} = {text}")
        return self.reductions[node], result, rows, columns

    def whole(self, root: Expr, rows: bool, columns: bool) -> tuple[str, str]:
        """The tile of an expression, with its type; it has all rows or columns, even
        where the expression is the same in each."""
        kind = self.tile(root.dtype, rows, columns)
        tile = self.tile_of(root)
        if tile is not None and tile[1] == kind:
            return tile[:2]
        body = _Body(self)
        value = body.emit(root)
        if (rows, columns) != (body.rows, body.columns):
            body.input("%acc.0", self.tile(self.program.accumulator), True, True)
        inputs = ", ".join(
            f"{name} = {tile} : {used}" for tile, (name, used) in body.inputs.items()
        )
        name = f"%y.{self.maps}"
        self.maps += 1
        self.lines += [
            f"    {name} = coda.map({inputs}) -> {kind} {{",
            *body.lines,
            f"        coda.yield {value} : {root.dtype}",
            "    }",
        ]
        return name, kind

    def result_dims(self, root: Expr) -> tuple[str, ...]:
        """Those of a result: a matrix, or what reductions leave of one."""
        extents: dict[Expr, tuple[bool, bool]] = {}
        reduced = False
        for node in _order(root):
            rows = any(extents[a][0] for a in node.args)
            columns = any(extents[a][1] for a in node.args)
            if node.op == "reduce":
                reduced = True
                rows, columns = node.value[1] == "columns", node.value[1] == "rows"
            elif not node.args:
                tile = self.tile_of(node)
                rows, columns = tile[2:] if tile else (False, False)
            extents[node] = rows, columns
        rows, columns = extents[root] if reduced else (True, True)
        return ("m",) * rows + ("n",) * columns


def emit(program: Program) -> str:
    """A module with one function, whose arguments are the left-hand side, the
    right-hand sides and the operands. Names with a dot are not the user's."""
    p = program
    emitter = _Emitter(p)
    dims = [emitter.result_dims(root) for root in p.results]
    tiles = [
        emitter.whole(root, "m" in d, "n" in d) for root, d in zip(p.results, dims)
    ]
    arguments = (p.lhs, *p.rhs, *p.operands)
    outs = [
        Value(f"init.{i}", dtype, d, tuple(p.m if e == "m" else p.n for e in d))
        for i, (dtype, d) in enumerate(zip(p.result_types, dims))
    ]
    types = ", ".join(out.type for out in outs)
    head = ", ".join(
        f'%{a.name}: {a.type} {{coda.name = "{a.name}"}}' for a in arguments
    )
    lines = [f"func.func @{p.name}({head}) -> ({types}) {{"]
    sizes = {}
    for dim, size, source in (("m", p.m, p.lhs), ("n", p.n, p.rhs[0])):
        if size is None:
            position = source.dims.index(dim)
            lines += [
                f"  %at.{dim} = arith.constant {position} : index",
                f"  %size.{dim} = tensor.dim %{source.name}, %at.{dim} : {source.type}",
            ]
            sizes[dim] = f"%size.{dim}"
    for out in outs:
        given = ", ".join(sizes[dim] for dim in out.dims if dim in sizes)
        lines.append(f"  %{out.name} = tensor.empty({given}) : {out.type}")
    count = len(outs)
    names = ", ".join(f"%out.r#{i}" for i in range(count))
    lines.append(f"  %out.r:{count} = coda.gemm lhs({p.lhs.operand()})")
    lines.append(f"      rhs({', '.join(v.operand() for v in p.rhs)})")
    if p.operands:
        lines.append(f"      operands({', '.join(v.operand() for v in p.operands)})")
    attributes = f" schedule {p.schedule}" if p.schedule else ""
    lines.append(f"      outs({', '.join(v.operand() for v in outs)}){attributes} {{")
    blocks = [f"%acc.{i}: {emitter.tile(p.accumulator)}" for i in range(len(p.rhs))]
    for i, value in enumerate(p.operands):
        kind = emitter.tile(value.dtype, "m" in value.dims, "n" in value.dims)
        blocks.append(f"%t.{i}: {kind}")
    lines.append(f"  ^bb0({', '.join(blocks)}):")
    lines += emitter.lines
    yielded = ", ".join(name for name, _ in tiles)
    kinds = ", ".join(kind for _, kind in tiles)
    lines.append(f"    coda.yield {yielded} : {kinds}")
    lines.append(f"  }} -> ({types})")
    lines.append(f"  return {names} : {types}")
    lines.append("}")
    return "\n".join(lines) + "\n"
