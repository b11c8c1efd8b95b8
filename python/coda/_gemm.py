"""coda.gemm: products with an epilogue, compiled for the arrays that it is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _emit, _launch
from ._compile import Compiled, Options, compile
from ._dtypes import dtype_name, is_float
from ._errors import ArgumentError
from ._epilogue import Expr, _convert, epilogue as make_epilogue
from ._operands import Loose, check_matrices, inspect, matrix, operand, settle
from .runtime import Function


@dataclass(frozen=True)
class Schedule:
    """How the product is mapped to a kernel, as `#coda.schedule` of the reference
    says. Refused with a reason where it does not fit."""

    kernel: str
    tile_m: int
    tile_n: int
    tile_k: int
    cluster: int = 1
    stages: int = 1
    raster: int = 8
    store_buffers: int = 2

    def text(self) -> str:
        if self.kernel not in ("cooperative", "pingpong", "simple"):
            raise ArgumentError(
                "schedule: kernel must be cooperative, pingpong or simple, but is "
                f"{self.kernel!r}"
            )
        for name, value in list(vars(self).items())[1:]:
            if type(value) is not int or not 0 < value < 1 << 31:
                raise ArgumentError(
                    f"schedule: {name} must be a positive number, but is {value!r}"
                )
        fields = ", ".join(f"{name} = {value}" for name, value in vars(self).items())
        return f"<{fields}>"


def _accumulator(dtype: str) -> str:
    return dtype if dtype == "f64" else "f32" if is_float(dtype) else "i32"


class Kernel(Function):
    """A compiled coda.gemm; call it with the arrays, in the order of coda.gemm.

    `module` is the coda.Compiled behind it: its text, PTX, remarks and the IR of
    each level.
    """

    module: Compiled

    def __repr__(self) -> str:
        return f"<coda kernel {super().__repr__()}>"


def _check_options(dynamic: Any, schedule: Any, options: Any) -> None:
    if not isinstance(dynamic, str) or set(dynamic) - set("mnk"):
        raise ArgumentError(f'dynamic: must be made of "mnk", but is {dynamic!r}')
    for name, value, kind in (
        ("schedule", schedule, Schedule), ("options", options, Options),
    ):  # fmt: skip
        if value is not None and not isinstance(value, kind):
            raise ArgumentError(
                f"{name}: expected a coda.{kind.__name__}, but got "
                f"{type(value).__name__}"
            )


def _safe(name: str) -> str:
    return re.sub(r"\W", "_", name, flags=re.ASCII) or "gemm"


def build_gemm(
    x: Any,
    rhs: Any,
    *operands: Any,
    epilogue: Callable[..., Any] | None = None,
    out_dtype: Any = None,
    dynamic: str = "m",
    schedule: Schedule | None = None,
    options: Options | None = None,
) -> Kernel:
    """Compiles what coda.gemm would run, and gives the kernel.

    As coda.gemm, but an array may be a coda.Spec, and there is no GPU needed.
    """
    sides = tuple(rhs) if isinstance(rhs, (tuple, list)) else (rhs,)
    if not sides:
        raise ArgumentError("rhs: at least 1 right-hand side is needed")
    _check_options(dynamic, schedule, options)
    wrapped = make_epilogue(epilogue) if epilogue is not None else None
    names = [f"rhs{i}" if len(sides) > 1 else "rhs" for i in range(len(sides))]
    parameters = wrapped.parameters if wrapped else ()
    if wrapped is None and operands:
        raise ArgumentError(f"{len(operands)} operands, but no epilogue that uses them")
    if wrapped is not None and len(parameters) != len(sides) + len(operands):
        raise ArgumentError(
            f"epilogue '{wrapped.name}' takes {len(parameters)} values, but there are "
            f"{len(sides)} products and {len(operands)} operands"
        )
    extra = [_safe(name) for name in parameters[len(sides) :]]
    for i, name in enumerate(extra):
        if name in ("x", *names) or name in extra[:i]:
            extra[i] = f"operand{i}_{name}"

    left = inspect(x, "x")
    rights = [inspect(w, name) for w, name in zip(sides, names)]
    check_matrices(left, rights, names)
    m, n = left.shape[0], rights[0].shape[1]
    matrices = [matrix("x", left, "mk", dynamic)]
    matrices += [matrix(a, w, "kn", dynamic) for a, w in zip(names, rights)]
    further = [
        operand(name, inspect(given, name), m, n, dynamic, i)
        for i, (name, given) in enumerate(zip(extra, operands))
    ]

    accumulator = _accumulator(left.dtype)
    leaves = [
        Expr("acc", accumulator, value=i, rows=1, columns=1) for i in range(len(sides))
    ]
    for i, (value, _) in enumerate(further):
        if isinstance(value, Loose):
            leaves.append(Expr("loose", value.array.dtype, value=value))
        else:
            rows, columns = value.extents
            leaves.append(Expr("operand", value.dtype, (), i, rows, columns))
    roots = wrapped.trace(tuple(leaves)) if wrapped else tuple(leaves)
    wanted = (
        out_dtype if isinstance(out_dtype, (tuple, list)) else [out_dtype] * len(roots)
    )
    if len(wanted) != len(roots):
        raise ArgumentError(
            f"out_dtype: {len(wanted)} types, but there are {len(roots)} results"
        )
    results = []
    for root, dtype in zip(roots, wanted):
        explicit = root.op == "cast"
        while root.op == "cast":
            root = root.args[0]
        if dtype is not None:
            root = _convert(root, dtype_name(dtype, "out_dtype"))
        elif (
            not explicit
            and _emit.is_matrix(root)  # what is reduced is not to be rounded
            and root.dtype == accumulator
            and is_float(accumulator)
        ):
            # Of 8 bits there is too little of it for a default.
            root = _convert(root, "bf16" if left.dtype.startswith("f8") else left.dtype)
        results.append(root)
    arguments = matrices + [settle(value, layout) for value, layout in further]
    values = [value for value, _ in arguments]
    name = _safe(wrapped.name) if wrapped else "gemm"
    program = _emit.Program(
        name,
        values[0],
        tuple(values[1 : 1 + len(sides)]),
        tuple(values[1 + len(sides) :]),
        tuple(results),
        tuple(root.dtype for root in results),
        accumulator,
        None if "m" in dynamic else m,
        None if "n" in dynamic else n,
        schedule.text() if schedule else "",
    )
    _emit.check(program, n)
    module = compile(_emit.emit(program), options)
    layouts = tuple(layout for _, layout in arguments)
    kernel = module._make(Kernel, name, layouts)
    kernel.module = module
    return kernel


_kernels: dict[tuple[Any, ...], Any] = {}
_MAX_KERNELS = 4096
_dispatch = _launch.dispatch


def _bind(
    epilogue: Any, sides: int, operands: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """The operands in the order of the epilogue's parameters."""
    if epilogue is None:
        raise ArgumentError(f"operand {next(iter(named))!r}: there is no epilogue")
    names = make_epilogue(epilogue).parameters[sides + len(operands) :]
    for name in named:
        if name not in names:
            raise ArgumentError(
                f"operand {name!r}: the epilogue has no such parameter left; it has "
                f"{', '.join(names) or 'none'}"
            )
    missing = [name for name in names if name not in named]
    if missing:
        raise ArgumentError(f"operand {missing[0]!r} is missing")
    return operands + tuple(named[name] for name in names)


def gemm(
    x: Any,
    rhs: Any,
    *operands: Any,
    epilogue: Callable[..., Any] | None = None,
    out: Any = None,
    out_dtype: Any = None,
    stream: Any = None,
    dynamic: str = "m",
    schedule: Schedule | None = None,
    options: Options | None = None,
    **named: Any,
) -> Any:
    """epilogue(x @ rhs, operands...) in one kernel.

    `x`: [m, k], or [..., k] where the leading dimensions can be viewed as one.
    `rhs`: [k, n], or several of one shape: the epilogue then has a product of each.
    For the weight of a torch.nn.Linear, `w.T`. Types bf16, f16, f32, f64, f8E4M3FN,
    f8E5M2 or i8, one for both sides or two 8-bit floats; sums are in f32 (f64, i32).
    `operands`: what the epilogue takes after the products, by position or by its
    parameter's name: arrays that broadcast to [m, n] as NumPy has it ([n] is a row
    vector, [m, 1] a column vector), or numbers, which may change from call to call.
    `epilogue`: a function of elements, see coda.epilogue; by default the product is
    the result.
    `out`: an array to write, or a tuple. `out_dtype`: the type of the result, or a
    tuple; by default that of `x`, or what the epilogue casts to.
    `stream`: by default the current one of `x`'s library.
    `dynamic`: sizes that the kernel takes as they come, of "m", "n" and "k"; for the
    others it is compiled. `schedule`, `options`: see coda.Schedule, coda.Options.

    The first call with arrays of new types, weight sizes or storage compiles, or
    loads from the cache on disk. Raises ArgumentError, which names the argument, and
    CompileError.
    """
    if named:
        products = len(rhs) if isinstance(rhs, (tuple, list)) else 1
        operands = _bind(epilogue, products, operands, named)
    result = _dispatch(
        _kernels, x, rhs, operands, epilogue, out_dtype, dynamic, schedule, options,
        stream, out,
    )  # fmt: skip
    if result is not NotImplemented:
        return result
    _check_options(dynamic, schedule, options)
    sides = tuple(rhs) if isinstance(rhs, (tuple, list)) else (rhs,)
    if isinstance(out_dtype, list):
        out_dtype = tuple(out_dtype)
    try:
        key = _launch.key(
            x, sides, operands, epilogue, out_dtype, dynamic, schedule, options
        )
    except Exception:  # said with the argument's name below
        key = None
    if key is None and getattr(x, "ndim", len(getattr(x, "shape", ()))) > 2:
        return _gemm_of_more(
            x, sides, operands, out, epilogue=epilogue, out_dtype=out_dtype,
            stream=stream, dynamic=dynamic, schedule=schedule, options=options,
        )  # fmt: skip
    try:
        kernel = _kernels.get(key) if key is not None else None
    except TypeError:  # not hashable: an epilogue, or what is no type
        key = kernel = None
    if kernel is None:
        kernel = build_gemm(
            x, sides, *operands, epilogue=epilogue, out_dtype=out_dtype,
            dynamic=dynamic, schedule=schedule, options=options,
        )  # fmt: skip
        if key is not None:
            if len(_kernels) >= _MAX_KERNELS:
                _kernels.clear()
            _kernels[key] = kernel
    return kernel(x, *sides, *operands, stream=stream, out=out)


def _gemm_of_more(
    x: Any, sides: tuple[Any, ...], operands: tuple[Any, ...], out: Any, **named: Any
) -> Any:
    """With the leading dimensions of `x` as one."""
    lead = tuple(x.shape[:-1])

    def flatten(array: Any) -> Any:
        shape = tuple(getattr(array, "shape", ()))
        if len(shape) <= 2 and shape[:-1] != lead:
            return array
        if shape[:-1] != lead:
            raise ArgumentError(
                f"operands: leading sizes must be {lead} as x's, but are {shape[:-1]}"
            )
        return array.reshape(-1, shape[-1])

    def restore(array: Any) -> Any:
        return array.reshape(*lead, array.shape[-1])

    if out is not None:
        given = out if isinstance(out, (tuple, list)) else (out,)
        flat = tuple(None if o is None else flatten(o) for o in given)
        for whole, view in zip(given, flat):
            if whole is not None and (
                _launch.describe(view)[1:] != _launch.describe(flatten(whole))[1:]
            ):
                raise ArgumentError("out: its leading dimensions are no view as one")
    else:
        flat = None
    result = gemm(flatten(x), sides, *map(flatten, operands), out=flat, **named)
    if out is not None:
        return out
    return tuple(map(restore, result)) if isinstance(result, tuple) else restore(result)
