#!/usr/bin/env bash
# Runs clang-tidy on the given files, or on every C and C++ file of lib and
# tools.
# The build must be configured and its generated headers built.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${CODA_BUILD_DIR:-build}
if (($#)); then
  files=("$@")
else
  mapfile -t files < <(find lib tools -name '*.c' -o -name '*.cpp' | sort)
fi
printf '%s\n' "${files[@]}" |
  xargs -P "${CODA_JOBS:-$(nproc)}" -n 1 \
    clang-tidy-22 -p "$build" --quiet --warnings-as-errors='*'
