"""Runs the Python snippets of a document one after the other, in one module."""

import pathlib
import re
import sys

path = pathlib.Path(sys.argv[1])
text = path.read_text()
scope = {"__name__": "snippets"}
count = 0
for match in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S):
    line = text[: match.start(1)].count("\n")
    # The lines are those of the document.
    exec(compile("\n" * line + match[1], str(path), "exec"), scope)
    count += 1
print(f"ran {count} snippets")
