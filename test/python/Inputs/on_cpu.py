"""Runs a coda.gemm with an epilogue on the CPU, and compares it with Python.

The text that coda.build_gemm makes is called by a function in which the arrays are
constants, and coda-runner prints what that returns.
"""

import math
import re
import subprocess
import tempfile

import coda
from coda import _gemm

RUNNER = None  # the path of coda-runner


class _Text(Exception):
    """Instead of a compilation."""


def _stop(text, options):
    raise _Text(text)


def trace(shapes, epilogue, **named):
    """The text of a product of Specs."""
    compile, _gemm.compile = _gemm.compile, _stop
    try:
        coda.build_gemm(*shapes, epilogue=epilogue, **named)
    except _Text as text:
        return str(text)
    finally:
        _gemm.compile = compile
    raise AssertionError("nothing was compiled")


def matrix(rows, columns, seed=0):
    """Multiples of 1/8, so that sums and products are exact."""
    state = seed * 7919 + 12345
    out = []
    for _ in range(rows):
        row = []
        for _ in range(columns):
            state = (state * 1103515245 + 12345) % (1 << 31)
            row.append(((state >> 16) % 17 - 8) / 8)
        out.append(row)
    return out


def product(a, b):
    return [
        [sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a
    ]


def _literal(value):
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value) if isinstance(value, int) else f"{value:.9e}"


def _shape(value):
    return (len(value), *_shape(value[0])) if isinstance(value, list) else ()


def run(epilogue, x, sides, operands=(), operand_types=(), **named):
    """The results, each flat. `x` and `sides` are matrices of f32; `operands` lists or
    numbers, of f32 where `operand_types` names no other type."""
    types = list(operand_types) + ["f32"] * (len(operands) - len(operand_types))
    arrays = [x, *sides, *operands]
    kinds = ["f32"] * (1 + len(sides)) + types
    specs = [
        coda.Spec(kind, _shape(array)) if isinstance(array, list) else array
        for array, kind in zip(arrays, kinds)
    ]
    text = trace(
        (specs[0], tuple(specs[1 : 1 + len(sides)]), *specs[1 + len(sides) :]),
        epilogue, **named,
    )  # fmt: skip
    name, taken, gives = re.search(
        r"func\.func @(\w+)\((.*)\) -> \((.*)\) \{", text
    ).groups()
    taken = re.findall(r"%\S+: (\S+)", taken)
    lines, values = [], []
    for i, (array, kind, wanted) in enumerate(zip(arrays, kinds, taken)):
        full = f"tensor<{''.join(f'{s}x' for s in _shape(array))}{kind}>"
        if not isinstance(array, list):
            lines.append(f"  %c{i} = arith.constant {_literal(array)} : {wanted}")
            values.append(f"%c{i}")
            continue
        lines.append(f"  %c{i} = arith.constant dense<{_literal(array)}> : {full}")
        values.append(f"%c{i}")
        if wanted.count("x") != full.count("x"):  # without its sizes of 1
            part = wanted.replace("?", str(_shape(array)[0]))
            kept = [d for d, size in enumerate(_shape(array)) if size != 1]
            groups = _reassociate(len(_shape(array)), kept)
            lines.append(
                f"  %d{i} = tensor.collapse_shape %c{i} {groups} : {full} into {part}"
            )
            full, values[-1] = part, f"%d{i}"
        if full != wanted:
            lines.append(f"  %e{i} = tensor.cast {values[-1]} : {full} to {wanted}")
            values[-1] = f"%e{i}"
    results = gives.split(", ")
    count = len(results)
    call = f"  %r:{count} = call @{name}({', '.join(values)}) : "
    lines.append(f"{call}({', '.join(taken)}) -> ({gives})")
    names = ", ".join(f"%r#{i}" for i in range(count))
    main = "\n".join(
        [
            f"func.func @main() -> ({gives}) {{",
            *lines,
            f"  return {names} : {gives}",
            "}",
        ]
    )
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(main + "\n" + text)
        file.flush()
        process = subprocess.run(
            [RUNNER, file.name, "--function=main", "--backend=cpu", "--print"],
            capture_output=True, text=True,
        )  # fmt: skip
    if process.returncode:
        raise AssertionError(process.stderr + main + "\n" + text)
    found = re.findall(r"^result #\d+: .*? values \[(.*)\]$", process.stdout, re.M)
    return [[float(v) for v in values.split(", ") if v] for values in found]


def _reassociate(rank, kept):
    if not kept:
        return "[]"
    groups = [[] for _ in kept]
    for d in range(rank):
        position = max((i for i, k in enumerate(kept) if k <= d), default=0)
        groups[position].append(d)
    return str(groups)


def flatten(value):
    if isinstance(value, list):
        return [v for part in value for v in flatten(part)]
    return [value]


def check(found, expected, tolerance=1e-5):
    """Compares a result with a list of any shape."""
    expected = flatten(expected)
    assert len(found) == len(expected), (len(found), len(expected))
    for i, (a, b) in enumerate(zip(found, expected)):
        same = a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
        assert same, f"element {i}: {a}, but expected {b}"
