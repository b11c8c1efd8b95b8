"""Imports coda from under the given folder, and calls what there is."""

import os
import pathlib
import sys
import time

start = time.perf_counter()
import coda  # noqa: E402

assert time.perf_counter() - start < 0.5
heavy = {"ctypes", "json", "torch", "numpy", "coda._launch"} & set(sys.modules)
assert not heavy, f"import coda brings {heavy}"

import torch  # noqa: E402

folder = pathlib.Path(sys.argv[1]).resolve()
assert folder in pathlib.Path(coda.__file__).resolve().parents, coda.__file__
assert coda.runtime.version() == coda.__version__
missing = [name for name in coda.__all__ if not hasattr(coda, name)]
assert not missing, missing

x = torch.empty(100, 64, dtype=torch.bfloat16, device="cuda")
w = torch.empty(64, 128, dtype=torch.bfloat16, device="cuda")


@coda.epilogue
def scaled(acc):
    return acc * 0.5


if os.environ.get("CODA_COMPILER_LIBRARY") != "":
    assert coda.build_gemm(x, w, epilogue=scaled)(x, w).shape == (100, 128)
    coda.build_gemm(x, w).module.save(folder / "gemm.coda")
else:
    module = coda.load(folder.parent / "gemm.coda")
    assert module.gemm(x, w).shape == (100, 128)
    try:
        coda.compile("")
    except coda.Error as error:
        assert "is not installed" in str(error), error
    else:
        raise AssertionError("there should be no compiler")
