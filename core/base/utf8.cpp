#include "core/base/utf8.h"

#include <fmt/format.h>

namespace headloom {

namespace {

unsigned char byteAt(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
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

}  // namespace

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

std::optional<std::size_t> firstNotUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = codePointLength(text, at);
        if (length == 0) return at;
        at += length;
    }
    return std::nullopt;
}

std::string asUtf8(std::string_view bytes) {
    return spelled(bytes, false);
}

std::string visible(std::string_view bytes) {
    return spelled(bytes, true);
}

}  // namespace headloom
