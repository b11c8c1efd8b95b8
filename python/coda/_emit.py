"""The text of a coda.gemm with an epilogue."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ._dtypes import is_float
from ._epilogue import Expr
from ._errors import ArgumentError

_FORMATS = {"f32": ("<f", "<I", 8), "f64": ("<d", "<Q", 16)}


def _split(dim: str) -> tuple[str, int]:
    """The axis and the divisor of "cyclic n / 8"."""
    axis, _, divisor = dim.removeprefix("cyclic ").partition(" / ")
    return axis, int(divisor or 1)


def _dim(axis: str, divisor: int) -> str:
    return axis if divisor == 1 else f"{axis} / {divisor}"


@dataclass(frozen=True)
class Value:
    """A value of the function: `dims` are "m", "n" and "k" in the order in which it
    is stored ("n / 8" for groups, "cyclic n" for what is repeated), `sizes` those of
    its dimensions, None where any will do. A number has no dims and is no array."""

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

    @property
    def extents(self) -> tuple[int, int]:
        """Rows and columns of its tile, as Expr has them."""
        found = dict(_split(dim) for dim in self.dims)
        return found.get("m", 0), found.get("n", 0)

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
        self.rows = self.columns = 0  # of the inputs together, as Expr has them
        self.names: dict[Expr, str] = {}

    def input(self, tile: str, kind: str, rows: int, columns: int) -> str:
        self.rows, self.columns = self.rows or rows, self.columns or columns
        if tile not in self.inputs:
            self.inputs[tile] = f"%a{len(self.inputs)}", kind
        return self.inputs[tile][0]

    def emit(self, root: Expr) -> str:
        """Emits what `root` needs down to the tiles; gives its name."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [a for a in node.args if a not in self.names]
            if node in self.names or node.op in _TILE_OPS or not missing:
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


#: What is made of whole tiles, and no element of a body.
_TILE_OPS = ("pair", "reduce", "repeat", "select_column", "unpair")
#: A tile: name, type, and rows and columns as Expr has them.
_Tile = tuple[str, str, int, int]


class _Emitter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.indices: dict[str, str] = {}
        self.tiles: dict[tuple[Expr, object], str] = {}
        self.maps = 0

    def tile(self, dtype: str, rows: int = 1, columns: int = 1) -> str:
        m, n = (
            "1" if not divisor else "?" if size is None else str(-(-size // divisor))
            for divisor, size in ((rows, self.program.m), (columns, self.program.n))
        )
        return f"!coda.tile<{m}x{n}x{dtype}>"

    def tile_of(self, node: Expr) -> _Tile | None:
        """The tile that `node` is an element of; None if it is made of several."""
        if node.op == "acc":
            return f"%acc.{node.value}", self.tile(node.dtype), 1, 1
        kind = self.tile(node.dtype, node.rows, node.columns)
        if node.op == "operand":
            return f"%t.{node.value}", kind, node.rows, node.columns
        if node.op in _TILE_OPS:
            return getattr(self, node.op)(node), kind, node.rows, node.columns
        if node.op in ("rows", "columns"):
            if node.op not in self.indices:
                self.indices[node.op] = f"%at.{node.op}"
                self.lines.append(f"    %at.{node.op} = coda.index {node.op} : {kind}")
            return f"%at.{node.op}", kind, node.rows, node.columns
        return None

    def make(self, node: Expr, text: str) -> str:
        name = f"%tile.{len(self.tiles)}"
        self.lines.append(f"    {name} = {text}")
        self.tiles[node, None] = name
        return name

    def reduce(self, node: Expr) -> str:
        if (node, None) in self.tiles:
            return self.tiles[node, None]
        kind, along, group = node.value
        a = node.args[0]
        tile, used = self.whole(a, a.rows or 1, a.columns or 1)
        result = self.tile(node.dtype, node.rows, node.columns)
        groups = f" in groups of {group}" if group else ""
        text = f"coda.reduce {kind} {tile} along {along}{groups} : {used} -> {result}"
        return self.make(node, text)

    def repeat(self, node: Expr) -> str:
        if (node, None) in self.tiles:
            return self.tiles[node, None]
        a = node.args[0]
        tile, used = self.whole(a, a.rows, a.columns)
        result = self.tile(node.dtype, node.rows, node.columns)
        text = f"coda.repeat {tile} by {node.value} : {used} -> {result}"
        return self.make(node, text)

    def unpair(self, node: Expr) -> str:
        """Both halves are of one op: the key is what they are taken from."""
        a, (stride, which) = node.args[0], node.value
        if (a, stride) not in self.tiles:
            tile, used = self.whole(a, a.rows, a.columns)
            name = self.tiles[a, stride] = f"%tile.{len(self.tiles)}"
            result = self.tile(node.dtype, node.rows, node.columns)
            self.lines.append(
                f"    {name}:2 = coda.unpair {tile} stride {stride} : {used} -> {result}"
            )
        return f"{self.tiles[a, stride]}#{which}"

    def pair(self, node: Expr) -> str:
        if (node, None) in self.tiles:
            return self.tiles[node, None]
        a, b = node.args
        rows, columns = a.rows or b.rows, a.columns or b.columns
        first, used = self.whole(a, rows, columns, like=b)
        second, _ = self.whole(b, rows, columns, like=a)
        result = self.tile(node.dtype, node.rows, node.columns)
        text = f"coda.pair {first}, {second} stride {node.value} : {used} -> {result}"
        return self.make(node, text)

    def select_column(self, node: Expr) -> str:
        if (node, None) in self.tiles:
            return self.tiles[node, None]
        a, index = node.args
        rows = a.rows or index.rows
        tile, used = self.whole(a, rows, a.columns)
        at, kind = self.whole(index, index.rows, 0)
        result = self.tile(node.dtype, rows, 0)
        text = f"coda.select_column {tile}[{at}] : {used}[{kind}] -> {result}"
        return self.make(node, text)

    def whole(
        self, root: Expr, rows: int, columns: int, like: Expr | None = None
    ) -> tuple[str, str]:
        """The tile of an expression, with its type; it has all rows or columns, even
        where the expression is the same in each: those of `like`, or the product's."""
        kind = self.tile(root.dtype, rows, columns)
        tile = self.tile_of(root)
        if tile is not None and tile[1] == kind:
            return tile[:2]
        body = _Body(self)
        value = body.emit(root)
        if (rows, columns) != (body.rows, body.columns):
            if like is not None and (like.rows, like.columns) == (rows, columns):
                body.input(*self.whole(like, rows, columns), rows, columns)
            elif columns == 1:
                body.input("%acc.0", self.tile(self.program.accumulator), 1, 1)
            else:
                raise ArgumentError(
                    "epilogue: a half or a group of columns that is the same in each "
                    "row has to be combined with one of the product first"
                )
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


def is_matrix(root: Expr) -> bool:
    """Whether a result is one of rows and columns: what reductions leave is not."""
    if root.rows and root.columns:
        return True
    return not any(node.op in ("reduce", "select_column") for node in _order(root))


def _extents(root: Expr) -> tuple[int, int]:
    """Rows and columns of a result: a matrix, or what reductions leave of one."""
    if is_matrix(root):
        return root.rows or 1, root.columns or 1
    return root.rows, root.columns


def check(program: Program, n: int) -> None:
    """Raises ArgumentError where a stride does not divide the columns."""
    seen: set[Expr] = set()
    for root in program.results:
        for node in _order(root):
            if node in seen or node.op not in ("pair", "unpair"):
                continue
            seen.add(node)
            stride = node.value if node.op == "pair" else node.value[0]
            columns = -(
                -n // (node.columns if node.op == "pair" else node.args[0].columns)
            )
            if columns % (2 * stride):
                raise ArgumentError(
                    f"{node.op}: twice the stride must divide the {columns} columns, but "
                    f"the stride is {stride}"
                )


def emit(program: Program) -> str:
    """A module with one function, whose arguments are the left-hand side, the
    right-hand sides and the operands. Names with a dot are not the user's."""
    p = program
    emitter = _Emitter(p)
    extents = [_extents(root) for root in p.results]
    tiles = [emitter.whole(root, *e) for root, e in zip(p.results, extents)]
    arguments = (p.lhs, *p.rhs, *p.operands)
    outs = []
    for i, (dtype, extent) in enumerate(zip(p.result_types, extents)):
        stored = [(a, d, s) for a, d, s in zip("mn", extent, (p.m, p.n)) if d]
        outs.append(
            Value(
                f"init.{i}",
                dtype,
                tuple(_dim(axis, divisor) for axis, divisor, _ in stored),
                tuple(None if s is None else -(-s // d) for _, d, s in stored),
            )
        )
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
        for dim in out.dims:
            axis, divisor = _split(dim)
            if axis in sizes and dim not in sizes:
                sizes[dim] = name = f"%size.{axis}.{divisor}"
                lines += [
                    f"  %by.{axis}.{divisor} = arith.constant {divisor} : index",
                    f"  {name} = arith.ceildivui {sizes[axis]}, %by.{axis}.{divisor} : index",
                ]
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
        kind = emitter.tile(value.dtype, *value.extents)
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
