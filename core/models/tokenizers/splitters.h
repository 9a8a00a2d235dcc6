#pragma once

#include "core/models/tokenizers/aligned_text.h"
#include "core/models/tokenizers/regex.h"

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <vector>

namespace headloom {

// How a text is cut into the pieces that a model sees one by one ("pre-tokenizers" in
// huggingface/tokenizers).

/// A text and the stretches of it that are pieces so far, in order, none of them empty.
struct Pieces {
    AlignedText text;
    std::vector<Regex::Match> stretches;
    bool atPromptStart = true;  ///< whether the text begins where the prompt does
};

/// The error says what a pattern could not do.
using Splitter = std::function<tl::expected<void, std::string>(Pieces& pieces)>;

/// What becomes of the matches of a pattern.
enum class SplitBehaviour { removed, isolated, mergedWithPrevious, mergedWithNext, contiguous };

/// Where a pattern matches in one piece.
using Finder =
    std::function<tl::expected<std::vector<Regex::Match>, std::string>(std::string_view piece)>;
Finder findRegex(Regex pattern);
Finder findLiteral(std::string text);
/// Every character for which it holds.
Finder findCharacters(std::function<bool(char32_t)> holds);

/// `invert`: what the pattern does not match counts as matched.
Splitter splitBy(Finder finder, SplitBehaviour behaviour, bool invert = false);

/// A space before every piece that does not begin with one.
Splitter prefixSpace();

/// When Metaspace puts its mark before a piece.
enum class PrependScheme { always, first, never };
/// SentencePiece's marks: spaces become `mark`, and a piece begins at each where `split` is set.
Splitter metaspace(std::string mark, PrependScheme scheme, bool split);

}  // namespace headloom
