"""Results from what torch's own generated code allocates with, where it does what
is expected of it, and from DLPack's table elsewhere. A map that is known from the
last call is not encoded again.

RUN: %python %s %S/../Runtime/Inputs fast > %t && FileCheck %s --check-prefix=FAST < %t
RUN: %python %s %S/../Runtime/Inputs absent > %t && FileCheck %s --check-prefix=TABLE < %t
RUN: %python %s %S/../Runtime/Inputs raises > %t && FileCheck %s --check-prefix=TABLE < %t
RUN: %python %s %S/../Runtime/Inputs type > %t && FileCheck %s --check-prefix=TABLE < %t
RUN: %python %s %S/../Runtime/Inputs device > %t && FileCheck %s --check-prefix=TABLE < %t
RUN: %python %s %S/../Runtime/Inputs moves > %t && FileCheck %s --check-prefix=TABLE < %t
RUN: %python %s %S/../Runtime/Inputs full > %t && FileCheck %s --check-prefix=FULL < %t
"""

import pathlib
import sys
import types

import torch
from coda import runtime

folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
asked = []


def allocate(shape, strides, dtype):
    asked.append((shape, strides, repr(dtype)))
    trial = shape == (0, 3)
    if kind == "raises":
        raise RuntimeError("takes four arguments now")
    if kind == "full" and not trial:
        raise MemoryError("the fake GPU is full")
    if kind == "type":
        dtype = torch.float16
    other = kind == "device" or (kind == "moves" and not trial)
    return torch.empty_strided(shape, strides, dtype, "cuda:1" if other else "cuda:0")


if kind != "absent":
    guards = types.SimpleNamespace(_empty_strided_cuda=allocate)
    torch._C = types.SimpleNamespace(_dynamo=types.SimpleNamespace(guards=guards))

module = runtime.load(folder / "plan.json", folder / "plan.image")
x = torch.empty(300, 64, dtype=torch.bfloat16, device="cuda")
w = torch.empty(32, 64, dtype=torch.bfloat16, device="cuda")
# FULL: MemoryError: the fake GPU is full
try:
    for _ in range(2):
        before = torch._fake_arrays.allocated()
        y = module.linear(x, w, 1.0, 3, 1.0)
        assert type(y) is torch.Tensor
        assert (y.shape, y.dtype) == ((300, 32), torch.bfloat16)
        assert y.device == "cuda:0"
        # FAST: table: 0
        # TABLE: table: 1
        print("table:", torch._fake_arrays.allocated() - before)
        del y
except MemoryError as error:
    print("MemoryError:", error)
# FAST: asked: [((0, 3), (3, 1), 'torch.float32'), ((300, 32), (32, 1), 'torch.bfloat16'), ((300, 32), (32, 1), 'torch.bfloat16')]
print("asked:", asked)
if kind == "fast":
    # FAST: launch gemm {{.*}} map#0
    # FAST: launch gemm {{.*}} map#0
    # FAST: launch gemm {{.*}} map#1
    module.linear(x[:100], w, 1.0, 3, 1.0)
