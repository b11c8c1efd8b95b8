#!/usr/bin/env bash
# Sets up and builds Coda, then takes a transformer MLP, as torch-mlir exports it,
# from linalg to a running kernel: fuses it, shows what was fused, writes PTX and
# a manifest, runs it (on the GPU if there is one, otherwise on the CPU) and
# compares with the unfused input.
#
#   tools/demo.sh [input.mlir]
set -euo pipefail
input=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
export CODA_BUILD_DIR=${CODA_BUILD_DIR:-build}
bin=$CODA_BUILD_DIR/bin
input=${input:-test/Integration/CPU/mlp.mlir}
out=$CODA_BUILD_DIR/demo
name=$(basename "$input" .mlir)
trap 'echo "FAIL: line $LINENO: $BASH_COMMAND" >&2' ERR

cmake/setup.sh coda-compile coda-runner
mkdir -p "$out"

echo "== fusion of $input"
"$bin/coda-compile" "$input" --emit=fused -o "$out/$name.fused.mlir"
before=$(grep -c 'linalg\.[a-z]' "$input")
after=$(grep -c 'linalg\.[a-z]' "$out/$name.fused.mlir" || true)
kernels=$(grep -c 'coda\.gemm' "$out/$name.fused.mlir" || true)
((kernels)) || { echo "FAIL: nothing was fused" >&2; exit 1; }
echo "$before lines with linalg became $kernels coda.gemm, $after lines with linalg left:"
sed -n '/coda\.gemm/,/^    }/p' "$out/$name.fused.mlir"

echo "== PTX for sm_90a"
"$bin/coda-compile" "$input" -o "$out/$name.ptx"
grep -E '\.entry|\.target' "$out/$name.ptx"
ls -l "$out/$name.ptx" "$out/$name.json"

echo "== run, and compare with the unfused input"
"$bin/coda-runner" "$input" --compare --backend=auto | tee "$out/$name.log"
grep -qx PASS "$out/$name.log"
