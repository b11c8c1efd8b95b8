"""The cache on disk, and compilation behind it.

RUN: rm -rf %t && mkdir %t && %python %s %t
"""

import os
import pathlib
import subprocess
import sys
import threading
import unittest
import warnings

folder = pathlib.Path(sys.argv.pop(1))
os.environ["CODA_CACHE_DIR"] = str(folder / "cache")

import coda  # noqa: E402
from coda import _cache, _identity, _library  # noqa: E402

TEXT = """
func.func @product(%x: tensor<?x64xbf16>, %w: tensor<64x32xbf16>,
                   %d: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  %0 = coda.gemm lhs(%x [m, k] : tensor<?x64xbf16>)
                 rhs(%w [k, n] : tensor<64x32xbf16>)
                 outs(%d [m, n] : tensor<?x32xbf16>) {
  ^bb0(%acc: !coda.tile<?x32xf32>):
    %1 = coda.map(%a = %acc : !coda.tile<?x32xf32>) -> !coda.tile<?x32xbf16> {
      %t = arith.truncf %a : f32 to bf16
      coda.yield %t : bf16
    }
    coda.yield %1 : !coda.tile<?x32xbf16>
  } -> tensor<?x32xbf16>
  return %0 : tensor<?x32xbf16>
}
"""
OPTIONS = coda.Options(kernel="simple")
compilations = 0
compile_text = _library.compile_text


def counted(*arguments):
    global compilations
    compilations += 1
    return compile_text(*arguments)


_library.compile_text = counted


def entries():
    return sorted((folder / "cache").glob("*.coda"))


def compile(text=TEXT, options=OPTIONS, **changes):
    """The module, and whether it was compiled."""
    before = compilations
    module = coda.compile(text, options, **changes)
    return module, compilations > before


class Cache(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.first, compiled = compile()
        assert compiled

    def test_found_again(self):
        module, compiled = compile()
        self.assertFalse(compiled)
        self.assertEqual(module.ptx, self.first.ptx)
        self.assertEqual(module.manifest, self.first.manifest)
        self.assertEqual(module.diagnostics, self.first.diagnostics)
        self.assertEqual(module.options, OPTIONS)

    def test_key(self):
        """Whatever decides what comes out makes another entry."""
        for change in (
            dict(text=TEXT + "\n"),
            dict(normalize=False),
            dict(chip="sm_90"),
            dict(remarks=""),
        ):
            self.assertTrue(compile(**change)[1], change)
            self.assertFalse(compile(**change)[1], change)
        identity = _identity.identity
        _identity.identity = lambda: "another compiler"
        try:
            self.assertTrue(compile()[1])
        finally:
            _identity.identity = identity

    def test_identity(self):
        """The compiler's file, and LLVM's that it is linked to."""
        text = _identity.identity()
        self.assertIn("libMLIR", text)
        self.assertIn("libLLVM", text)
        copy = folder / "libCodaC.so"
        copy.write_bytes(_identity.find().read_bytes() + b"changed")
        os.environ["CODA_COMPILER_LIBRARY"] = str(copy)
        try:
            self.assertNotEqual(_identity.identity(), text)
            copy.write_bytes(b"no library")
            with self.assertRaisesRegex(coda.Error, "libCodaC.so cannot be used"):
                coda.compile(TEXT)
            os.environ["CODA_COMPILER_LIBRARY"] = ""
            with self.assertRaisesRegex(coda.Error, "is not installed"):
                coda.compile(TEXT)
        finally:
            del os.environ["CODA_COMPILER_LIBRARY"]

    def test_damaged(self):
        path = max(entries(), key=lambda p: p.stat().st_mtime)
        for text in entries():
            text.unlink()
        compile()
        (path,) = entries()
        whole = path.read_bytes()
        packed = [_cache.pack(x) for x in ({}, {"ptx": 1}, {"options": {"a": 1}})]
        for data in (
            b"", whole.replace(b".entry", b".ENTRY"), whole[:10], whole[:100], whole[:-1], whole + b"x",
            whole[:200] + b"?" + whole[201:], b"\0" * len(whole), *packed,
        ):  # fmt: skip
            path.write_bytes(data)
            module, compiled = compile()
            self.assertTrue(compiled)
            self.assertEqual(module.ptx, self.first.ptx)
            self.assertEqual(path.read_bytes(), whole)

    def test_nothing_is_left_behind(self):
        self.assertEqual(
            [p for p in (folder / "cache").iterdir() if ".part" in p.name], []
        )

    def test_cannot_be_written(self):
        (folder / "file").write_text("")
        os.environ["CODA_CACHE_DIR"] = str(folder / "file" / "cache")
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertTrue(compile()[1])
                self.assertTrue(compile()[1])
            self.assertEqual(len(caught), 1)
            self.assertIn("CODA_CACHE_DIR names another", str(caught[0].message))
            os.environ["CODA_CACHE_DIR"] = ""
            self.assertTrue(compile()[1])
        finally:
            os.environ["CODA_CACHE_DIR"] = str(folder / "cache")

    def test_directory(self):
        kept = dict(os.environ)
        try:
            del os.environ["CODA_CACHE_DIR"]
            os.environ["XDG_CACHE_HOME"] = "/somewhere"
            self.assertEqual(_cache.directory(), pathlib.Path("/somewhere/coda"))
            os.environ["XDG_CACHE_HOME"] = "relative"
            self.assertEqual(_cache.directory(), pathlib.Path.home() / ".cache/coda")
        finally:
            os.environ.update(kept)

    def test_processes(self):
        """Several that compile the same thing at once."""
        there = folder / "shared"
        code = (
            f"import coda; text = {TEXT!r}\n"
            "print(coda.compile(text, kernel='simple').ptx)"
        )
        environment = {**os.environ, "CODA_CACHE_DIR": str(there)}
        runs = [
            subprocess.Popen(
                [sys.executable, "-c", code],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )  # fmt: skip
            for _ in range(3)
        ]
        for run in runs:
            self.assertEqual(run.communicate()[0].strip(), self.first.ptx.strip())
            self.assertEqual(run.returncode, 0)
        self.assertEqual(len(list(there.iterdir())), 1)

    def test_threads(self):
        results = []
        threads = [
            threading.Thread(
                target=lambda i=i: results.append(
                    coda.compile(TEXT + "\n" * i, OPTIONS).ptx
                )
            )
            for i in (3, 4, 3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(results), {self.first.ptx})

    def test_bundle(self):
        path = folder / "product.coda"
        self.first.save(path)
        loaded = coda.load(path)
        self.assertEqual(loaded.ptx, self.first.ptx)
        self.assertEqual(list(loaded), ["product"])
        path.write_bytes(path.read_bytes()[:-1])
        with self.assertRaisesRegex(coda.Error, "is damaged"):
            coda.load(path)
        with self.assertRaisesRegex(coda.Error, "cannot read"):
            coda.load(folder / "nothing")


class Sources(unittest.TestCase):
    def test_module_objects(self):
        """What prints as MLIR, as a module of MLIR's bindings does, and bytecode."""

        class Module:
            def __str__(self):
                return TEXT

        self.assertFalse(compile(Module())[1])
        with self.assertRaises(coda.CompileError):
            compile(b"ML\xefR\x00\x01")

    def test_messages(self):
        with self.assertRaises(coda.CompileError) as caught:
            coda.compile("func.func @f() {\n  return 1\n}")
        (diagnostic, *_) = caught.exception.diagnostics
        self.assertEqual((diagnostic.severity, diagnostic.line), ("error", 2))
        self.assertIn("<source>:2:", str(caught.exception))

    def test_hostile(self):
        for text in ("", "\0", "{", "(" * 100000, "%", "func.func @f() { return } }",
                     "\udcff".encode("utf-8", "surrogatepass")):  # fmt: skip
            try:
                coda.compile(text)
            except coda.Error:
                pass

    def test_options(self):
        for options in (
            dict(chip="a b"),
            dict(chip=3),
            dict(nothing=1),
            dict(kernel="'"),
        ):
            with self.assertRaises(coda.ArgumentError):
                coda.compile(TEXT, **options)
        for options in (dict(chip="sm_1"), dict(extra="what=1"), dict(kernel="best")):
            with self.assertRaises(coda.CompileError):
                coda.compile(TEXT, **options)

    def test_remarks(self):
        text = """
          func.func @f(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>,
                       %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
            %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>)
                               outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
            return %0 : tensor<64x64xf32>
          }"""
        module, _ = compile(text)
        self.assertTrue(module.remarks)
        self.assertTrue(
            all(
                r.kind and (r.line == 4 or r.name == "summary")
                for r in module.remarks
            ),
            module.remarks,
        )
        self.assertEqual(compile(text)[0].remarks, module.remarks)


unittest.main(verbosity=0)
