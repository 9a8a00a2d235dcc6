#include "core/models/tokenizers/aligned_text.h"

#include "core/models/tokenizers/unicode.h"

#include <numeric>

namespace headloom {

bool mayGrow(std::size_t before, std::size_t after) {
    return after / 16 <= before + 64;
}

AlignedText::AlignedText(std::string_view text, std::size_t begin)
    : text_(text), begin_(text.size()), end_(text.size()) {
    std::iota(begin_.begin(), begin_.end(), static_cast<std::uint32_t>(begin));
    std::iota(end_.begin(), end_.end(), static_cast<std::uint32_t>(begin + 1));
}

void AlignedText::append(const AlignedText& other, std::size_t from, std::size_t to) {
    const auto first = static_cast<std::ptrdiff_t>(from), last = static_cast<std::ptrdiff_t>(to);
    text_.append(other.text_, from, to - from);
    begin_.insert(begin_.end(), other.begin_.begin() + first, other.begin_.begin() + last);
    end_.insert(end_.end(), other.end_.begin() + first, other.end_.begin() + last);
}

void AlignedText::appendInPlaceOf(const AlignedText& other, std::size_t from, std::size_t to,
                                  std::string_view text) {
    text_ += text;
    begin_.insert(begin_.end(), text.size(), other.begin_[from]);
    end_.insert(end_.end(), text.size(), other.end_[to - 1]);
}

void AlignedText::appendBeside(const AlignedText& other, std::size_t at, std::string_view text) {
    const bool last = at == other.size();
    const CodePoint c = last ? codePointBefore(other.text_, at) : codePointAt(other.text_, at);
    const std::size_t from = last ? at - c.length : at;
    appendInPlaceOf(other, from, from + c.length, text);
}

}  // namespace headloom
