#!/usr/bin/env python3
"""Golden splits of attention scores into source-head terms, in float64 numpy.

    tests/oracle/score_splits.py IHA_REFERENCE.py OUT.safetensors LAYER.safetensors...

IHA_REFERENCE.py is the reference implementation of interleaved heads (rope, mix, interleave); the layers are files of
tests/data/golden. For every layer and each of `virtual`, `token` and `none` positions OUT gets

    NAME.POSITIONS.terms  [H*P*P, N*N, H, H]   head, query pseudo, key pseudo; query, key; query source; key source
    NAME.POSITIONS.scores [H, P, P, N, N]      of the mixed queries and keys, worked out without the terms
"""
import importlib.util
import json
import pathlib
import struct
import sys

import numpy as np


def load_module(path):
    spec = importlib.util.spec_from_file_location("iha_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    body = data[8 + length:]
    return {name: np.frombuffer(body[slice(*entry["data_offsets"])], "<f8").reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def positions_of(kind, tokens, pseudos):
    return np.arange(tokens * pseudos) if kind == "virtual" else np.repeat(np.arange(tokens), pseudos)


def split(reference, layer, kind):
    x, alpha_q, alpha_k = layer["x"], layer["alpha_q"], layer["alpha_k"]
    tokens, (heads, _, pseudos) = len(x), alpha_q.shape
    q, k = (np.einsum("nd,hde->hne", x, layer[name]) for name in ("wq", "wk"))
    scale = 1 / np.sqrt(q.shape[-1])

    def turned(base):
        """Every source head at the position of every pseudo-token: [H, P, N, d]."""
        copies = reference.interleave(np.repeat(base[:, None], pseudos, axis=1))
        if kind != "none":
            copies = reference.rope(copies, positions_of(kind, tokens, pseudos))
        return copies.reshape(heads, tokens, pseudos, -1).transpose(0, 2, 1, 3)

    terms = scale * np.einsum("mhp,nhr,mpic,nrjc->hprijmn", alpha_q, alpha_k, turned(q), turned(k))
    mixed = [reference.interleave(reference.mix(base, alpha)) for base, alpha in ((q, alpha_q), (k, alpha_k))]
    if kind != "none":
        mixed = [reference.rope(each, positions_of(kind, tokens, pseudos)) for each in mixed]
    scores = scale * mixed[0] @ mixed[1].transpose(0, 2, 1)
    return terms, reference.tiles(scores, pseudos)


def main():
    reference = load_module(sys.argv[1])
    out = {}
    for path in sys.argv[3:]:
        layer = read_safetensors(path)
        name = pathlib.Path(path).stem
        for kind in ("virtual", "token", "none"):
            terms, scores = split(reference, layer, kind)
            assert np.abs(terms.sum(axis=(-1, -2)) - scores).max() < 1e-12 * np.abs(terms).sum(axis=(-1, -2)).max()
            cells = scores.size // len(layer["x"]) ** 2
            terms = terms.reshape(cells, -1, *terms.shape[-2:])
            out[f"{name}.{kind}.terms"], out[f"{name}.{kind}.scores"] = terms, scores
    reference.write_safetensors(sys.argv[2], out)


if __name__ == "__main__":
    main()
