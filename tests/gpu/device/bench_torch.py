"""PyTorch in eager mode at the sizes of app/cli/bench_cases.h, float32 without TF32, on its GPU if it has
one. Prints lines as `headloom-device bench` does: "bench", name, "torch", median milliseconds, quartiles.

    python3 bench_torch.py [--seconds 0.3]
"""
import argparse
import statistics
import time

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# name: tokens, width, heads, pseudo-heads (1 and no mixing: MHA), layers, vocabulary
SIZES = {
    "mha-small": (64, 64, 4, 0, 2, 64),
    "iha-small": (64, 64, 4, 4, 2, 64),
    "mha-class": (128, 128, 8, 0, 2, 64),
    "iha-class": (128, 128, 8, 8, 2, 64),
    "mha-long": (1024, 512, 8, 0, 4, 512),
}
TRAINING_BATCH = {"mha-small": 32, "iha-small": 32, "mha-class": 8, "iha-class": 8}


class Attention(nn.Module):
    def __init__(self, tokens, width, heads, pseudo):
        super().__init__()
        self.heads, self.copies, self.depth = heads, max(pseudo, 1), width // heads
        self.project = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(3))
        self.out = nn.Linear(width, width, bias=False)
        self.mix = None
        if pseudo:
            mixing = torch.randn(3, heads, heads, pseudo) * 0.3
            self.mix = nn.Parameter(mixing + torch.eye(heads)[None, :, :, None])
            self.fold = nn.Parameter(torch.randn(heads, heads, pseudo) / pseudo)
        places = torch.arange(tokens * self.copies)
        turns = torch.outer(places, 10000.0 ** (-2 * torch.arange(self.depth // 2) / self.depth))
        self.register_buffer("cosine", turns.cos())
        self.register_buffer("sine", turns.sin())
        self.register_buffer("future", places[None, :] > places[:, None])

    def rotated(self, x):
        low, high = x.chunk(2, dim=-1)
        return torch.cat((low * self.cosine - high * self.sine, low * self.sine + high * self.cosine), dim=-1)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = [p(x).view(batch, tokens, self.heads, self.depth) for p in self.project]
        if self.mix is None:
            q, k, v = (part.transpose(1, 2) for part in parts)
        else:  # virtual tokens: all copies of a token, then those of the next
            q, k, v = (torch.einsum("bnsd,stp->btnpd", part, mixing).flatten(2, 3)
                       for part, mixing in zip(parts, self.mix))
        logits = self.rotated(q) @ self.rotated(k).mT * self.depth ** -0.5
        maps = logits.masked_fill(self.future, float("-inf")).softmax(-1)
        read = maps @ v
        if self.mix is None:
            folded = read.transpose(1, 2)
        else:
            folded = torch.einsum("bhnpd,ghp->bngd", read.unflatten(2, (tokens, self.copies)), self.fold)
        return self.out(folded.reshape(batch, tokens, width)), maps


class Layer(nn.Module):
    def __init__(self, tokens, width, heads, pseudo):
        super().__init__()
        self.norms = nn.ModuleList((nn.LayerNorm(width), nn.LayerNorm(width)))
        self.attention = Attention(tokens, width, heads, pseudo)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        added, maps = self.attention(self.norms[0](x))
        x = x + added
        return x + self.mlp(self.norms[1](x)), maps


class Transformer(nn.Module):
    def __init__(self, tokens, width, heads, pseudo, layers, vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Layer(tokens, width, heads, pseudo) for _ in range(layers))
        self.read = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False))

    def forward(self, ids):
        x, kept = self.embed(ids), []
        for layer in self.layers:
            x, maps = layer(x)
            kept.append(maps)
        return self.read(x), kept


def measure(name, work, seconds):
    """Runs for so many seconds, five times at least, after three that do not count."""
    times, begin = [], 0.0
    while len(times) < 8 or time.perf_counter() - begin < seconds:
        if len(times) == 3:
            begin = time.perf_counter()
        start = time.perf_counter()
        work()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    first, median, third = statistics.quantiles(times[3:], n=4)
    print("bench", name, "torch", f"{median:.3f}", f"{first:.3f}", f"{third:.3f}", sep="\t", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0.3)
    seconds = parser.parse_args().seconds
    torch.backends.cuda.matmul.allow_tf32 = False
    print("device", "torch", torch.__version__, DEVICE, sep="\t")
    for name, (tokens, *rest) in SIZES.items():
        model = Transformer(tokens, *rest).to(DEVICE)
        ids = torch.randint(rest[-1], (1, tokens), device=DEVICE)
        with torch.no_grad():
            measure(f"forward/{name}", lambda: model(ids)[0].cpu(), seconds)
    for name, batch in TRAINING_BATCH.items():
        tokens, *rest = SIZES[name]
        model = Transformer(tokens, *rest).to(DEVICE)
        ids = torch.randint(rest[-1], (batch, tokens), device=DEVICE)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(ids)[0].flatten(0, 1), ids.flatten())
            loss.backward()
            optimizer.step()
            return loss.item()

        measure(f"train/{name}", step, seconds)


main()
