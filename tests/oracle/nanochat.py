#!/usr/bin/env python3
"""Goldens of nanochat's decoder, with ordinary heads and with interleaved ones, from its formulas.

Run by hand where numpy and safetensors are installed:
    python tests/oracle/nanochat.py tests/data/architectures
Rows of the embedding are normed, norms have no weights, heads turn backwards (a pair is a complex
number times exp(-i position frequency)), queries and keys are normed once turned and multiplied by
1 or, with interleaved heads, 1.2; the MLP squares its ReLU; logits are 15 tanh(x / 15), of the first
tokens only. Interleaved heads mix before turning: pseudo-head p of head h is the sum over m of
alpha[m, h, p] times head m, at position P n + p. Weights are rounded to float16 and stored so;
logits are float64 ones of the rounded. NAME.safetensors and NAME.json are checkpoint and
configuration, nanochat.golden.safetensors has "NAME.ids" and "NAME.logits".
"""
import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import save_file

IDS = np.array([3, 1, 7, 12, 0, 5, 5, 9, 2])
WIDTH, HEADS, D, LAYERS, VOCABULARY, PADDED = 16, 4, 4, 2, 13, 16
FOLDER = pathlib.Path(sys.argv[1])
GOLDEN = {}


def norm(x):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1.1920929e-07)


def turned(x):
    """x [positions, heads, D]; component c turns with c + D/2."""
    half = D // 2
    angle = np.arange(len(x))[:, None] * 10000.0 ** (-np.arange(half) / half)
    z = (x[..., :half] + 1j * x[..., half:]) * np.exp(-1j * angle)[:, None]
    return np.concatenate([z.real, z.imag], -1)


def attend(q, k, v, seen):
    """q, k, v [positions, heads, D]; seen [positions, positions]."""
    scores = np.where(seen, np.einsum("ihd,jhd->hij", q, k) / np.sqrt(D), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hij,jhd->ihd", weights / weights.sum(-1, keepdims=True), v)


def ordinary(w, at, x, groups):
    q, k, v = ((x @ w[f"{at}c_{one}.weight"].T).reshape(len(x), -1, D) for one in "qkv")
    q, k = norm(turned(q)), norm(turned(k))
    k, v = (np.repeat(each, HEADS // groups, 1) for each in (k, v))
    return attend(q, k, v, np.tri(len(x), dtype=bool))


def interleaved(w, at, x, pseudo, mask):
    n = len(x)
    mixed = {}
    for one in "qkv":
        heads = (x @ w[f"{at}c_{one}.weight"].T).reshape(n, HEADS, D)
        mixed[one] = np.einsum("mhp,nmd->nphd", w[f"{at}alpha_{one}"], heads)
        mixed[one] = mixed[one].reshape(n * pseudo, HEADS, D)
    q, k = 1.2 * norm(turned(mixed["q"])), 1.2 * norm(turned(mixed["k"]))
    token = np.arange(n * pseudo) // (pseudo if mask == "token_causal" else 1)
    seen = token[:, None] >= token[None]
    y = attend(q, k, mixed["v"], seen).reshape(n, pseudo, HEADS, D)
    collapse = w[at + "collapse"]
    if collapse.shape[1] == pseudo:
        return np.einsum("hp,nphd->nhd", collapse, y)
    return np.einsum("gmp,npmd->ngd", collapse.reshape(HEADS, HEADS, pseudo), y)


def make(name, config, groups=HEADS):
    rng = np.random.default_rng(len(name))
    pseudo = config.get("iha_num_pseudo_heads", 0)

    def rounded(*shape):
        return (rng.standard_normal(shape) * 0.5).astype(np.float16).astype(np.float64)

    w = {"transformer.wte.weight": rounded(PADDED, WIDTH), "lm_head.weight": rounded(PADDED, WIDTH) * 4}
    for layer in range(LAYERS):
        at = f"transformer.h.{layer}.attn."
        for one in "qkv":
            w[f"{at}c_{one}.weight"] = rounded((HEADS if one == "q" else groups) * D, WIDTH)
            if pseudo:
                w[f"{at}alpha_{one}"] = rounded(HEADS, HEADS, pseudo)
        w[at + "c_proj.weight"] = rounded(WIDTH, WIDTH)
        if pseudo:
            wide = pseudo if config["iha_collapse_mode"] == "per_head" else HEADS * pseudo
            w[at + "collapse"] = rounded(HEADS, wide)
        w[f"transformer.h.{layer}.mlp.c_fc.weight"] = rounded(4 * WIDTH, WIDTH) * 0.5
        w[f"transformer.h.{layer}.mlp.c_proj.weight"] = rounded(WIDTH, 4 * WIDTH) * 0.5

    x = norm(w["transformer.wte.weight"][IDS])
    for layer in range(LAYERS):
        at = f"transformer.h.{layer}.attn."
        z = (interleaved(w, at, norm(x), pseudo, config["iha_mask_mode"]) if pseudo
             else ordinary(w, at, norm(x), groups))
        x = x + z.reshape(len(IDS), WIDTH) @ w[at + "c_proj.weight"].T
        hidden = np.maximum(norm(x) @ w[f"transformer.h.{layer}.mlp.c_fc.weight"].T, 0) ** 2
        x = x + hidden @ w[f"transformer.h.{layer}.mlp.c_proj.weight"].T
    logits = 15 * np.tanh(norm(x) @ w["lm_head.weight"].T / 15)

    stored = {key: value.astype(np.float16) for key, value in w.items()}
    save_file(stored, FOLDER / f"{name}.safetensors")
    (FOLDER / f"{name}.json").write_text(json.dumps(
        {"step": 10, "model_config": {"sequence_len": 32, "vocab_size": VOCABULARY, "n_layer": LAYERS,
                                      "n_head": HEADS, "n_kv_head": groups, "n_embd": WIDTH,
                                      **config}}) + "\n")
    GOLDEN[f"{name}.ids"] = IDS.astype(np.int64)
    GOLDEN[f"{name}.logits"] = logits[:, :VOCABULARY].astype(np.float32)


def iha(pseudo, collapse, mask):
    return {"window_pattern": "L", "iha_num_pseudo_heads": pseudo, "iha_collapse_mode": collapse,
            "iha_mask_mode": mask}


make("nanochat", {}, groups=2)
make("iha-b", iha(2, "global", "token_causal"))
make("iha-b-flat", iha(3, "per_head", "flat_causal"))
save_file(GOLDEN, FOLDER / "nanochat.golden.safetensors")
