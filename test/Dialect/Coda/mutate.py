"""Feeds coda-opt with damaged variants of a valid module.

Whatever comes in, the tool must end with code 0 or 1: no crash. The seed is
fixed, so a failure repeats; give another seed and count to search further:

    mutate.py coda-opt Inputs/mutate.mlir [seed [batches]]
"""

import random
import re
import subprocess
import sys

BATCH = 100

TYPES = """
tensor<?x8xf32>; tensor<*xf32>; tensor<4x8xf32>; memref<4x8xf32>; memref<*xf32>
memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>
memref<4x8xf32, strided<[0, 1], offset: ?>>; f32; index; si8; ui8; i1; none
vector<4xf32>; complex<f32>; tensor<4x8xcomplex<f32>>; tensor<4x8xui8>
tensor<?x?xvector<4xf32>>; tensor<f32>; tensor<4xf32>; !coda.tile<4x2xf32>
!coda.tile<?x?xi8>; !coda.tile<99999999999999999999x2xf32>
!coda.tile<9223372036854775807x2xf32>; !coda.tile<0x0xf32>; !coda.tile<2xf32>
!coda.tensor_map; () -> (); tuple<>; tensor<4x8xi8>; tensor<8x2xf64>
""".replace("\n", ";")

ATTRIBUTES = """
#coda<dims[m]>; #coda<dims[m, k]>; #coda<dims[]>; #coda<dims[m, m]>
#coda<dims[m, n, k]>; #coda<dims[parts, m]>; [#coda<dims[parts, m]>]; []; [#coda<dims[m]>]; [1, 2]; 3 : i32; unit; "x"
array<i32: 1, 1, 1, 1>; array<i32: 0, 1, 1, 1>; array<i32: -1, 3, 1, 1>
array<i32: 1, 1>; array<i32: 2147483647, 2147483647, 2, 1>; array<i64>
#coda.schedule<kernel = pingpong>
""".replace("\n", ";")

OTHERS = """
{; }; (; ); -1; 0; 99999999999999999999; ,; [k, n]; [n, m]; []; ->; :; ^bb1:
"coda.yield"() : () -> (); coda.yield
""".replace("\n", ";")


def split(text):
    return [part.strip() for part in text.split(";") if part.strip()]


TYPES, ATTRIBUTES, OTHERS = split(TYPES), split(ATTRIBUTES), split(OTHERS)
TOKEN = re.compile(
    r"%[\w#:]+|#coda<dims\[[^\]]*\]>|array<[^>]*>|"
    r"!?[\w.]+<[^<>]*(?:<[^<>]*>[^<>]*)*>|[\w.]+|\"[^\"]*\"|[^\s\w]")


def mutate(text, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        tokens = list(TOKEN.finditer(text))
        if not tokens:
            return text
        token = rng.choice(tokens)
        old = token.group()
        is_type = re.match(r"(tensor|memref|!coda)", old)
        kind = rng.randrange(7)
        if kind == 0:
            new = ""
        elif kind == 1:
            new = old + " " + old
        elif kind == 2:
            new = rng.choice(tokens).group()
        elif kind == 3 or is_type and rng.random() < 0.6:
            new = rng.choice(TYPES)
        elif kind == 4:
            new = rng.choice(ATTRIBUTES)
        elif kind == 5:
            new = rng.choice(OTHERS)
        else:
            lines = text.split("\n")
            line = rng.randrange(len(lines))
            lines[line:line + 1] = rng.choice([[], [lines[line]] * 2])
            text = "\n".join(lines)
            continue
        if is_type and rng.random() < 0.3:
            text = text.replace(old, new)
        else:
            text = text[:token.start()] + new + text[token.end():]
    return text


def run(tool, module, passes):
    command = [tool, "--split-input-file", "--allow-unregistered-dialect"]
    return subprocess.run(command + passes, input=module, capture_output=True,
                          text=True, errors="replace")


def main():
    tool, path = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    batches = int(sys.argv[4]) if len(sys.argv) > 4 else 10
    rng = random.Random(seed)
    with open(path) as file:
        pretty = file.read()
    generic = run(tool, pretty, ["--mlir-print-op-generic"]).stdout
    if "\"coda.gemm\"" not in generic:
        print("error: the input module does not parse", file=sys.stderr)
        return 1
    status = 0
    for batch in range(batches):
        variants = [mutate(rng.choice([pretty, generic]), rng)
                    for _ in range(BATCH)]
        passes = [["--canonicalize", "--cse"], []][batch % 2]
        if run(tool, "\n// -----\n".join(variants), passes).returncode in (0, 1):
            continue
        for variant in variants:
            code = run(tool, variant, passes).returncode
            if code not in (0, 1):
                status = 1
                print(f"exit code {code} with {passes} on\n{variant}")
    print(f"{batches * BATCH} variants")
    return status


if __name__ == "__main__":
    sys.exit(main())
