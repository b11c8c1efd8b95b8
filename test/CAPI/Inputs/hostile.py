"""Feeds codaCompile with what no compiler would write, in this process.

    hostile.py LIBRARY MODULE... [--seed=N] [--count=N]

Damaged modules (those of test/Dialect/Coda/mutate.py), truncated ones, noise,
and text made to exhaust a parser. Each call must come back: a crash ends the
process, and the test with it. Errors must say something.
"""

import argparse
import ctypes
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Dialect" / "Coda"))
import mutate  # noqa: E402

# What is right, if odd.
MUST_PASS = {
    "attribute aliases": "".join(
        f"#a{i} = [#a{i - 1}]\n" if i else "#a0 = unit\n" for i in range(20000)),
    "type aliases": "".join(
        f"!t{i} = tuple<!t{i - 1}>\n" if i else "!t0 = i1\n" for i in range(20000)),
    "a long list": "module attributes {test.a = [" + "-1, " * 100000 + "1]} {}",
}

MUST_FAIL = {
    "a long sum": "#m = affine_map<(d0) -> (" + "d0 + " * 100000 + "d0)>",
    "a long product": "#m = affine_map<(d0) -> (d0" + " * 2" * 100000 + ")>",
    "a long number": "module attributes {a = " + "9" * 100000 + "} {}",
    "a huge shape": "func.func private @f(tensor<" + "1x" * 100000 + "f32>) {",
    "iterator types":
        '#m = affine_map<(i) -> (i)>\nfunc.func @f(%x: tensor<4xf32>) { linalg.generic '
        '{indexing_maps = [#m], iterator_types = [i32]} outs(%x : tensor<4xf32>) {} return }',
    "an open string": 'module attributes {a = "',
    "locations": "module {} loc(fused[" * 200,
    "a resource": '{-# dialect_resources: { builtin: { a: "0x00" } } #-}\n)',
}


class Compiler:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.codaCompileResultGetMessages.restype = ctypes.c_char_p

    def compile(self, source, options):
        """The status, and the messages."""
        result = ctypes.c_void_p()
        status = self.library.codaCompile(
            source, ctypes.c_size_t(len(source)), options, ctypes.byref(result))
        messages = self.library.codaCompileResultGetMessages(result)
        self.library.codaCompileResultDestroy(result)
        return status, messages.decode(errors="replace")


def variants(modules, rng, count):
    for _ in range(count):
        module = rng.choice(modules)
        kind = rng.randrange(8)
        if kind == 0:
            yield module[:rng.randrange(len(module))].encode()
        elif kind == 1:
            data = bytearray(module.encode())
            for _ in range(rng.randrange(1, 20)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            yield bytes(data)
        elif kind == 2:
            yield rng.randbytes(rng.randrange(200))
        else:
            yield mutate.mutate(module, rng).encode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    compiler = Compiler(arguments.library)
    rng = random.Random(arguments.seed)
    modules = [pathlib.Path(path).read_text() for path in arguments.modules]
    failed = 0

    def run(name, source, options):
        if arguments.verbose:
            pathlib.Path("hostile.mlir").write_bytes(source)
        status, messages = compiler.compile(source, options)
        if status and "error: " not in messages:
            print(f"no message for {name}: {source[:2000]!r}")
            return -1
        return status

    for name, source in MUST_PASS.items():
        if run(name, source.encode(), b"emit=input threads=false"):
            print(f"{name}: was refused")
    for name, source in MUST_FAIL.items():
        if run(name, source.encode(), b"emit=fused threads=false") == 1:
            failed += 1
        else:
            print(f"{name}: was accepted")
    print(f"refused {failed} of {len(MUST_FAIL)}")
    statuses = [run("a variant", source, b"emit=manifest threads=false")
                for source in variants(modules, rng, arguments.count)]
    print(f"{len(statuses)} variants, without a message: {statuses.count(-1)}")


if __name__ == "__main__":
    main()
