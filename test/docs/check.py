"""Compares the generated reference (build/docs) with the checked-in one.

    check.py <generated> <checked in>            fails, with a diff, on drift
    check.py <generated> <checked in> --update   copies instead
"""

import difflib
import pathlib
import shutil
import sys


def main():
    generated, checked_in = map(pathlib.Path, sys.argv[1:3])
    update = sys.argv[3:] == ["--update"]
    sources = {path.name: path for path in generated.rglob("*.md")}
    if not sources:
        print(f"error: nothing generated in {generated}", file=sys.stderr)
        return 1
    if update:
        checked_in.mkdir(parents=True, exist_ok=True)
        for stale in checked_in.glob("*.md"):
            if stale.name not in sources:
                stale.unlink()
        for name, path in sources.items():
            shutil.copyfile(path, checked_in / name)
        return 0

    status = 0
    old_names = {path.name for path in checked_in.glob("*.md")}
    for name in sorted(sources.keys() | old_names):
        old = checked_in / name
        before = old.read_text().splitlines(True) if name in old_names else []
        after = sources[name].read_text().splitlines(True) if name in sources else []
        if before != after:
            status = 1
            sys.stdout.writelines(
                difflib.unified_diff(before, after, str(old), "generated"))
    if status:
        print("error: run `ninja update-docs` and commit the result",
              file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
