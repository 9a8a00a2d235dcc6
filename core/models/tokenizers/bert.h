#pragma once

#include "core/models/tokenizers/normalisers.h"
#include "core/models/tokenizers/splitters.h"

#include <vector>

namespace headloom {

/// How BERT's text is made even. Source: google-research/bert, tokenization.py, and bert.rs of
/// huggingface/tokenizers.
struct BertOptions {
    bool cleansText = true;  ///< control characters dropped, white space made spaces
    bool spacesChinese = true;
    bool stripsAccents = true;
    bool lowercases = true;
};
std::vector<Normaliser> bertNormalisers(const BertOptions& options);

/// Words at white space, and every punctuation character on its own.
std::vector<Splitter> bertSplitters();

/// ASCII's punctuation and symbols, and Unicode's punctuation.
bool isBertPunctuation(char32_t c);

}  // namespace headloom
