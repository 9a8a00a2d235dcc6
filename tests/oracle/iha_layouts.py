#!/usr/bin/env python3
"""Goldens of the layouts of mixed heads that architectures.py does not make, from their formulas.

Run by hand where numpy and safetensors are installed:
    python tests/oracle/iha_layouts.py tests/data/architectures
iha-f: q_mix, k_mix, v_mix [H*P, H], row h*P + p; every pseudo-head attends to its own kind only, and
each head is the mean of its P. iha-g: q_mix and k_mix [H, H], rows the targets; values unmixed.
Both in a Llama of one layer. Weights are rounded to float16 and stored so; logits are float64 ones
of the rounded. NAME.safetensors and NAME.json are checkpoint and configuration,
iha-layouts.golden.safetensors has "NAME.ids" and "NAME.logits".
"""
import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import save_file

IDS = np.array([3, 1, 7, 12, 0, 5, 5, 9, 2])
WIDTH, HEADS, D, PSEUDO = 8, 2, 4, 3
FOLDER = pathlib.Path(sys.argv[1])
GOLDEN = {}


def norm(x):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def rotated(x):
    """Half-split pairs at positions 0, 1, ...; x [N, heads, D]."""
    half = D // 2
    angle = np.arange(len(x))[:, None] * 10000.0 ** (-np.arange(half) / half)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def attend(q, k, v):
    """[N, heads, D] each; causal."""
    scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(D)
    scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hij,jhd->ihd", weights / weights.sum(-1, keepdims=True), v)


def make(name, pseudo, out, mixed):
    rng = np.random.default_rng(len(name) + pseudo)

    def rounded(*shape):
        return (rng.standard_normal(shape) * 0.5).astype(np.float16).astype(np.float64)

    at, attention = "model.layers.0.", "model.layers.0.self_attn."
    w = {"model.embed_tokens.weight": rounded(13, WIDTH), "model.norm.weight": np.ones(WIDTH),
         at + "input_layernorm.weight": np.ones(WIDTH),
         at + "post_attention_layernorm.weight": np.ones(WIDTH),
         at + "mlp.gate_proj.weight": rounded(6, WIDTH), at + "mlp.up_proj.weight": rounded(6, WIDTH),
         at + "mlp.down_proj.weight": rounded(WIDTH, 6)}
    for one in "qkv":
        w[f"{attention}{one}_proj.weight"] = rounded(WIDTH, WIDTH)
        if one in mixed:
            w[f"{attention}{one}_mix"] = rounded(HEADS * pseudo, HEADS)
    w[f"{attention}{out}.weight"] = rounded(WIDTH, WIDTH)

    x = w["model.embed_tokens.weight"][IDS]
    y = norm(x)
    heads = {}
    for one in "qkv":
        heads[one] = (y @ w[f"{attention}{one}_proj.weight"].T).reshape(len(IDS), HEADS, D)
        if one in mixed:
            heads[one] = np.einsum("nmd,tm->ntd", heads[one], w[f"{attention}{one}_mix"])
    z = attend(rotated(heads["q"]), rotated(heads["k"]), heads["v"])
    z = z.reshape(len(IDS), HEADS, pseudo, D).mean(2).reshape(len(IDS), WIDTH)
    x = x + z @ w[f"{attention}{out}.weight"].T
    y = norm(x)
    gate = y @ w[at + "mlp.gate_proj.weight"].T
    hidden = gate / (1 + np.exp(-gate)) * (y @ w[at + "mlp.up_proj.weight"].T)
    x = x + hidden @ w[at + "mlp.down_proj.weight"].T
    logits = norm(x) @ w["model.embed_tokens.weight"].T

    save_file({key: value.astype(np.float16) for key, value in w.items()},
              FOLDER / f"{name}.safetensors")
    (FOLDER / f"{name}.json").write_text(json.dumps(
        {"num_attention_heads": HEADS, "rms_norm_eps": 1e-5, "hidden_act": "silu",
         "max_position_embeddings": 32, "rope_theta": 10000.0}) + "\n")
    GOLDEN[f"{name}.ids"] = IDS.astype(np.int64)
    GOLDEN[f"{name}.logits"] = logits.astype(np.float32)


make("iha-f", PSEUDO, "out_proj", "qkv")
make("iha-g", 1, "out", "qk")
save_file(GOLDEN, FOLDER / "iha-layouts.golden.safetensors")
