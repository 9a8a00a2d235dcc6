#!/usr/bin/python3
"""Goldens of the paper's constructions, for tests/core/theory.

Run by hand with Debian's python3-numpy:
    /usr/bin/python3 tests/oracle/theory.py PATH/iha_reference.py tests/data/theory/goldens.safetensors
The numbers come from the float64 reference program that is named on the command line. Each filter
bank bank.K has its matrix A [N, N] (norm-scaled, without symmetry), x [N, d], the outputs mha.y and
iha.y [N, k d], the tiles of pseudo-query 0 [H P, N, N] and parameters [mha, iha]; each sequence
cpm3.N.G.M has x [N], g_m [2], the brute-force counts and those of the construction [N]; witness has
s [n] and y [n] of the layer on three equal tokens.
"""
import importlib.util
import sys

import numpy


def load(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def banks(reference, rng, tensors):
    for k, n, d in ((1, 5, 2), (4, 9, 2), (5, 7, 1), (9, 11, 1)):
        a = rng.standard_normal((n, n))
        a /= numpy.abs(a).sum(axis=1).max()
        x = rng.standard_normal((n, d))
        mha, _ = reference.polynomial_mha(x, a, k)
        iha, maps = reference.polynomial_iha(x, a, k)
        heads = len(maps)
        tiles = reference.tiles(maps, heads)[:, 0].reshape(heads * heads, n, n)
        count = reference.parameters_polynomial(n, d, k)
        parts = {"a": a, "x": x, "mha.y": mha, "iha.y": iha, "tiles": tiles,
                 "parameters": numpy.array([count["mha"], count["iha"]], float)}
        tensors.update({f"bank.{k}.{name}": part for name, part in parts.items()})


def sequences(reference, rng, tensors):
    for n in (4, 7, 9, 16):
        for g, m in ((10, 4), (11, 5), (1, 3)):
            x = rng.integers(0, 12, n)
            built, _ = reference.cpm3_iha(x, g, m)
            parts = {"x": x, "g_m": [g, m], "counts": reference.cpm3_count(x, g, m), "built": built}
            tensors.update({f"cpm3.{n}.{g}.{m}.{name}": numpy.array(part, float)
                            for name, part in parts.items()})


def witness(reference, tensors):
    values = numpy.array([-2.0, -0.5, 0.0, 0.3, 1.7])
    q, k = numpy.array([[[1.0], [0.0]]]), numpy.array([[[0.0], [1.0]]])
    sign = numpy.array([[[1.0, -1.0]]])
    answers = []
    for s in values:
        x = numpy.repeat(numpy.array([[s, 1.0]]), 3, axis=0)
        y, _ = reference.iha(x, q, k, k, sign, sign, sign, numpy.array([[1.0, 0.0]]), mask="none",
                             positions="none")
        answers.append(y[0, 0])
    tensors["witness.s"], tensors["witness.y"] = values, numpy.array(answers)


if __name__ == "__main__":
    reference, tensors = load(sys.argv[1]), {}
    rng = numpy.random.default_rng(7)
    banks(reference, rng, tensors)
    sequences(reference, rng, tensors)
    witness(reference, tensors)
    reference.write_safetensors(sys.argv[2], tensors)
