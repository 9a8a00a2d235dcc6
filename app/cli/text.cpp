#include "app/cli/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom::cli {

namespace {

unsigned char byteAt(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Bytes of the well-formed UTF-8 code point that starts at `at` (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF); 0 where there is none.
std::size_t codePointLength(std::string_view text, std::size_t at) {
    const unsigned char first = byteAt(text, at);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byteAt(text, at + i) & 0xC0) != 0x80) return 0;
    const unsigned char second = byteAt(text, at + 1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
    return length;
}

std::string spelled(std::string_view bytes, bool hideControls) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = codePointLength(bytes, at);
        const unsigned char byte = byteAt(bytes, at);
        if (length == 0 || (hideControls && (byte < 0x20 || byte == 0x7F))) {
            text += fmt::format("<0x{:02X}>", byte);
            ++at;
        } else {
            text += bytes.substr(at, length);
            at += length;
        }
    }
    return text;
}

std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}  // namespace

std::string asUtf8(std::string_view bytes) {
    return spelled(bytes, false);
}

std::string visible(std::string_view bytes) {
    return spelled(bytes, true);
}

Table::Table(std::vector<std::string> headings) : rows_{std::move(headings)} {}

void Table::add(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - widthOf(row[i]), ' ');
            const bool last = i + 1 == widths.size();
            line += (i > 0 ? "  " : "") + (last ? row[i] : padding + row[i]);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace headloom::cli
