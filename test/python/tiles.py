"""Epilogues of every primitive, executed on the CPU and compared with Python.

RUN: %python %s %coda_tools_dir/coda-runner
"""

import math
import sys
import unittest

import coda
import on_cpu

on_cpu.RUNNER = sys.argv.pop(1)
M, N, K = 6, 16, 8
X, W, W2 = on_cpu.matrix(M, K, 1), on_cpu.matrix(K, N, 2), on_cpu.matrix(K, N, 3)
P = on_cpu.product(X, W)


def run(epilogue, *operands, sides=(W,), x=X, **named):
    named.setdefault("out_dtype", "f32")
    return on_cpu.run(epilogue, x, list(sides), operands, **named)


def both(check):
    """With sizes that the compiler knows, and with those that it does not."""

    def test(self):
        for dynamic in ("", "m", "mn"):
            with self.subTest(dynamic=dynamic):
                check(self, dynamic)

    return test


class Reductions(unittest.TestCase):
    @both
    def test_rows_and_columns(self, dynamic):
        def reductions(v):
            kinds = ("add", "max", "min", "absmax", "mul", "logsumexp")
            across = [coda.reduce(v, kind) for kind in kinds]
            down = [coda.reduce(v, kind, "rows") for kind in kinds]
            return (*across, *down)

        found = run(reductions, dynamic=dynamic, out_dtype=None)
        for i, lines in enumerate((P, list(zip(*P)))):
            for j, f in enumerate((
                sum, max, min, lambda v: max(map(abs, v)), math.prod,
                lambda v: math.log(sum(map(math.exp, v))),
            )):  # fmt: skip
                on_cpu.check(found[6 * i + j], [f(line) for line in lines])

    @both
    def test_groups(self, dynamic):
        # RMSNorm of heads of 4 columns; 3 does not divide 16.
        def heads(v):
            square = coda.reduce(v * v, group=4)
            return (
                v * coda.rsqrt(coda.repeat(square, 4) / 4 + 1e-5),
                square,
                coda.reduce(v, "max", group=3),
                coda.reduce(v, "add", "rows", group=4),
            )

        y, square, most, down = run(heads, dynamic=dynamic)
        sums = [
            [sum(x * x for x in row[j : j + 4]) for j in range(0, N, 4)] for row in P
        ]
        on_cpu.check(square, sums)
        on_cpu.check(
            y,
            [
                [x / math.sqrt(s[j // 4] / 4 + 1e-5) for j, x in enumerate(row)]
                for row, s in zip(P, sums)
            ],
        )
        on_cpu.check(most, [[max(r[j : j + 3]) for j in range(0, N, 3)] for r in P])
        on_cpu.check(
            down, [[sum(c[i : i + 4]) for c in zip(*P)] for i in range(0, M, 4)]
        )

    @both
    def test_back_in_the_matrix(self, dynamic):
        # Not in one kernel, but the same numbers.
        def softmax(v):
            e = coda.exp(v - coda.reduce(v, "max"))
            return e / coda.reduce(e), v + coda.reduce(v, "min", "rows")

        y, z = run(softmax, dynamic=dynamic)
        rows = [[math.exp(x - max(row)) for x in row] for row in P]
        on_cpu.check(y, [[x / sum(row) for x in row] for row in rows])
        least = [min(column) for column in zip(*P)]
        on_cpu.check(z, [[x + low for x, low in zip(row, least)] for row in P])

    def test_of_vectors(self):
        # What is the same in each column counts once for each of them.
        def sums(v, column, row):
            return coda.reduce(column), coda.reduce(row, along="rows"), coda.reduce(row)

        column, row = [[float(i)] for i in range(M)], [float(j) for j in range(N)]
        a, b, c = run(sums, column, row)
        on_cpu.check(a, [N * v[0] for v in column])
        on_cpu.check(b, [M * v for v in row])
        on_cpu.check(c, [sum(row)] * M)


class Pairs(unittest.TestCase):
    @both
    def test_neighbours(self, dynamic):
        # An interleaved gate and up projection: half of the columns.
        def swiglu(v):
            gate, up = coda.unpair(v)
            return coda.silu(gate) * up

        (y,) = run(swiglu, dynamic=dynamic)
        on_cpu.check(
            y,
            [
                [r[j] / (1 + math.exp(-r[j])) * r[j + 1] for j in range(0, N, 2)]
                for r in P
            ],
        )

    @both
    def test_rotary(self, dynamic):
        # Heads of 8 columns; sequences of 3 rows, two of them.
        def rotary(v, cos, sin):
            first, second = coda.unpair(v, 4)
            c, s = coda.cyclic(cos, first), coda.cyclic(sin, first)
            return coda.pair(first * c - second * s, second * c + first * s, 4)

        cos, sin = on_cpu.matrix(3, 4, 4), on_cpu.matrix(3, 4, 5)
        (y,) = run(rotary, cos, sin, dynamic=dynamic)
        expected = []
        for i, row in enumerate(P):
            c, s, out = cos[i % 3], sin[i % 3], list(row)
            for head in (0, 8):
                for j in range(4):
                    a, b = row[head + j], row[head + j + 4]
                    out[head + j] = a * c[j] - b * s[j]
                    out[head + j + 4] = b * c[j] + a * s[j]
            expected.append(out)
        on_cpu.check(y, expected)

    @both
    def test_strides(self, dynamic):
        def swap(v, row):
            first, second = coda.unpair(v, 2)
            return coda.pair(second, first, 2), coda.pair(first, row, 2), second

        row = [[float(i)] for i in range(M)]
        swapped, half, second = run(swap, row, dynamic=dynamic)
        on_cpu.check(swapped, [[r[j ^ 2] for j in range(N)] for r in P])
        on_cpu.check(
            half,
            [[row[i][0] if j & 2 else r[j] for j in range(N)] for i, r in enumerate(P)],
        )
        on_cpu.check(second, [[r[j] for j in range(N) if j & 2] for r in P])


class Columns(unittest.TestCase):
    @both
    def test_select(self, dynamic):
        # The loss of a row of logits; a target may be out of range.
        def loss(v, target):
            return coda.reduce(v, "logsumexp") - coda.select_column(v, target)

        target = [3, 0, 15, 16, -1, 7]
        (y,) = run(loss, [[t] for t in target], operand_types=["i64"], dynamic=dynamic)
        on_cpu.check(
            y,
            [
                math.log(sum(map(math.exp, row))) - (row[t] if 0 <= t < N else 0)
                for row, t in zip(P, target)
            ],
        )

    def test_select_in_i32(self):
        def chosen(v, target):
            return coda.select_column(v, target), coda.select_column(v, 2)

        column = [[5]] * M
        a, b = run(chosen, column, operand_types=["i32"], out_dtype=None)
        on_cpu.check(a, [row[5] for row in P])
        on_cpu.check(b, [row[2] for row in P])

    @both
    def test_numbers(self, dynamic):
        def masked(v):
            return coda.where(coda.columns() > coda.rows(), -1.0, v)

        (y,) = run(masked, dynamic=dynamic)
        on_cpu.check(
            y,
            [[-1.0 if j > i else x for j, x in enumerate(r)] for i, r in enumerate(P)],
        )


class Operands(unittest.TestCase):
    @both
    def test_scale_of_heads(self, dynamic):
        def scaled(v, scale, table):
            return v * coda.repeat(scale, 4) + coda.cyclic(table, v)

        scale, table = on_cpu.matrix(M, 4, 6), on_cpu.matrix(1, 8, 7)[0]
        (y,) = run(scaled, scale, table, dynamic=dynamic)
        on_cpu.check(
            y,
            [
                [x * scale[i][j // 4] + table[j % 8] for j, x in enumerate(row)]
                for i, row in enumerate(P)
            ],
        )

    def test_used_twice(self):
        def twice(v, table):
            return v + coda.cyclic(table, v) * coda.cyclic(table, v)

        table = on_cpu.matrix(1, 8, 7)[0]
        (y,) = run(twice, table)
        on_cpu.check(y, [[x + table[j % 8] ** 2 for j, x in enumerate(r)] for r in P])

    def test_two_products(self):
        def gated(gate, up):
            return coda.relu(gate) * up, coda.reduce(up)

        y, s = run(gated, sides=(W, W2))
        q = on_cpu.product(X, W2)
        on_cpu.check(y, [[max(a, 0) * b for a, b in zip(r, t)] for r, t in zip(P, q)])
        on_cpu.check(s, [sum(r) for r in q])


class Refusals(unittest.TestCase):
    def refuse(self, message, epilogue, *operands, **named):
        x, w = coda.Spec("bf16", (300, 64)), coda.Spec("bf16", (64, 128))
        with self.assertRaises(coda.ArgumentError) as caught:
            on_cpu.trace((x, w, *operands), epilogue, **named)
        self.assertIn(message, str(caught.exception))

    def test_sizes(self):
        self.refuse("add", lambda v: v + coda.unpair(v)[0])
        self.refuse("combines tiles of n and n / 2 columns; coda.repeat and coda.pair",
                    lambda v: v * coda.unpair(v)[0])  # fmt: skip
        self.refuse("combines tiles of m and m / 8 rows",
                    lambda v: v * coda.reduce(v, along="rows", group=8))  # fmt: skip

    def test_numbers(self):
        for bad in (0, -1, 2.0, True, None, "2"):
            self.refuse("repeat: count must be a positive number",
                        lambda v: coda.repeat(v, bad))  # fmt: skip
            self.refuse("unpair: stride must be", lambda v: coda.unpair(v, bad)[0])
            self.refuse("pair: stride must be", lambda v: coda.pair(v, v, bad))
            if bad is not None:
                self.refuse(
                    "reduce: group must be", lambda v: coda.reduce(v, group=bad)
                )
        self.refuse("unpair: twice the stride must divide the 128 columns, but the "
                    "stride is 24", lambda v: coda.unpair(v, 24)[0])  # fmt: skip
        self.refuse("pair: twice the stride must divide the 128 columns",
                    lambda v: coda.pair(*coda.unpair(v, 2), 48))  # fmt: skip

    def test_repeat(self):
        self.refuse("repeat: the value must have one column for every 8 columns, but has "
                    "n / 1 columns", lambda v: coda.repeat(v, 8))  # fmt: skip
        self.refuse("but has n / 4 columns",
                    lambda v: coda.repeat(coda.reduce(v, group=4), 8))  # fmt: skip
        self.refuse("but has one column", lambda v: coda.repeat(coda.reduce(v), 8))

    def test_pair(self):
        self.refuse("must have half of the columns, but have all n columns",
                    lambda v: coda.pair(v, v))  # fmt: skip
        self.refuse("but have one column", lambda v: coda.pair(1.0, 2.0))
        self.refuse("unpair: the value must have columns of its own",
                    lambda v: coda.unpair(coda.reduce(v))[0])  # fmt: skip

    def test_select(self):
        self.refuse("index must be one for each row, [m, 1], but differs between columns",
                    lambda v: coda.select_column(v, coda.columns()))  # fmt: skip
        self.refuse("index must be integers, but is f32",
                    lambda v: coda.select_column(v, 1.0))  # fmt: skip

    def test_operands(self):
        table = coda.Spec("f32", (8,))
        self.refuse("t: shape must broadcast to (300, 128), but is (8,); coda.cyclic and",
                    lambda v, t: v + t, table)  # fmt: skip
        self.refuse("t: shape must broadcast", lambda v, t: t, table)
        self.refuse("t: shape must broadcast", lambda v, t: v, table)
        self.refuse("cyclic: expected an operand",
                    lambda v, t: coda.cyclic(v + 1, v), table)  # fmt: skip
        self.refuse("cyclic: like must be an expression, but is int",
                    lambda v, t: coda.cyclic(t, 3), table)  # fmt: skip
        self.refuse("t: with groups of 4 columns, shape must broadcast to (300, 32), but "
                    "is (8,)", lambda v, t: v + coda.repeat(t, 4), table)  # fmt: skip
        self.refuse("t: a cyclic operand must have from 1 to 128 columns",
                    lambda v, t: v + coda.cyclic(t, v), coda.Spec("f32", (130,)))  # fmt: skip
        self.refuse("t: it is taken as [cyclic n] and as [n / 16]; pass it twice",
                    lambda v, t: coda.cyclic(t, v) + coda.repeat(t, 16), table)  # fmt: skip
        self.refuse("the operand has n columns, but like has n / 2",
                    lambda v, t: coda.cyclic(t, coda.unpair(v)[0]),
                    coda.Spec("f32", (128,)))  # fmt: skip


class Kernels(unittest.TestCase):
    """What one kernel does, and what is computed after it."""

    def build(self, epilogue, *operands):
        x, w = coda.Spec("bf16", (300, 64)), coda.Spec("bf16", (64, 512))
        kernel = coda.build_gemm(x, w, *operands, epilogue=epilogue)
        return [str(r) for r in kernel.module.remarks if r.name == "not-in-tile"]

    def test_heads(self):
        # The norm of each head of 128 columns, and rotary embedding, in a tile.
        def head(v, weight, cos, sin):
            square = coda.repeat(coda.reduce(v * v, group=128), 128)
            v = v * coda.rsqrt(square / 128 + 1e-6) * coda.cyclic(weight, v)
            first, second = coda.unpair(v, 64)
            c, s = coda.cyclic(cos, first), coda.cyclic(sin, first)
            return coda.pair(first * c - second * s, second * c + first * s, 64)

        tables = [coda.Spec("f32", (100, 64))] * 2
        self.assertEqual(self.build(head, coda.Spec("bf16", (128,)), *tables), [])

    def test_after(self):
        def softmax(v):
            return coda.exp(v) / coda.reduce(coda.exp(v))

        (remark,) = self.build(softmax)
        self.assertIn("this epilogue is computed after the product", remark)


unittest.main(verbosity=0)
