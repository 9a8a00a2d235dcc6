#!/usr/bin/python3
"""Ten training steps of small filter layers in PyTorch, for tests/core/tst_filter_model.cpp.

Run by hand with Debian's python3-torch and python3-numpy:
    /usr/bin/python3 tests/oracle/filter_losses.py tests/data/filter
Written from the formulas in float64 and with nothing of ours: one-hot positions are multiplied with
the tables, every sample has its own queries and keys, pseudo-tokens are interleaved, the shift is
numpy.roll, autograd and torch.optim.Adam do the rest. Each file holds the sizes and settings
(metadata, JSON), the initial weights "w.NAME", the inputs "x" [step, B, N, d], the output "out" and
the gradients "g.NAME" of the first batch, the losses "losses" and the weights at the end "end.NAME".
"""
import json
import math
import sys

import numpy
import torch

from train_losses import write

torch.set_default_dtype(torch.float64)

SETTINGS = {"steps": 10, "batch": 3, "learningRate": 1e-2, "warmupSteps": 2, "finalFraction": 0.01,
            "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-8, "clipNorm": 1.0}
CASES = {
    "mha": {"kind": "mha", "heads": 2, "pseudo": 1, "order": 4, "nodes": 5, "d": 2},
    "iha": {"kind": "iha", "heads": 2, "pseudo": 3, "order": 4, "nodes": 5, "d": 1},
}


def shapes(c):
    heads, nodes, width = c["heads"], c["nodes"], c["order"] * c["d"]
    yield "attn.W_Q", (heads, nodes, nodes)
    yield "attn.W_K", (heads, nodes, nodes)
    yield "attn.W_V", (heads, c["d"], width // heads)
    if c["kind"] == "iha":
        for name in ("Q", "K", "V"):
            yield "attn.alpha_" + name, (heads, heads, c["pseudo"])
        yield "attn.R", (heads, heads * c["pseudo"])
    yield "attn.W_O", (heads, width // heads, width)


def output(c, w, x):
    """x [B, N, d] to [B, N, k*d]."""
    heads, pseudo, nodes = c["heads"], c["pseudo"], c["nodes"]
    position = torch.eye(nodes).expand(x.shape[0], nodes, nodes)
    base = {"Q": position, "K": position, "V": x}
    parts = {}
    for name, given in base.items():
        part = torch.einsum("bnw,hwe->bhne", given, w["attn.W_" + name])
        if c["kind"] == "iha":
            part = torch.einsum("bmne,mhp->bhnpe", part, w["attn.alpha_" + name]).flatten(2, 3)
        parts[name] = part
    scores = parts["Q"] @ parts["K"].transpose(-1, -2)  # linear: used as they are, no scale
    y = scores @ parts["V"]
    if c["kind"] == "iha":
        y = y.unflatten(2, (nodes, pseudo))
        y = torch.einsum("bhnpe,ghp->bgne", y, w["attn.R"].unflatten(1, (heads, pseudo)))
    return torch.einsum("bhne,hew->bnw", y, w["attn.W_O"])


def target(c, x):
    return torch.cat([x.roll(i, dims=1) for i in range(c["order"])], dim=-1)


def loss_of(c, w, x):
    wanted = target(c, x)
    return (output(c, w, x) - wanted).pow(2).sum() / wanted.pow(2).sum()


def rate(step):
    s = SETTINGS
    if step < s["warmupSteps"]:
        return s["learningRate"] * step / s["warmupSteps"]
    progress = (step - s["warmupSteps"]) / (s["steps"] - s["warmupSteps"])
    shape = 0.5 * (1 + math.cos(math.pi * progress))
    return s["learningRate"] * (s["finalFraction"] + (1 - s["finalFraction"]) * shape)


def golden(c, seed):
    random = numpy.random.default_rng(seed)
    w = {name: torch.tensor(random.normal(0, 0.5, shape).astype("f4"), dtype=torch.float64,
                            requires_grad=True) for name, shape in shapes(c)}
    x = random.normal(0, 1, (SETTINGS["steps"], SETTINGS["batch"], c["nodes"], c["d"])).astype("f4")
    tensors = {"x": x.astype("f8"),
               "out": output(c, w, torch.tensor(x[0], dtype=torch.float64)).detach().numpy()}
    tensors.update({"w." + name: value.detach().numpy().copy() for name, value in w.items()})
    optimizer = torch.optim.Adam(w.values(), betas=(SETTINGS["beta1"], SETTINGS["beta2"]),
                                 eps=SETTINGS["epsilon"])
    losses = []
    for step in range(SETTINGS["steps"]):
        loss = loss_of(c, w, torch.tensor(x[step], dtype=torch.float64))
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
    for seed, (name, c) in enumerate(CASES.items()):
        write(f"{sys.argv[1]}/{name}.safetensors", golden(c, seed),
              {"case": json.dumps(c), "settings": json.dumps(SETTINGS)})


if __name__ == "__main__":
    main()
