"""Writes a function with one coda.gemm op, line by line, for the GPU tests."""

F32, BF16 = "f32", "bf16"


def tile(rows, columns, element):
    return f"!coda.tile<{rows}x{columns}x{element}>"


class Kernel:
    """One function with one coda.gemm, written line by line."""

    def __init__(self, name, n, k, rhs=1, dtype=BF16):
        self.name, self.n, self.k, self.rhs, self.dtype = name, n, k, rhs, dtype
        self.arguments = [("%a", f"tensor<?x{k}x{dtype}>")]
        self.arguments += [(f"%b{i}", f"tensor<{n}x{k}x{dtype}>")
                           for i in range(rhs)]
        self.operands, self.outs, self.lines, self.yields = [], [], [], []
        self.count = 0

    def operand(self, name, dims, shape, element):
        """Adds an operand; gives its tile."""
        type_ = f"tensor<{shape}x{element}>" if shape else f"tensor<{element}>"
        self.arguments.append((f"%{name}", type_))
        self.operands.append((name, dims, type_))
        rows = "?" if "m" in dims else 1
        return f"%t_{name}", tile(rows, self.columns(dims), element)

    def columns(self, dims):
        """Those of the tile of an operand."""
        if "n" not in dims:
            return 1
        divisor = dims.split("/")[1].rstrip("]") if "/" in dims else 1
        return self.n // int(divisor)

    def accumulator(self, i=0):
        return f"%acc{i}", tile("?", self.n, F32)

    def map(self, inputs, body, element, shape=None):
        """`body` has a line an op on %0, %1, ... and gives %r."""
        self.count += 1
        name = f"%v{self.count}"
        shape = shape or ("?", self.n)
        result = tile(*shape, element)
        pairs = ", ".join(f"%x{i} = {value} : {type_}"
                          for i, (value, type_) in enumerate(inputs))
        self.lines.append(f"{name} = coda.map({pairs}) -> {result} {{")
        self.lines += body.strip().splitlines()
        self.lines.append(f"coda.yield %r : {element} }}")
        return name, result

    def op(self, text, type_):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}", type_

    def reduce(self, kind, value, group=None):
        type_ = tile("?", self.n // group if group else 1, F32)
        groups = f" in groups of {group}" if group else ""
        return self.op(f"coda.reduce {kind} {value[0]} along columns{groups} : "
                       f"{value[1]} -> {type_}", type_)

    def out(self, value, dims="[m, n]", columns=None):
        element = value[1].rstrip(">").split("x")[-1]
        shape = "?" if dims == "[m]" else f"?x{columns or self.n}"
        self.outs.append((dims, f"tensor<{shape}x{element}>"))
        self.yields.append(value)

    def text(self):
        arguments = ", ".join(f"{name}: {type_}" for name, type_ in
                              self.arguments)
        results = ", ".join(type_ for _, type_ in self.outs)
        lines = [f"func.func @{self.name}({arguments}) -> ({results}) {{",
                 "%c0 = arith.constant 0 : index",
                 f"%m = tensor.dim %a, %c0 : {self.arguments[0][1]}"]
        for i, (_, type_) in enumerate(self.outs):
            lines.append(f"%e{i} = tensor.empty(%m) : {type_}")
        rhs = ", ".join(f"%b{i} [n, k] : {self.arguments[1][1]}"
                        for i in range(self.rhs))
        operands = ", ".join(f"%{name} {dims} : {type_}"
                             for name, dims, type_ in self.operands)
        operands = f"operands({operands})" if operands else ""
        outs = ", ".join(f"%e{i} {dims} : {type_}"
                         for i, (dims, type_) in enumerate(self.outs))
        block = [f"%acc{i}: {tile('?', self.n, F32)}" for i in range(self.rhs)]
        for name, dims, type_ in self.operands:
            rows = "?" if "m" in dims else 1
            columns = self.columns(dims)
            element = type_.rstrip(">").split("<")[-1].split("x")[-1]
            block.append(f"%t_{name}: {tile(rows, columns, element)}")
        suffix = f":{len(self.outs)}" if len(self.outs) > 1 else ""
        lines.append(f"%r{suffix} = coda.gemm lhs(%a [m, k] : "
                     f"{self.arguments[0][1]}) rhs({rhs}) {operands} "
                     f"outs({outs}) {{")
        lines.append(f"^bb0({', '.join(block)}):")
        lines += self.lines
        lines.append("coda.yield " + ", ".join(v for v, _ in self.yields) +
                     " : " + ", ".join(t for _, t in self.yields))
        lines.append(f"}} -> ({results})")
        values = ", ".join(f"%r#{i}" if suffix else "%r"
                           for i in range(len(self.outs)))
        lines += [f"return {values} : {results}", "}"]
        return "\n".join(lines) + "\n"


def scaled(kernel, value, r):
    return kernel.map([value, r], "%r = arith.mulf %x0, %x1 : f32", F32)


def rounded(kernel, value):
    return kernel.map([value], "%r = arith.truncf %x0 : f32 to bf16", BF16)
