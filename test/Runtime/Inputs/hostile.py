"""Damages a manifest in every way that one edit can, and loads each result.

hostile.py LAUNCH MANIFEST IMAGE: every scalar is replaced by values of other
types and out of range, every entry removed, and the text is cut at many places.
A run must end with status 0 or with an error of the runtime, never by a signal.
"""

import copy
import json
import subprocess
import sys
import tempfile

launch, manifest, image = sys.argv[1:4]
text = open(manifest).read()
whole = json.loads(text)
ARGUMENTS = ["linear", "bf16[300,64]@0x1000", "bf16[32,64]@0x8000",
             "f32=1", "i32=0", "bf16=1"]  # fmt: skip
REPLACEMENTS = [None, True, -1, 1e300, 0.5, 2**31, 2**62, 65537, "", "x", "99999999999999999999", [], {}]
counts = {"accepted": 0, "refused": 0}


def run(data):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(data)
        file.flush()
        result = subprocess.run(
            [launch, file.name, image, *ARGUMENTS], capture_output=True, text=True
        )
    if result.returncode not in (0, 1):
        print("crash with", result.returncode, data[:2000], result.stderr[:3000])
        sys.exit(1)
    if result.returncode == 1 and "error: " not in result.stdout:
        print("no message for", data)
        sys.exit(1)
    counts["refused" if result.returncode else "accepted"] += 1


def paths(node, path=()):
    items = (
        node.items() if isinstance(node, dict)
        else enumerate(node) if isinstance(node, list) else ()
    )  # fmt: skip
    for key, child in items:
        yield path + (key,)
        yield from paths(child, path + (key,))


step = int(sys.argv[4]) if len(sys.argv) > 4 else 1
everything = list(paths(whole))
for number, path in enumerate(everything):
    for kind in range(len(REPLACEMENTS) + 1):
        if (number + kind) % step:
            continue
        damaged = copy.deepcopy(whole)
        node = damaged
        for key in path[:-1]:
            node = node[key]
        if kind == len(REPLACEMENTS):
            del node[path[-1]]
        else:
            node[path[-1]] = REPLACEMENTS[kind]
        run(json.dumps(damaged))
for length in range(0, len(text), 97 * step):
    run(text[:length])
run("[" * 100000)
run('{"a":' * 5000)
print("accepted", counts["accepted"], "refused", counts["refused"])
