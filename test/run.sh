#!/usr/bin/env bash
# Sets up and builds Coda, then runs every check: formatting, the lit tests and,
# with --tidy, clang-tidy. Fails if anything fails. The totals come last.
set -euo pipefail
cd "$(dirname "$0")/.."
export CODA_BUILD_DIR=${CODA_BUILD_DIR:-build}
build=$CODA_BUILD_DIR

tidy=0
for argument in "$@"; do
  case $argument in
    --tidy) tidy=1 ;;
    *) echo "usage: test/run.sh [--tidy]" >&2; exit 2 ;;
  esac
done

CODA_CMAKE_ARGS="${CODA_CMAKE_ARGS:-} -DCODA_WERROR=ON" cmake/setup.sh

echo "== format"
test/format.sh

if ((tidy)); then
  echo "== clang-tidy"
  test/tidy.sh
fi

echo "== tests"
report=$build/test/report.xml
rm -f "$report"
status=0
LIT_OPTS="${LIT_OPTS:-} --xunit-xml-output=$(realpath "$build")/test/report.xml" \
  cmake --build "$build" --target check-coda || status=$?
python3 test/totals.py "$report" || status=1
exit "$status"
