#pragma once

#include "core/io/tokenizers/tokenizer_files.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace headloom::testing {

/// Opens the bytes as a GGUF file: its tensors, and its tokenizer with a few prompts.
void openGguf(std::span<const std::byte> bytes);
/// Opens the bytes as a tokenizer of that kind and lets it read and write a few prompts.
void openTokenizerJson(std::span<const std::byte> bytes);
void openTokenizerBin(std::span<const std::byte> bytes);
void openTokenizerPair(std::span<const std::byte> bytes);
/// vocab.json, merges.txt and tokenizer_config.json, a zero byte between each and the next.
TokenizerResult readTokenizerPair(std::span<const std::byte> bytes);

std::vector<std::string> ggufSeeds();
std::vector<std::string> tokenizerJsonSeeds();
std::vector<std::string> tokenizerBinSeeds();
std::vector<std::string> tokenizerPairSeeds();

}  // namespace headloom::testing
