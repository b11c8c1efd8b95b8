#!/usr/bin/env python3
"""Makes a folder with the package for machines that have a driver but no LLVM.

    bundle.py BUILD OUT

BUILD is Coda's build folder, whose targets CodaPython and CodaRuntime are built.
OUT/coda is then the package, with the runtime and the JSON library that it needs:
with OUT in PYTHONPATH, Python 3.11 or later on x86-64 Linux runs what coda.load or
coda.runtime.load reads, and what is in the cache. The package knows for which
compiler it looks there.
"""

import os
import pathlib
import shutil
import subprocess
import sys


def find_dependency(library, prefix):
    """The file that the loader takes for a library that `library` needs."""
    text = subprocess.run(
        ["ldd", library], check=True, capture_output=True, text=True
    ).stdout
    for line in text.splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if arrow and name.startswith(prefix):
            return name, rest.split(" (")[0]
    sys.exit(f"{library} needs no {prefix}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1].strip())
    build, out = map(pathlib.Path, sys.argv[1:])
    package = out / "coda"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        build / "python" / "coda", package,
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    runtime = build / "lib" / "libcoda_runtime.so"
    shutil.copy(runtime, package)
    name, path = find_dependency(runtime, "libcjson")
    shutil.copy(path, package / name)
    sys.path.insert(0, str(build / "python"))
    from coda import _identity

    identity = _identity.identity()
    if identity is not None:
        (package / "compiler-id").write_text(identity + "\n")
    size = sum(f.stat().st_size for f in package.rglob("*"))
    print(f"{os.path.relpath(package)}: {size / 1024:.0f} KiB")


main()
