#pragma once

#include "core/io/gguf_file.h"
#include "core/io/source_file.h"
#include "core/models/tokenizer.h"

#include <filesystem>
#include <memory>

namespace headloom {

using TokenizerResult = Result<std::shared_ptr<const Tokenizer>>;

/// Opens a tokenizer, told by its content: a tokenizer.json, a GGUF file, llama2.c's tokenizer
/// .bin, GPT-2's vocab.json with merges.txt beside it (or the other way round), or a folder with
/// one of them. A kind that is understood but not done here gives a tokenizer of ids only
/// (Tokenizer::idsOnlyReason); a damaged file is an error.
TokenizerResult openTokenizer(const std::filesystem::path& path);

// One reader a kind of file. Each takes the whole file, mapped or in memory, and trusts nothing.

/// huggingface/tokenizers. `config` is the text of the tokenizer_config.json beside it, which names
/// BOS and EOS; it may be empty.
TokenizerResult readTokenizerJson(const SourceFile& file, std::string_view config = {});
/// GPT-2's pair of files; `config` as above names the kind of tokenizer too.
TokenizerResult readVocabAndMerges(const SourceFile& vocab, const SourceFile& merges,
                                   std::string_view config = {});
/// The tokenizer.ggml keys of a GGUF file, with or without tensors.
TokenizerResult readGgufTokenizer(const GgufFile& file);
/// karpathy/llama2.c, tokenizer.py: int32 longest (not in its first files), then a float32 score,
/// an int32 length and bytes a token.
TokenizerResult readLlama2cTokenizer(const SourceFile& file);
/// Whether a file can be one: all of it is tokens.
bool looksLikeLlama2cTokenizer(const SourceFile& file);

}  // namespace headloom
