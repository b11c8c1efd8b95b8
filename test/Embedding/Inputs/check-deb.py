"""Whether a Debian package names every package that its programs need.

    check-deb.py PACKAGE READELF

Fails for a library that is neither in the package nor in one of its
dependencies, and for a dependency that nothing needs.
"""

import functools
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


@functools.lru_cache(None)
def get_owners(library):
    """The installed packages that have a file of that name."""
    return {line.split(":")[0] for line in
            run("dpkg", "-S", f"*/{library}").splitlines()}


def main():
    package, readelf = sys.argv[1:3]
    depends = {re.match(r"\S+", part.strip()).group()
               for part in run("dpkg-deb", "-f", package, "Depends").split(",")}
    status, used = 0, set()
    with tempfile.TemporaryDirectory() as directory:
        run("dpkg-deb", "-x", package, directory)
        files = [path for path in pathlib.Path(directory).rglob("*")
                 if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        if not files:
            sys.exit("error: no program in the package")
        own = {path.name for path in pathlib.Path(directory).rglob("*.so*")}
        for path in files:
            lines = run(readelf, "--needed-libs", str(path)).splitlines()
            for library in (line.strip() for line in lines):
                if ".so" not in library or library in own:
                    continue
                owners = get_owners(library)
                used |= owners & depends
                if not owners & depends:
                    print(f"error: {path.name} needs {library} of {owners}")
                    status = 1
    for name in sorted(depends - used):
        print(f"error: nothing needs {name}")
        status = 1
    print(f"depends on {' '.join(sorted(depends))}")
    return status


if __name__ == "__main__":
    sys.exit(main())
