#!/usr/bin/env python3
"""Coda with arrays of JAX itself, in place of a stand-in. Run by hand:

    pip install jax
    PYTHONPATH=build/python python3 test/python/Inputs/with_jax.py

On a machine without a GPU JAX's arrays are on the CPU: what they are is read through
DLPack, and each call refuses them by the argument's name. With a GPU, and JAX's
package for it, products are computed and compared.
"""

import sys

import coda
import jax
import jax.numpy as jnp
import numpy
from coda import _launch


def refuse(message, call):
    try:
        call()
    except coda.ArgumentError as error:
        assert message in str(error), error
        print("refused:", error)
        return
    sys.exit(f"accepted, but expected: {message}")


def on_cpu(x, w, bias):
    assert _launch.describe(x)[3] == (1, 0), _launch.describe(x)
    place = "expected an array on a GPU, but it is on the CPU"
    refuse(f"x: {place}", lambda: coda.gemm(x, w))
    refuse(f"x: {place}", lambda: coda.gemm(x, (w, w), epilogue=lambda a, b: a * b))
    for array in (jnp.zeros(()), jnp.zeros((0, 64)), jnp.zeros((3, 64), jnp.int4)):
        refuse(f"x: {place}", lambda: coda.gemm(array, w))
    for array in (numpy.zeros((3, 64)), numpy.zeros(3)[::-1]):
        refuse(f"x: {place}", lambda: coda.gemm(array, w))

    # A kernel that was compiled before.
    spec = coda.Spec("f32", x.shape), coda.Spec("f32", w.shape)
    kernel = coda.build_gemm(*spec, options=coda.Options(kernel="simple"))
    refuse(f"argument 0 'x': {place}", lambda: kernel(x, w))
    refuse("expected an array on a GPU", lambda: kernel([[1.0]], w))
    traced = jax.jit(lambda a: coda.gemm(a, w))
    refuse("x: ", lambda: traced(x))


def on_gpu(x, w, bias):
    def linear(acc, b):
        return coda.relu(acc + b)

    y = coda.gemm(x, w, bias, epilogue=linear)
    exact = jnp.maximum(jnp.matmul(x, w, precision="highest") + bias, 0)
    assert type(y) is type(x) and y.shape == exact.shape
    assert float(jnp.abs(y - exact).max()) < 1e-3
    refuse("on a GPU", lambda: coda.gemm(x, numpy.asarray(w)))


def main():
    keys = jax.random.split(jax.random.key(0), 3)
    shapes = ((300, 64), (64, 128), (128,))
    arrays = [jax.random.normal(k, s, jnp.float32) for k, s in zip(keys, shapes)]
    backend = jax.default_backend()
    (on_gpu if backend == "gpu" else on_cpu)(*arrays)
    print(f"jax {jax.__version__} on {backend}: fine")


main()
