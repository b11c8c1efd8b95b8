"""Writes functions of coda.gemm ops, line by line, for the GPU tests."""

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
        self.count, self.schedule = 0, ""

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

    def product(self, lhs, result, names=None):
        """The lines of the coda.gemm of `lhs` that gives `result`; `names` has
        other values in place of arguments."""
        names = names or {}

        def name(value):
            return names.get(value, value)

        lines = [f"%e{i}_{result[1:]} = tensor.empty(%m) : {type_}"
                 for i, (_, type_) in enumerate(self.outs)]
        rhs = ", ".join(f"{name(f'%b{i}')} [n, k] : {self.arguments[1][1]}"
                        for i in range(self.rhs))
        operands = ", ".join(f"{name(f'%{operand}')} {dims} : {type_}"
                             for operand, dims, type_ in self.operands)
        operands = f"operands({operands})" if operands else ""
        outs = ", ".join(f"%e{i}_{result[1:]} {dims} : {type_}"
                         for i, (dims, type_) in enumerate(self.outs))
        block = [f"%acc{i}: {tile('?', self.n, F32)}" for i in range(self.rhs)]
        for operand, dims, type_ in self.operands:
            rows = "?" if "m" in dims else 1
            columns = self.columns(dims)
            element = type_.rstrip(">").split("<")[-1].split("x")[-1]
            block.append(f"%t_{operand}: {tile(rows, columns, element)}")
        suffix = f":{len(self.outs)}" if len(self.outs) > 1 else ""
        lines.append(f"{result}{suffix} = coda.gemm lhs({lhs} [m, k] : "
                     f"{self.arguments[0][1]}) rhs({rhs}) {operands} "
                     f"outs({outs}) {self.schedule} {{")
        lines.append(f"^bb0({', '.join(block)}):")
        lines += self.lines
        lines.append("coda.yield " + ", ".join(v for v, _ in self.yields) +
                     " : " + ", ".join(t for _, t in self.yields))
        lines.append(f"}} -> ({', '.join(type_ for _, type_ in self.outs)})")
        return lines

    def text(self):
        return function_text(self.name, self.arguments,
                             self.product("%a", "%r"), "%r", self.outs)


class Chain:
    """A function of two products. `given` says which result of the first the
    second has in place of an argument, by number: {"%a": 1} for its lhs. The
    other arguments of both are the function's; its results the second's."""

    def __init__(self, name, first, second, given):
        self.name, self.first, self.second = name, first, second
        self.first_names = {argument: f"%first_{argument[1:]}"
                            for argument, _ in first.arguments[1:]}
        self.second_names = {argument: f"%first#{given[argument]}"
                             if argument in given else
                             f"%second_{argument[1:]}"
                             for argument, _ in second.arguments}
        self.arguments = first.arguments[:1]
        self.arguments += [(self.first_names[argument], type_)
                           for argument, type_ in first.arguments[1:]]
        self.arguments += [(self.second_names[argument], type_)
                           for argument, type_ in second.arguments
                           if argument not in given]

    def text(self):
        body = self.first.product("%a", "%first", self.first_names)
        body += self.second.product(self.second_names["%a"], "%r",
                                    self.second_names)
        return function_text(self.name, self.arguments, body, "%r",
                             self.second.outs)


def function_text(name, arguments, body, result, outs):
    results = ", ".join(type_ for _, type_ in outs)
    values = ", ".join(f"{result}#{i}" if len(outs) > 1 else result
                       for i in range(len(outs)))
    return "\n".join([
        f"func.func @{name}({', '.join(f'{a}: {t}' for a, t in arguments)}) -> "
        f"({results}) {{",
        "%c0 = arith.constant 0 : index",
        f"%m = tensor.dim %a, %c0 : {arguments[0][1]}",
        *body, f"return {values} : {results}", "}"]) + "\n"


def scaled(kernel, value, r):
    return kernel.map([value, r], "%r = arith.mulf %x0, %x1 : f32", F32)


def rounded(kernel, value):
    return kernel.map([value], "%r = arith.truncf %x0 : f32 to bf16", BF16)
