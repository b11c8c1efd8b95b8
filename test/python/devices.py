"""A module is loaded on each GPU that its arrays are on, and the current context
stays what it was.

RUN: env FAKE_DEVICES=2 %python %s %S/../Runtime/Inputs | FileCheck %s
"""

import pathlib
import sys

import torch
from coda import Error, runtime

folder = pathlib.Path(sys.argv[1])
texts = (folder / "plan.json").read_bytes(), (folder / "plan.image").read_bytes()
linear = runtime.Module(*texts).linear


def call(device):
    x = torch.empty(300, 64, dtype=torch.bfloat16, device=device)
    w = torch.empty(32, 64, dtype=torch.bfloat16, device=device)
    return linear(x, w, 1.0, 3, 1.0)


# Each is loaded once: the attributes of its kernels are set once.
# CHECK-COUNT-1: attribute 8 of gemm
# CHECK: launch gemm
# CHECK: launch finish
# CHECK-COUNT-1: attribute 8 of gemm
# CHECK: launch gemm
# CHECK-NOT: attribute 8
# CHECK: launch finish
# CHECK: launch gemm
# CHECK: launch finish
for device in ("cuda:0", "cuda:1", "cuda:0", "cuda:1"):
    assert call(device).device == device
try:
    call("cuda:2")
    raise AssertionError("there is no such device")
except Error as error:
    assert "there is no device 2: the driver has 2" in str(error), error
try:
    runtime.Module(*texts).load(5)
    raise AssertionError("there is no such device")
except Error as error:
    assert "there is no device 5" in str(error), error
