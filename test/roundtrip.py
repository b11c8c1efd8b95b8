"""Runs coda-opt --verify-roundtrip on every module of the .mlir tests.

Tests of diagnostics hold modules that do not verify: those are left out by what
is written in them (expected-error).
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys


def check(tool, path, module):
    command = [tool, "--verify-roundtrip", "--allow-unregistered-dialect",
               "-o", os.devnull]
    run = subprocess.run(command, input=module, capture_output=True, text=True)
    if run.returncode:
        return f"{path}: {run.stderr}"
    return None


def main():
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    jobs = []
    for path in sorted(root.rglob("*.mlir")):
        text = path.read_text()
        if "RUN: sed " in text:
            continue  # not a module before sed
        if "//---" in text.replace("// -----", ""):
            continue  # split-file: several files, some of them damaged
        for module in text.split("// -----"):
            if "expected-error" not in module and "//" != module.strip():
                jobs.append((tool, path.relative_to(root), module))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(lambda job: check(*job), jobs) if e]
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(jobs)} modules, {len(errors)} failed")
    return 1 if errors or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
