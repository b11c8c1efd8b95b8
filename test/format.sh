#!/usr/bin/env bash
# Checks the format of every C and C++ file; with --fix, puts it right.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && mode=(-i)
find include lib python tools test docs -name '*.h' -o -name '*.cpp' -o -name '*.c' |
  sort | xargs clang-format-22 "${mode[@]}"
