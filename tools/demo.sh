#!/usr/bin/env bash
# Sets up and builds Coda, then takes a transformer MLP from linalg to a running
# kernel: fuses it, shows what was fused, writes PTX, runs it (on the GPU if
# there is one, otherwise on the CPU) and compares with the unfused input.
set -euo pipefail
cd "$(dirname "$0")/.."
export CODA_BUILD_DIR=${CODA_BUILD_DIR:-build}
bin=$CODA_BUILD_DIR/bin
input=${1:-test/Integration/Inputs/mlp.mlir}
out=$CODA_BUILD_DIR/demo

cmake/setup.sh coda-compile coda-runner
mkdir -p "$out"

echo "== fused form of $input"
"$bin/coda-compile" "$input" --emit=fused -o "$out/mlp.fused.mlir"
grep -c 'coda\.gemm' "$out/mlp.fused.mlir" |
  sed 's/$/ coda.gemm kernels; the whole is in '"${out//\//\\/}"'\/mlp.fused.mlir/'
grep 'coda\.gemm' "$out/mlp.fused.mlir" || true

echo "== PTX"
"$bin/coda-compile" "$input" -o "$out/mlp.ptx"
grep -E '\.entry|\.target' "$out/mlp.ptx"

echo "== run, and compare with the unfused input"
"$bin/coda-runner" "$input" --compare
