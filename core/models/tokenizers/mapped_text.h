#pragma once

#include "core/models/tokenizers/aligned_text.h"
#include "core/models/tokenizers/unicode.h"

namespace headloom {

/// Goes through the characters of a text; `visit(character, from, to, out)` appends what becomes of
/// each.
template <class Visit>
AlignedText mappedText(const AlignedText& text, const Visit& visit) {
    AlignedText out;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = codePointAt(text.text(), at);
        visit(c.value, at, at + c.length, out);
        at += c.length;
    }
    return out;
}

}  // namespace headloom
