#pragma once

#include "core/models/tokenizers/aligned_text.h"
#include "core/models/tokenizers/regex.h"
#include "core/models/tokenizers/unicode.h"

#include <tl/expected.hpp>

#include <functional>
#include <string>

namespace headloom {

// What happens to a text before it is cut into pieces, under the names of huggingface/tokenizers.

/// One rewriting. The error says what a pattern could not do.
using Normaliser = std::function<tl::expected<AlignedText, std::string>(const AlignedText& text)>;

Normaliser unicodeForm(NormalForm form);
Normaliser lowercase();
/// Keeps the characters that `drop` does not name.
Normaliser without(bool (*drop)(char32_t));
/// White space at the begin or end removed.
Normaliser strip(bool left, bool right);
/// Before every text that is not empty.
Normaliser prepend(std::string prefix);
Normaliser replace(std::string literal, std::string with);
Normaliser replace(Regex pattern, std::string with);

}  // namespace headloom
