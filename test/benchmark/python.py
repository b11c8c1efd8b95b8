#!/usr/bin/env python3
"""Times Coda from Python: the way to the first result, and what a call costs.

    python.py prepare BUILD BUNDLE   # needs LLVM, no GPU; prints the cold times
    python.py measure BUNDLE         # needs a GPU and torch, no LLVM

`prepare` makes the package (python/bundle.py), a cache with the kernels, and
recorder.so, and times a compilation from `import coda` to PTX in new processes.
`measure` prints a table. A launch's own time is that of the very launches of a
call, repeated in a loop in C through cuLaunchKernelEx; the overhead is what a call
takes beyond that. Calls are timed in batches that fit the driver's queue, and a
figure is the median of the batches.
"""

import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import time

SHAPE = 256, 512, 512  # m, n, k: a few microseconds on the GPU
BATCH, BATCHES = 200, 50

DEFINITIONS = """
import coda

@coda.epilogue
def linear(acc, bias):
    return coda.gelu(acc + bias)

@coda.epilogue
def swiglu(gate, up):
    return coda.silu(gate) * up
"""


def prepare(build, bundle):
    root = pathlib.Path(__file__).resolve().parents[2]
    subprocess.run(
        [sys.executable, root / "python/bundle.py", build, bundle], check=True
    )
    compiler = os.environ.get("CC", "clang-22")
    source = pathlib.Path(__file__).parent / "Inputs" / "recorder.c"
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", source, "-o", bundle / "recorder.so"],
        check=True,
    )
    m, n, k = SHAPE
    code = f"""
import time
start = time.perf_counter()
{DEFINITIONS}
x, w = coda.Spec("bf16", ({m}, {k})), coda.Spec("bf16", ({k}, {n}))
coda.build_gemm(x, (w, w), epilogue=swiglu)
first = time.perf_counter()
coda.build_gemm(x, w, coda.Spec("bf16", ({n},)), epilogue=linear)
coda.build_gemm(x, w)
print(first - start)
"""

    def run(cache):
        environment = {
            **os.environ,
            "CODA_CACHE_DIR": str(cache),
            "PYTHONPATH": str(pathlib.Path(build).resolve() / "python"),
        }
        return float(
            subprocess.check_output([sys.executable, "-c", code], env=environment)
        )

    cold = []
    for _ in range(5):
        subprocess.run(["rm", "-rf", bundle / "cache"], check=True)
        cold.append(run(bundle / "cache"))
    warm = [run(bundle / "cache") for _ in range(5)]
    print(
        f"import coda to PTX, compiled:       {statistics.median(cold) * 1e3:8.1f} ms"
    )
    print(
        f"import coda to PTX, from the cache: {statistics.median(warm) * 1e3:8.1f} ms"
    )


FIRST = f"""
import os, time
import torch
m, n, k = {SHAPE}
x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
a, b = (torch.randn(k, n, device="cuda", dtype=torch.bfloat16) / k**0.5 for _ in range(2))
torch.cuda.synchronize()
start = time.perf_counter()
{DEFINITIONS}
imported = time.perf_counter()
y = coda.gemm(x, rhs=(a, b), epilogue=swiglu)
torch.cuda.synchronize()
end = time.perf_counter()
exact = torch.nn.functional.silu(x.float() @ a.float()) * (x.float() @ b.float())
assert (y.float() - exact).abs().max() < 0.1, "wrong"
print(imported - start, end - start)
"""


def time_first(bundle, driver_cache):
    """Import alone and the way to the first result, in a new process."""
    environment = {
        **os.environ,
        "CODA_CACHE_DIR": str(bundle / "cache"),
        "CODA_COMPILER_LIBRARY": "",
        "CUDA_CACHE_PATH": str(driver_cache),
        "PYTHONPATH": str(bundle),
    }
    out = subprocess.check_output([sys.executable, "-c", FIRST], env=environment)
    return tuple(map(float, out.split()))


def time_calls(call, synchronize):
    for _ in range(2 * BATCH):
        call()
    synchronize()
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(BATCH):
            call()
        times.append((time.perf_counter() - start) / BATCH)
        synchronize()
    return statistics.median(times)


def measure(bundle):
    bundle = bundle.resolve()
    os.environ["CODA_CACHE_DIR"] = str(bundle / "cache")
    os.environ["CODA_COMPILER_LIBRARY"] = ""
    os.environ["CODA_DRIVER"] = str(bundle / "recorder.so")
    sys.path.insert(0, str(bundle))
    import torch

    scope = {}
    exec(DEFINITIONS, scope)
    coda = scope["coda"]
    recorder = ctypes.CDLL(str(bundle / "recorder.so"))
    recorder.recorder_replay.restype = ctypes.c_double
    m, n, k = SHAPE
    options = dict(device="cuda", dtype=torch.bfloat16)
    x, w, w2 = (torch.randn(*s, **options) for s in ((m, k), (k, n), (k, n)))
    bias, out = torch.randn(n, **options), torch.empty(m, n, **options)
    synchronize = torch.cuda.synchronize

    def measure_launch(call):
        call()
        synchronize()
        recorder.recorder_start()
        call()
        launches = recorder.recorder_stop()
        times = []
        for _ in range(BATCHES):
            times.append(recorder.recorder_replay(BATCH))
            synchronize()
        return launches, statistics.median(times)

    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    print(
        f"{name}, torch {torch.__version__}, Python {sys.version.split()[0]}, m n k = {m} {n} {k}"
    )
    print(
        f"{'call':44s} {'launches':>8s} {'call us':>8s} {'driver us':>9s} {'overhead us':>11s}"
    )
    plain = coda.build_gemm(x, w)
    fused = coda.build_gemm(x, w, bias, epilogue=scope["linear"])
    dual = coda.build_gemm(x, (w, w2), epilogue=scope["swiglu"])
    linear, swiglu = scope["linear"], scope["swiglu"]
    for title, call in (
        ("kernel.raw(x, w, out=out)", lambda: plain.raw(x, w, out=out)),
        ("kernel(x, w, out=out)", lambda: plain(x, w, out=out)),
        ("kernel(x, w)", lambda: plain(x, w)),
        ("kernel(x, w, bias)", lambda: fused(x, w, bias)),
        ("kernel(x, w, w2)", lambda: dual(x, w, w2)),
        ("gemm(x, w)", lambda: coda.gemm(x, w)),
        (
            "gemm(x, w, bias, epilogue=linear)",
            lambda: coda.gemm(x, w, bias, epilogue=linear),
        ),
        (
            "gemm(x, rhs=(w, w2), epilogue=swiglu)",
            lambda: coda.gemm(x, rhs=(w, w2), epilogue=swiglu),
        ),
    ):
        launches, driver = measure_launch(call)
        whole = time_calls(call, synchronize)
        print(
            f"{title:44s} {launches:8d} {whole * 1e6:8.2f} {driver * 1e6:9.2f} {(whole - driver) * 1e6:11.2f}"
        )
    for title, call in (
        ("torch.matmul(x, w, out=out)", lambda: torch.matmul(x, w, out=out)),
        ("torch.matmul(x, w)", lambda: torch.matmul(x, w)),
    ):
        print(f"{title:44s} {'':8s} {time_calls(call, synchronize) * 1e6:8.2f}")
    if not torch.cuda.is_available():
        return
    cache = bundle / "driver-cache"
    subprocess.run(["rm", "-rf", cache], check=True)
    first = time_first(bundle, cache)
    again = [time_first(bundle, cache) for _ in range(5)]
    print(f"import coda: {statistics.median(t[0] for t in again) * 1e3:.1f} ms")
    print(
        f"import coda to the first result, from the cache: "
        f"{statistics.median(t[1] for t in again) * 1e3:.1f} ms; with an empty cache of "
        f"the driver's own, which assembles the PTX: {first[1] * 1e3:.1f} ms"
    )


def main():
    command, *paths = sys.argv[1:] or [""]
    if command == "prepare" and len(paths) == 2:
        prepare(pathlib.Path(paths[0]), pathlib.Path(paths[1]))
    elif command == "measure" and len(paths) == 1:
        measure(pathlib.Path(paths[0]))
    else:
        sys.exit(__doc__)


main()
