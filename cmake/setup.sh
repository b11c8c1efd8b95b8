#!/usr/bin/env bash
# Installs what Coda needs on Debian 12 if it is missing, then configures and
# builds the given targets (everything if none is given).
#
#   cmake/setup.sh [target...]
#
# CODA_BUILD_DIR names the build folder (default: build), CODA_CMAKE_ARGS gives
# further arguments to CMake, CODA_JOBS the number of parallel compilations.
set -euo pipefail
cd "$(dirname "$0")/.."

llvm=22
packages=(
  clang-$llvm lld-$llvm llvm-$llvm-dev llvm-$llvm-tools
  libmlir-$llvm-dev mlir-$llvm-tools clang-format-$llvm clang-tidy-$llvm
  cmake ninja-build ccache python3 python3-venv libpython3-dev libzstd-dev
  libcjson-dev libgtest-dev
  gcc # what Debian's Python has extensions built with, `pip install` of ours too
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $state == "install ok installed" ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "Installing ${missing[*]}"
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      { echo "error: these packages need root to be installed" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

build=${CODA_BUILD_DIR:-build}
# ccache takes files with a precompiled header on these terms: a change of the
# header counts, one of macros that it only tests or of the time does not.
launcher="env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache"
if [[ ! -f $build/build.ninja || -n ${CODA_CMAKE_ARGS:-} ]]; then
  # shellcheck disable=SC2086 # the arguments are a list of words
  cmake -G Ninja -S . -B "$build" \
    -DCMAKE_C_COMPILER=clang-$llvm -DCMAKE_CXX_COMPILER=clang++-$llvm \
    "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" \
    -DLLVM_USE_LINKER=lld ${CODA_CMAKE_ARGS:-}
fi
exec ninja -C "$build" -j "${CODA_JOBS:-$(nproc)}" "$@"
