"""Executes what a document shows.

    snippets.py DOCUMENT[#HEADING] DIRECTORY [NAME=PATH...]

Goes through the fenced code blocks of a Markdown file, or of one section of it, in
a fresh DIRECTORY with a link NAME to each PATH:

    ```c file=hello.c    is written to that file
    ```sh                is run by bash; a command that fails ends the test
    ```text              must be in the output of the commands before it: its
                         lines in order, where ... stands for any text
    ```json no-test      is for the reader only

A block of any other kind is an error, so that none is left out by accident.
"""

import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)[ ]*(.*?)\n(.*?)^```$", re.M | re.S)


def matches(pattern, line):
    parts = [re.escape(part) for part in pattern.strip().split("...")]
    return re.search("^" + ".*".join(parts) + "$", line.strip())


def missing_line(expected, output):
    """The first line of `expected` that `output` lacks, or None."""
    lines = iter(output.splitlines())
    for pattern in expected.splitlines():
        if pattern.strip() in ("", "..."):
            continue
        if not any(matches(pattern, line) for line in lines):
            return pattern
    return None


def main():
    name, _, heading = sys.argv[1].partition("#")
    document, directory = pathlib.Path(name), pathlib.Path(sys.argv[2])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    root = next(folder for folder in document.resolve().parents
                if (folder / "test").is_dir())
    # Documents speak from the root of the project.
    for name in ("docs", "test", "tools", "cmake", "python"):
        (directory / name).symlink_to(root / name)
    for link in sys.argv[3:]:
        name, _, path = link.partition("=")
        (directory / name).symlink_to(path)
    output, text, tested = "", document.read_text(), 0
    if heading:
        # Blank lines in place of what is left out keep the line numbers.
        before, found, text = text.partition(f"\n## {heading}\n")
        if not found:
            sys.exit(f"{document}: no section {heading}")
        text = "\n" * (before.count("\n") + 2) + text.partition("\n## ")[0] + "\n"

    for block in FENCE.finditer(text):
        language, info, body = block.groups()
        place = f"{document.name}:{text.count(chr(10), 0, block.start()) + 1}"
        if "no-test" in info.split():
            continue
        tested += 1
        if info.startswith("file="):
            path = directory / info[len("file="):]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)
        elif language == "sh":
            process = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", body], cwd=directory,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            output = process.stdout
            if process.returncode:
                sys.exit(f"{place}: ended with {process.returncode}:\n{output}")
        elif language == "text":
            line = missing_line(body, output)
            if line is not None:
                sys.exit(f"{place}: not in the output: {line}\n{output[-3000:]}")
        else:
            sys.exit(f"{place}: a block that is not tested: mark it no-test")
    if not tested:
        sys.exit(f"{document}: nothing to test")


if __name__ == "__main__":
    main()
