"""What the exporting scripts share: PyTorch modules to linalg with torch-mlir.

    pip install torch torch-mlir

Attention stays a call: it is a custom PyTorch operator, which becomes a call of
a private function before torch-mlir lowers the rest to linalg.
"""

import argparse
import re

import torch
from torch_mlir import fx
from torch_mlir.compiler_utils import run_pipeline_with_repro_report
from torch_mlir.ir import Module

BATCH, SEQUENCE = 2, 16

# torch-mlir's lowering, without the last pass, which refuses the call.
TO_LINALG = """builtin.module(
  func.func(torch-match-quantized-custom-ops),
  torchdynamo-export-to-torch-backend-pipeline,
  func.func(torch-restructure-non-constant-axes, torch-fuse-quantized-ops,
            convert-torch-to-tmtensor{allow-non-finites=true}, canonicalize,
            convert-torch-to-linalg{allow-non-finites=true}, canonicalize,
            convert-torch-to-scf, convert-torch-to-arith, convert-torch-to-tensor),
  convert-torch-conversion-to-mlprogram,
  func.func(memref-expand, canonicalize, resolve-shaped-type-result-dims, cse),
  torch-func-backend-type-conversion,
  func.func(canonicalize, torch-finalizing-backend-type-conversion))"""


@torch.library.custom_op("coda::attention", mutates_args=())
def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """[B, S, H, h] each, with fewer heads in k and v (grouped queries)."""
    return torch.empty_like(q)


@attention.register_fake
def _(q, k, v):
    return torch.empty_like(q)


def rotate_half(x):
    first, second = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-second, first), dim=-1)


def apply_rotary(q, k, cos, sin):
    """Hugging Face's apply_rotary_pos_emb: q, k are [B, H, S, h]."""
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def rms_norm(x, weight, eps=1e-5):
    """LlamaRMSNorm."""
    dtype = x.dtype
    x = x.to(torch.float32)
    variance = x.pow(2).mean(-1, keepdim=True)
    return weight * (x * torch.rsqrt(variance + eps)).to(dtype)


def call_attention(text):
    """The operator in torch-mlir's IR as a call of a private function."""
    pattern = (r'torch\.operator "torch\.coda\.attention"(\(.*?\)) : '
               r"(\(.*?\) -> .*?)(?= *(?:loc|$))")
    types = set(re.findall(pattern, text, re.M))
    if not types:
        return text
    text = re.sub(pattern, r"func.call @attention\1 : \2", text, flags=re.M)
    (signature,) = {kind for _, kind in types}
    return text.replace("module {", "module {\n  func.func private @attention"
                        + signature.rstrip(), 1)


def export(module, arguments, name, dynamic=None):
    """`dynamic`: for each argument the dimensions that are the sequence."""
    shapes = None
    if dynamic:
        sequence = torch.export.Dim("sequence", min=2, max=4096)
        shapes = [{d: sequence for d in dims} if dims else None for dims in dynamic]
        shapes = {"args": tuple(shapes)}
    raw = fx.export_and_import(module, *arguments, func_name=name,
                               dynamic_shapes=shapes and shapes["args"],
                               output_type="raw")
    with raw.context:
        lowered = Module.parse(call_attention(str(raw)))
        run_pipeline_with_repro_report(lowered, TO_LINALG, "lowering to linalg")
        print(lowered)


def parse_arguments(*variants):
    parser = argparse.ArgumentParser()
    parser.add_argument("variant", choices=variants)
    parser.add_argument("--dynamic", action="store_true",
                        help="leave the sequence length unknown")
    return parser.parse_args()


def tensors(*shapes, dtype=torch.bfloat16):
    return [torch.zeros(shape, dtype=dtype) for shape in shapes]
