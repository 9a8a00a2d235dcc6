#!/usr/bin/env python3
"""Writes tests/data/tokenizers: small tokenizers, and what huggingface/tokenizers makes of texts.

    pip install tokenizers==0.23.3
    python3 tests/oracle/tokenizer_goldens.py tests/data/tokenizers

texts.inp holds the texts, set apart by a line of its own; NAME.json is a tokenizer.json; line i of
NAME.out is what it makes of text i, as id:begin:end with offsets in characters.
"""

import json
import pathlib
import sys

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

SEPARATOR = "\n__headloom_text__\n"

CORPUS = [
    "Once upon a time, there was a little girl named Lily. She loved to play outside in the park.",
    "The quick brown fox jumps over the lazy dog; it's 12345 o'clock and we'll see what they've got.",
    "HELLO WORLD, hello world! I'M SURE YOU'RE RIGHT. Tokens are not words, words aren't tokens.",
    "Der Bär läuft über die Straße. Où est la bibliothèque? El niño comió piña. Çok güzel!",
    "我想在苹果工作 東京タワー 안녕하세요 세계 Привет, мир! Γειά σου Κόσμε",
    "def f(x):\n    return x * 2 + 1\n\n\nprint(f(10))\t# 3.14159\n",
    "  spaces   and    more     spaces\n\n \n\t\ttabs  ",
]

TEXTS = [
    "",
    " ",
    "Hello",
    " Hello world",
    "Hello  world   again",
    "Once upon a time, there was a little girl named Lily.",
    "I'm sure we'll see what THEY'VE got, it'S 12 o'clock",
    "1234567 89 0,12 ３４ ½ ²",
    "def f(x):\n    return x*2\n\n\n# end \t\n",
    "\n",
    "\n\n \n\t\n x",
    "trailing   ",
    "\r\nwindows\r\nlines\r\n",
    "Où est la bibliothèque? Straße ÀÉÎÕÜ",
    "e\u0301a\u0300 decomposed, \u1E9B\u0323 and \u00C5 \u212B",
    "İstanbul ΣΑΣ ǅ",
    "我想在apple工作1314天～",
    "東京タワー ﾀﾜｰ ｶﾞ が",
    "안녕 \u1112\u1161\u11AB 한",
    "مرحبا بالعالم हिन्दी ไทย",
    "🚀 😶\u200d🌫️ ✅ 👩\u200d👩\u200d👧",
    "a\u0000b\u0001c\u200bd\ufeffe\ufffdf\u00adg",
    "unassigned \u0378 private \ue000",
    "nbsp\u00a0here\u3000wide\u2003em\u2028line",
    "<s>Hello</s> <unk> <pad>",
    "a<|special|>b <|special|> c<|special|>",
    "x <left>  y  <right>  z <both> w",
    "the word cat, concat, cat cats a-cat cat",
    "ADDED added Added ÀDDED",
    "[CLS] hello [SEP] [MASK] [UNK] world[MASK]",
    "$5+7=12 <b>|x|</b> a_b c^d ~e `f`",
    "don't. 'tis \u2019s \"quoted\" \u00abguillemets\u00bb\u2026",
    "ﬁne ligature ﷺ ½",
    "supercalifragilisticexpialidocious",
    "x" * 120,
    "▁typed▁mark ▁ and <0x41> spelled",
    "\u180e mongolian \u0085 next line",
    "word123word 12ab ab12",
]


def byte_alphabet():
    return sorted(pre_tokenizers.ByteLevel.alphabet())


def byte_level(splitter, size=420, normalizer=None, ignore_merges=False, special=()):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=byte_alphabet(),
                                  special_tokens=list(special), show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def gpt2():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False),
                           special=["<|endoftext|>"])
    tokenizer.add_tokens([
        AddedToken("<left>", lstrip=True, normalized=False),
        AddedToken("<right>", rstrip=True, normalized=False),
        AddedToken("<both>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("cat", single_word=True, normalized=False),
        AddedToken("added", normalized=True),
        AddedToken("word12", normalized=False),
        AddedToken("word1", normalized=False),
    ])
    tokenizer.add_special_tokens(["<|special|>"])
    return tokenizer


def roberta():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True),
                           special=["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0),
                                                            trim_offsets=False)
    return tokenizer


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
          r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def on_bytes_after(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def llama3():
    tokenizer = byte_level(on_bytes_after(LLAMA3), ignore_merges=True,
                           special=["<s>", "<|special|>"])
    # A word that merging alone would not reach.
    state = json.loads(tokenizer.to_str())
    state["model"]["vocab"]["supercalifragilisticexpialidocious"] = tokenizer.get_vocab_size()
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])])
    return tokenizer


def qwen2():
    tokenizer = byte_level(on_bytes_after(LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")),
                           normalizer=normalizers.NFC())
    tokenizer.add_special_tokens(["<|special|>"])
    tokenizer.add_tokens([AddedToken("added", normalized=True), AddedToken("Å", normalized=True)])
    return tokenizer


def smollm():
    return byte_level(pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)]))


def sentence_piece(size=620):
    """BPE on characters with byte fallback, trained on marked words."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    trained.train_from_iterator(CORPUS[:4] + CORPUS[5:], trainer)
    model = json.loads(trained.to_str())["model"]
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = {name: i for i, name in enumerate(names)}
    for token in sorted(model["vocab"], key=model["vocab"].get):
        vocab.setdefault(token, len(vocab))
    merges = [tuple(merge) for merge in model["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True,
                                     byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                           decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in names[:3]])
    return tokenizer


def llama2():
    tokenizer = sentence_piece()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"),
                                                 normalizers.Replace(" ", "▁")])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A",
                                                             special_tokens=[("<s>", 1)])
    tokenizer.add_tokens([AddedToken("added", normalized=True)])
    return tokenizer


def gemma():
    tokenizer = sentence_piece()
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    return tokenizer


def metaspace():
    tokenizer = sentence_piece()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    return tokenizer


def characters():
    """Every way to split, with a model that knows few characters and has no bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=False))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Strip(), normalizers.Replace(Regex(r"o+"), "0")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"[aeiou]"), "merged_with_next"),
        pre_tokenizers.Split("l", "merged_with_previous"),
        pre_tokenizers.Split(Regex(r"[xyz]"), "contiguous"),
        pre_tokenizers.Split(Regex(r"\p{L}+"), "isolated", invert=True),
        pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Punctuation(),
        pre_tokenizers.WhitespaceSplit()])
    trainer = trainers.BpeTrainer(vocab_size=120, special_tokens=["<unk>"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS[:3] + CORPUS[5:], trainer)
    return tokenizer


def bert(lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=420, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def words():
    """Whitespace's words, which are neither BERT's nor spaces'."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=10))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]"],
                                        show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "texts.inp").write_bytes(SEPARATOR.join(TEXTS).encode())
    made = {"gpt2": gpt2(), "roberta": roberta(), "llama3": llama3(), "qwen2": qwen2(),
            "smollm": smollm(), "llama2": llama2(), "gemma": gemma(), "metaspace": metaspace(),
            "characters": characters(), "bert-uncased": bert(True), "bert-cased": bert(False),
            "words": words()}
    for name, tokenizer in made.items():
        state = json.loads(tokenizer.to_str())
        if name == "gpt2":  # merges as strings, as they were written before 0.20
            state["model"]["merges"] = [" ".join(pair) for pair in state["model"]["merges"]]
        (folder / f"{name}.json").write_text(json.dumps(state, ensure_ascii=False) + "\n")
        tokenizer = Tokenizer.from_file(str(folder / f"{name}.json"))
        lines = []
        for text in TEXTS:
            encoding = tokenizer.encode(text)
            lines.append(" ".join(f"{i}:{begin}:{end}" for i, (begin, end)
                                  in zip(encoding.ids, encoding.offsets)))
        (folder / f"{name}.out").write_text("\n".join(lines) + "\n")


main()
