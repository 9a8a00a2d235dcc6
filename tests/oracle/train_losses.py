#!/usr/bin/python3
"""Ten training steps of small decoders in PyTorch, as numbers for tests/core/tst_train_golden.cpp.

Run by hand with Debian's python3-torch and python3-numpy:
    /usr/bin/python3 tests/oracle/train_losses.py tests/data/train
Written from the formulas (interleaved N*P form, autograd, torch.optim.AdamW), in float64, and with
nothing of ours. Each file holds: the configuration and settings (metadata, JSON), the initial
weights "w.NAME", the batches "ids" and "targets" [step, B, N, ...], the gradients of the first
batch "g.NAME", the ten losses "losses", and the weights after the tenth step "end.NAME".
"""
import json
import math
import struct
import sys

import numpy
import torch

torch.set_default_dtype(torch.float64)

SETTINGS = {"steps": 10, "batch": 4, "learningRate": 1e-2, "warmupSteps": 3, "finalFraction": 0.1,
            "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-8, "weightDecay": 0.01, "clipNorm": 1.0}
TOKENS = 6


def layer(**changes):
    plain = {"kind": "mha", "nPseudo": 1, "mask": "token", "positions": "virtual",
             "positionFactor": 1.0, "collapse": "full", "score": "softmax", "window": 0}
    return {**plain, **changes}


def config(layers, **changes):
    plain = {"dModel": 8, "nHeads": 2, "nKvHeads": 2, "dMlp": 0, "dVocab": 5, "nCtx": TOKENS,
             "nSlots": 1, "norm": "rms", "normEpsilon": 1e-5, "learnedPositions": False,
             "headBias": True, "ropeTheta": 10000.0}
    return {**plain, **changes, "layers": layers}


CONFIGS = {
    "mha": config([layer(positionFactor=2.0)]),
    "mha_mlp": config([layer(positions="none"), layer(window=3)], dMlp=12, learnedPositions=True,
                      norm="layer", nSlots=2),
    "iha": config([layer(kind="iha", nPseudo=2)]),
    "iha_mlp": config([layer(kind="iha", nPseudo=3, mask="flat", positions="token"),
                       layer(kind="iha", nPseudo=2, collapse="per-head", window=3)],
                      dMlp=12, learnedPositions=True, norm="layer", nSlots=2),
    "gqa": config([layer(), layer(window=3, positions="none")], nHeads=4, nKvHeads=2),
    "iha_lite": config([layer(kind="iha-lite"), layer(kind="iha-lite", mask="none")]),
    "talking": config([layer(kind="talking-heads"),
                       layer(kind="talking-heads", window=3, positions="none")],
                      nHeads=4, nKvHeads=2),
    "differential": config([layer(kind="differential"),
                            layer(kind="differential", window=3, positions="none")]),
}


def shapes(c):
    """Names and shapes of the parameters; vectors multiply from the left."""
    width, heads, groups = c["dModel"], c["nHeads"], c["nKvHeads"]
    d, out = width // heads, c["nSlots"] * c["dVocab"]

    def norm(name):
        yield name + ".w", (width,)
        if c["norm"] == "layer":
            yield name + ".b", (width,)

    yield "embed.W_E", (c["dVocab"], width)
    if c["learnedPositions"]:
        yield "pos_embed.W_pos", (c["nCtx"], width)
    for i, one in enumerate(c["layers"]):
        block, pseudo = f"blocks.{i}.", one["nPseudo"]
        yield from norm(block + "ln1")
        pair = 2 if one["kind"] == "differential" else 1  # two halves a head, q and k only
        yield block + "attn.W_Q", (pair * heads, width, d // pair)
        yield block + "attn.W_K", (pair * groups, width, d // pair)
        yield block + "attn.W_V", (groups, width, d)
        if one["kind"] == "iha-lite":
            for name in ("alpha_Q", "alpha_K", "alpha_V"):
                yield block + "attn." + name, (heads, heads)
        if one["kind"] == "talking-heads":
            yield block + "attn.mix_L", (heads, heads)
            yield block + "attn.mix_W", (heads, heads)
        if one["kind"] == "differential":
            for name in ("lambda_Q1", "lambda_K1", "lambda_Q2", "lambda_K2"):
                yield block + "attn." + name, (d // 2,)
            yield block + "attn.ln_z.w", (d,)
        if one["kind"] == "iha":
            for name in ("alpha_Q", "alpha_K", "alpha_V"):
                yield block + "attn." + name, (heads, heads, pseudo)
            columns = heads * pseudo if one["collapse"] == "full" else pseudo
            yield block + "attn.R", (heads, columns)
        yield block + "attn.W_O", (heads, d, width)
        if c["dMlp"]:
            yield from norm(block + "ln2")
            yield block + "mlp.W_in", (width, c["dMlp"])
            yield block + "mlp.b_in", (c["dMlp"],)
            yield block + "mlp.W_out", (c["dMlp"], width)
            yield block + "mlp.b_out", (width,)
    yield from norm("ln_final")
    yield "unembed.W_U", (width, out)
    if c["headBias"]:
        yield "unembed.b_U", (out,)


def normed(c, w, name, x):
    if c["norm"] == "layer":
        return torch.nn.functional.layer_norm(x, x.shape[-1:], w[name + ".w"], w[name + ".b"],
                                              c["normEpsilon"])
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + c["normEpsilon"]) * w[name + ".w"]


def rotated(c, one, x, position):
    """x [B, H, virtual, d], position [virtual]; half-split pairs."""
    if one["positions"] == "none":
        return x
    half = x.shape[-1] // 2
    frequency = c["ropeTheta"] ** (-torch.arange(half) / half)
    angle = one["positionFactor"] * position[:, None] * frequency
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


def differential(c, i, w, name, scores, v):
    """scores [B, 2H, N, N], masked; v [B, H, N, d]: the maps of heads 2h and 2h + 1 subtracted."""
    first, second = scores.softmax(-1).unflatten(1, (c["nHeads"], 2)).unbind(2)
    start = 0.8 - 0.6 * math.exp(-0.3 * i)
    weight = (torch.exp(torch.sum(w[name + "lambda_Q1"] * w[name + "lambda_K1"]))
              - torch.exp(torch.sum(w[name + "lambda_Q2"] * w[name + "lambda_K2"])) + start)
    y = (first - weight * second) @ v
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5) * w[name + "ln_z.w"]
    return y * (1 - start)


def attention(c, one, i, w, name, x):
    batch, tokens, _ = x.shape
    heads, pseudo = c["nHeads"], one["nPseudo"]
    q, k, v = (torch.einsum("bnw,hwd->bhnd", x, w[name + part]) for part in ("W_Q", "W_K", "W_V"))
    if one["kind"] == "iha":
        # mix, then interleave token-major: virtual index n*P + p
        q, k, v = (torch.einsum("bmnd,mhp->bhnpd", base, w[name + part]).flatten(2, 3)
                   for base, part in ((q, "alpha_Q"), (k, "alpha_K"), (v, "alpha_V")))
    if one["kind"] == "iha-lite":
        q, k, v = (torch.einsum("bmnd,mh->bhnd", base, w[name + part])
                   for base, part in ((q, "alpha_Q"), (k, "alpha_K"), (v, "alpha_V")))
    if c["nKvHeads"] < heads:  # neighbouring query heads share a key/value head
        k, v = (t.repeat_interleave(heads // c["nKvHeads"], 1) for t in (k, v))
    virtual = torch.arange(tokens * pseudo)
    token = torch.div(virtual, pseudo, rounding_mode="floor")
    position = (virtual if one["positions"] == "virtual" else token).to(x.dtype)
    q, k = rotated(c, one, q, position), rotated(c, one, k, position)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    order = virtual if one["mask"] == "flat" else token
    allowed = order[None, :] <= order[:, None]
    if one["window"]:
        allowed &= (token[:, None] - token[None, :]).abs() < one["window"]
    if one["mask"] == "none":
        allowed = torch.ones_like(allowed)
    if one["kind"] == "talking-heads":
        scores = torch.einsum("bfij,fg->bgij", scores, w[name + "mix_L"])
    scores = scores.masked_fill(~allowed, -math.inf)
    if one["kind"] == "talking-heads":
        y = torch.einsum("bgij,gh->bhij", scores.softmax(-1), w[name + "mix_W"]) @ v
    elif one["kind"] == "differential":
        y = differential(c, i, w, name, scores, v)
    else:
        y = scores.softmax(-1) @ v
    if one["kind"] == "iha":
        y = y.unflatten(2, (tokens, pseudo))  # [B, H, N, P, d]
        if one["collapse"] == "full":
            r = w[name + "R"].unflatten(1, (heads, pseudo))
            y = torch.einsum("bhnpd,ghp->bgnd", y, r)
        else:
            y = torch.einsum("bhnpd,hp->bhnd", y, w[name + "R"])
    return torch.einsum("bhnd,hdw->bnw", y, w[name + "W_O"])


def logits(c, w, ids):
    x = w["embed.W_E"][ids]
    if c["learnedPositions"]:
        x = x + w["pos_embed.W_pos"][:ids.shape[1]]
    for i, one in enumerate(c["layers"]):
        block = f"blocks.{i}."
        x = x + attention(c, one, i, w, block + "attn.", normed(c, w, block + "ln1", x))
        if c["dMlp"]:
            inner = normed(c, w, block + "ln2", x) @ w[block + "mlp.W_in"] + w[block + "mlp.b_in"]
            x = x + (torch.nn.functional.gelu(inner) @ w[block + "mlp.W_out"]
                     + w[block + "mlp.b_out"])
    x = normed(c, w, "ln_final", x) @ w["unembed.W_U"]
    return x + w["unembed.b_U"] if c["headBias"] else x


def loss_of(c, w, ids, targets):
    rows = logits(c, w, ids).reshape(-1, c["dVocab"])
    return torch.nn.functional.cross_entropy(rows, targets.reshape(-1), ignore_index=-1)


def decays(name):
    return name.rsplit(".", 1)[-1].startswith("W_")


def rate(step):
    """Of update `step`, counted from 1."""
    s = SETTINGS
    if step < s["warmupSteps"]:
        return s["learningRate"] * step / s["warmupSteps"]
    progress = (step - s["warmupSteps"]) / (s["steps"] - s["warmupSteps"])
    shape = 0.5 * (1 + math.cos(math.pi * progress))
    return s["learningRate"] * (s["finalFraction"] + (1 - s["finalFraction"]) * shape)


def write(path, tensors, metadata):
    """A safetensors file; numbers as float64 except whole ones, as float32."""
    header, data = {"__metadata__": metadata}, b""
    for name, array in sorted(tensors.items()):
        whole = array.dtype.kind == "i"
        raw = numpy.ascontiguousarray(array, "<f4" if whole else "<f8").tobytes()
        header[name] = {"dtype": "F32" if whole else "F64", "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def golden(c, seed):
    random = numpy.random.default_rng(seed)
    w = {}
    for name, shape in shapes(c):
        centre = 1.0 if name.endswith(("ln1.w", "ln2.w", "ln_z.w", "ln_final.w")) else 0.0
        start = random.normal(centre, 0.5, shape).astype("f4")  # both sides hold these exactly
        w[name] = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    size = (SETTINGS["steps"], SETTINGS["batch"], TOKENS)
    ids = random.integers(0, c["dVocab"], size)
    targets = random.integers(-1, c["dVocab"], size + (c["nSlots"],))
    tensors = {"ids": ids, "targets": targets}
    tensors.update({"w." + name: value.detach().numpy().copy() for name, value in w.items()})

    optimizer = torch.optim.AdamW(
        [{"params": [value for name, value in w.items() if decays(name)],
          "weight_decay": SETTINGS["weightDecay"]},
         {"params": [value for name, value in w.items() if not decays(name)], "weight_decay": 0.0}],
        betas=(SETTINGS["beta1"], SETTINGS["beta2"]), eps=SETTINGS["epsilon"])
    losses = []
    for step in range(SETTINGS["steps"]):
        loss = loss_of(c, w, torch.tensor(ids[step]), torch.tensor(targets[step]))
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            tensors.update({"g." + name: value.grad.numpy().copy() for name, value in w.items()})
        torch.nn.utils.clip_grad_norm_(list(w.values()), SETTINGS["clipNorm"])
        for group in optimizer.param_groups:
            group["lr"] = rate(step + 1)
        optimizer.step()
    tensors["losses"] = numpy.array(losses)
    tensors.update({"end." + name: value.detach().numpy() for name, value in w.items()})
    return tensors


def main():
    for seed, (name, c) in enumerate(CONFIGS.items()):
        write(f"{sys.argv[1]}/{name}.safetensors", golden(c, seed),
              {"config": json.dumps(c), "settings": json.dumps(SETTINGS)})


if __name__ == "__main__":
    main()
