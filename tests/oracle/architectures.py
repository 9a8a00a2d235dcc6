#!/usr/bin/env python3
"""Small random models of other people's architectures, for tests/core/io/tst_architectures.cpp.

Run by hand where torch, transformers 5 and safetensors are installed (pip, in a folder of its own):
    python tests/oracle/architectures.py tests/data/architectures
Those that transformers has are made and run by it; nanoGPT, TransformerLens and interleaved heads
are written here from their formulas. Weights are rounded to float16, which is how they are stored,
and logits computed from the rounded ones in float64 (transformers does norms, rotations and softmax
in float32 all the same). NAME.safetensors and NAME.json are checkpoint and configuration;
golden.safetensors holds "NAME.ids" and "NAME.logits".
"""
import json
import math
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file

IDS = [3, 1, 7, 12, 0, 5, 5, 9, 2]
GOLDEN = {}
FOLDER = pathlib.Path(sys.argv[1])


def keep(name, state, config, logits):
    stored = {key: value.detach().to(torch.float16).contiguous().clone()
              for key, value in state.items()}
    save_file(stored, FOLDER / f"{name}.safetensors")
    if config is not None:
        (FOLDER / f"{name}.json").write_text(json.dumps(config) + "\n")
    GOLDEN[f"{name}.ids"] = torch.tensor(IDS, dtype=torch.int64)
    GOLDEN[f"{name}.logits"] = logits.detach().to(torch.float32).contiguous()


def rounded(shape, scale=0.5):
    return (torch.randn(shape) * scale).to(torch.float16).double()


def small(config):
    """What a configuration says beyond its defaults, as a file has it."""
    said = config.to_diff_dict()
    for key in ("transformers_version", "torch_dtype", "dtype", "architectures"):
        said.pop(key, None)
    return said


def from_transformers(name, config, config_text=None):
    torch.manual_seed(len(name) * 7)
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            scale = 0.4 if parameter.dim() > 1 else 0.3
            parameter.copy_(torch.randn(parameter.shape) * scale + ("norm" in key or "ln_" in key)
                            * ("weight" in key))
    model = model.double()  # not half(): that would round the rotary frequencies too
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().double())
        logits = model(torch.tensor([IDS])).logits[0]
    state = model.state_dict()
    if config.tie_word_embeddings:
        state.pop("lm_head.weight", None)
    keep(name, state, config_text or small(config), logits)


LLAMA = dict(vocab_size=13, hidden_size=8, intermediate_size=12, num_hidden_layers=2,
             num_attention_heads=4, num_key_value_heads=2, head_dim=4, max_position_embeddings=64)


def all_of_transformers():
    from_transformers("llama", transformers.LlamaConfig(
        **LLAMA, attention_bias=True, mlp_bias=True, tie_word_embeddings=False, rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "llama3", "rope_theta": 10000.0, "factor": 4.0,
                         "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 16}))
    from_transformers("mistral", transformers.MistralConfig(
        **LLAMA, sliding_window=3, tie_word_embeddings=False))
    qwen2 = transformers.Qwen2Config(
        **{**LLAMA, "hidden_size": 16}, use_sliding_window=True, sliding_window=4,
        max_window_layers=1, tie_word_embeddings=True)
    from_transformers("qwen2", qwen2)
    qwen3 = transformers.Qwen3Config(
        **{**LLAMA, "head_dim": 6}, use_sliding_window=False, sliding_window=2,
        tie_word_embeddings=True)
    said = {**small(qwen3), "sliding_window": 2, "max_window_layers": 1}
    del said["layer_types"]  # as files of version 4 have it: a window, and that it is off
    from_transformers("qwen3", qwen3, said)
    linear = transformers.LlamaConfig(
        **LLAMA, tie_word_embeddings=True,
        rope_parameters={"rope_type": "linear", "rope_theta": 500.0, "factor": 2.5})
    # as version 4 wrote it, head_dim left to D/H = 2 being wrong on purpose: the tensors win
    old = {key: value for key, value in small(linear).items() if key != "rope_parameters"}
    old.update(rope_theta=500.0, rope_scaling={"type": "linear", "factor": 2.5}, head_dim=None,
               tie_word_embeddings=True, model_type="llama")
    from_transformers("smollm", linear, old)
    from_transformers("gpt2", transformers.GPT2Config(
        vocab_size=13, n_positions=16, n_embd=8, n_layer=2, n_head=2, n_inner=None,
        activation_function="gelu_new", scale_attn_by_inverse_layer_idx=True))


def norm(x, weight, bias=None, rms=False, eps=1e-5):
    if not rms:
        x = x - x.mean(-1, keepdim=True)
    x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weight
    return x if bias is None else x + bias


def attend(q, k, v, mask, scale):
    """[H, N, d] each."""
    scores = q @ k.transpose(-1, -2) * scale
    return torch.softmax(scores.masked_fill(~mask, -math.inf), -1) @ v


def causal(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def nanogpt():
    torch.manual_seed(5)
    width, heads = 8, 2
    w = {"transformer.wte.weight": rounded((16, width)),
         "transformer.wpe.weight": rounded((16, width))}
    for i in range(2):
        at = f"transformer.h.{i}."
        for one in ("ln_1", "ln_2"):
            w[f"{at}{one}.weight"] = 1 + rounded((width,), 0.2)
        w[at + "attn.c_attn.weight"] = rounded((3 * width, width))
        w[at + "attn.c_proj.weight"] = rounded((width, width))
        w[at + "mlp.c_fc.weight"] = rounded((4 * width, width))
        w[at + "mlp.c_proj.weight"] = rounded((width, 4 * width))
        w[at + "attn.bias"] = torch.ones(1, 1, 16, 16).tril()
    w["transformer.ln_f.weight"] = 1 + rounded((width,), 0.2)
    w["lm_head.weight"] = w["transformer.wte.weight"]
    w = {key: value.to(torch.float16).double() for key, value in w.items()}
    x = w["transformer.wte.weight"][IDS] + w["transformer.wpe.weight"][:len(IDS)]
    for i in range(2):
        at = f"transformer.h.{i}."
        y = norm(x, w[at + "ln_1.weight"]) @ w[at + "attn.c_attn.weight"].T
        q, k, v = (part.unflatten(-1, (heads, -1)).transpose(0, 1) for part in y.chunk(3, -1))
        z = attend(q, k, v, causal(len(IDS)), (width // heads) ** -0.5)
        x = x + z.transpose(0, 1).flatten(1) @ w[at + "attn.c_proj.weight"].T
        y = norm(x, w[at + "ln_2.weight"]) @ w[at + "mlp.c_fc.weight"].T
        x = x + torch.nn.functional.gelu(y) @ w[at + "mlp.c_proj.weight"].T
    logits = norm(x, w["transformer.ln_f.weight"]) @ w["lm_head.weight"].T
    keep("nanogpt", w, {"n_layer": 2, "n_head": heads, "n_embd": width, "block_size": 16,
                        "vocab_size": 16, "bias": False}, logits)


def transformer_lens(name, mlp, outputs, bidirectional, norms):
    torch.manual_seed(9 + outputs)
    width, heads, d, layers = 6, 3, 4, 2
    w = {"embed.W_E": rounded((13, width)), "pos_embed.W_pos": rounded((12, width))}
    for i in range(layers):
        at = f"blocks.{i}."
        for one in ("ln1", "ln2")[:1 + mlp] if norms else ():
            w[f"{at}{one}.w"], w[f"{at}{one}.b"] = 1 + rounded((width,), .2), rounded((width,), .2)
        for one in "QKV":
            w[f"{at}attn.W_{one}"] = rounded((heads, width, d))
            w[f"{at}attn.b_{one}"] = rounded((heads, d))
        w[at + "attn.W_O"], w[at + "attn.b_O"] = rounded((heads, d, width)), rounded((width,))
        w[at + "attn.mask"] = torch.ones(12, 12).tril()
        w[at + "attn.IGNORE"] = torch.tensor(-1e4)
        if mlp:
            w[at + "mlp.W_in"], w[at + "mlp.b_in"] = rounded((width, 10)), rounded((10,))
            w[at + "mlp.W_out"], w[at + "mlp.b_out"] = rounded((10, width)), rounded((width,))
    if norms:
        w["ln_final.w"], w["ln_final.b"] = 1 + rounded((width,), .2), rounded((width,), .2)
    w["unembed.W_U"], w["unembed.b_U"] = rounded((width, outputs)), rounded((outputs,))
    w = {key: value.to(torch.float16).double() for key, value in w.items()}
    n = len(IDS)
    mask = torch.ones(n, n, dtype=torch.bool) if bidirectional else causal(n)
    ln = (lambda x, at: norm(x, w[at + ".w"], w[at + ".b"])) if norms else (lambda x, at: x)
    x = w["embed.W_E"][IDS] + w["pos_embed.W_pos"][:n]
    for i in range(layers):
        at = f"blocks.{i}."
        y = ln(x, at + "ln1")
        q, k, v = (torch.einsum("nw,hwd->hnd", y, w[f"{at}attn.W_{one}"])
                   + w[f"{at}attn.b_{one}"][:, None] for one in "QKV")
        z = attend(q, k, v, mask, d ** -0.5)
        x = x + torch.einsum("hnd,hdw->nw", z, w[at + "attn.W_O"]) + w[at + "attn.b_O"]
        if mlp:
            y = ln(x, at + "ln2") @ w[at + "mlp.W_in"] + w[at + "mlp.b_in"]
            x = x + torch.relu(y) @ w[at + "mlp.W_out"] + w[at + "mlp.b_out"]
    logits = ln(x, "ln_final") @ w["unembed.W_U"] + w["unembed.b_U"]
    config = {"act_fn": "relu" if mlp else None, "n_ctx": 12,
              "normalization_type": "LN" if norms else None,
              "attention_dir": "bidirectional" if bidirectional else "causal"}
    keep(name, w, config, logits)


def rotated(x, positions):
    """Half-split pairs; x [..., d], one position a row."""
    half = x.shape[-1] // 2
    angle = positions[:, None] * 10000.0 ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def interleaved(name, layout):
    """A Llama of one layer whose attention has interleaved (or IHA-lite) heads."""
    torch.manual_seed(21)
    width, heads, pseudo, d, n = 8, 2, 2, 4, len(IDS)
    at = "model.layers.0."
    attention = at + "self_attn."
    w = {"model.embed_tokens.weight": rounded((13, width)), "model.norm.weight": torch.ones(width),
         at + "input_layernorm.weight": torch.ones(width),
         at + "post_attention_layernorm.weight": torch.ones(width),
         at + "mlp.gate_proj.weight": rounded((6, width)),
         at + "mlp.up_proj.weight": rounded((6, width)),
         at + "mlp.down_proj.weight": rounded((width, 6))}
    spelled = {"q": "W_Q", "k": "W_K", "v": "W_V", "o": "W_O"} if layout == "c" else {
        one: one + "_proj" for one in "qkvo"}
    for one in "qkvo":
        w[f"{attention}{spelled[one]}.weight"] = rounded((width, width))
    alpha, mix = {}, rounded((heads, heads * pseudo if layout == "c" else pseudo))
    for one in "qkv":
        lite = layout in "de"
        alpha[one] = rounded((heads, heads) if lite else (heads, heads, pseudo))  # source, target
        swapped = alpha[one].transpose(0, 1)
        stored = {"a": ("alpha_" + one, alpha[one]), "c": ("alpha_" + one.upper(), swapped),
                  "d": (one + "_mix", swapped), "e": ("iha_mixing.M_" + one.upper(), alpha[one])}
        if layout == "d" and one == "v":
            alpha[one] = torch.eye(heads).double()
            continue
        key, value = stored[layout]
        w[attention + key] = value
        if lite:
            alpha[one] = alpha[one][:, :, None]
    if layout == "d":
        alpha["v"] = alpha["v"][:, :, None]
    if layout in "ac":
        w[attention + ("collapse" if layout == "a" else "R")] = mix
    w = {key: value.double() for key, value in w.items()}
    p = alpha["q"].shape[2]
    x = w["model.embed_tokens.weight"][IDS]
    y = norm(x, 1, rms=True)
    parts = {}
    for one in "qkv":
        base = (y @ w[f"{attention}{spelled[one]}.weight"].T).unflatten(-1, (heads, d))
        parts[one] = torch.einsum("nmd,mhp->hnpd", base, alpha[one]).flatten(1, 2)
    positions = torch.arange(n * p).double()
    q, k = rotated(parts["q"], positions), rotated(parts["k"], positions)
    virtual = torch.arange(n * p)
    token = virtual // p
    mask = virtual[None] <= virtual[:, None] if layout == "c" else token[None] <= token[:, None]
    out = attend(q, k, parts["v"], mask, d ** -0.5).unflatten(1, (n, p))
    if layout == "a":
        z = torch.einsum("hnpd,hp->nhd", out, mix)
    elif layout == "c":
        z = torch.einsum("hnpd,ghp->ngd", out, mix.unflatten(1, (heads, p)))
    else:
        z = out[:, :, 0].transpose(0, 1)
    x = x + z.flatten(1) @ w[f"{attention}{spelled['o']}.weight"].T
    y = norm(x, 1, rms=True)
    gate = torch.nn.functional.silu(y @ w[at + "mlp.gate_proj.weight"].T)
    x = x + (gate * (y @ w[at + "mlp.up_proj.weight"].T)) @ w[at + "mlp.down_proj.weight"].T
    logits = norm(x, 1, rms=True) @ w["model.embed_tokens.weight"].T
    keep(name, w, {"num_attention_heads": heads, "rms_norm_eps": 1e-5, "hidden_act": "silu",
                   "max_position_embeddings": 32, "rope_theta": 10000.0}, logits)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    all_of_transformers()
    nanogpt()
    transformer_lens("lens", mlp=True, outputs=13, bidirectional=False, norms=True)
    transformer_lens("lens-attention", mlp=False, outputs=5, bidirectional=True, norms=False)
    for layout in "acde":
        interleaved("iha-" + layout, layout)
    save_file(GOLDEN, FOLDER / "golden.safetensors")


main()
