#include "core/models/tokenizers/unicode.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace headloom {

namespace {

utf8proc_category_t categoryOf(char32_t c) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

utf8proc_option_t optionsOf(NormalForm form) {
    int options = UTF8PROC_STABLE;
    options |=
        form == NormalForm::nfc || form == NormalForm::nfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
    if (form == NormalForm::nfkc || form == NormalForm::nfkd) options |= UTF8PROC_COMPAT;
    return static_cast<utf8proc_option_t>(options);
}

}  // namespace

CodePoint codePointAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
    };
    const char32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    if (first < 0xF0) return {(first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
    return {
        (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
        4};
}

CodePoint codePointBefore(std::string_view text, std::size_t end) {
    std::size_t at = end - 1;
    while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return codePointAt(text, at);
}

void appendUtf8(std::string& text, char32_t codePoint) {
    utf8proc_uint8_t bytes[4];
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(codePoint), bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

bool isWhiteSpace(char32_t c) {
    if ((c >= 9 && c <= 13) || c == 0x85) return true;
    const auto category = categoryOf(c);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

bool isPunctuation(char32_t c) {
    const auto category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool isWordCharacter(char32_t c) {
    const auto category = categoryOf(c);
    // circled and squared letters are symbols with the property Alphabetic
    const bool enclosed = (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
                          (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
    return enclosed || (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
           category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D;
}

bool isNonSpacingMark(char32_t c) {
    return categoryOf(c) == UTF8PROC_CATEGORY_MN;
}

bool isMark(char32_t c) {
    const auto category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool isOther(char32_t c) {
    const auto category = categoryOf(c);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO;
}

bool isNumber(char32_t c) {
    const auto category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

std::string lowerCase(char32_t c) {
    std::string text;
    if (c == 0x130) return "i\xCC\x87";
    appendUtf8(text, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    return text;
}

std::string normalised(std::string_view text, NormalForm form) {
    utf8proc_uint8_t* made = nullptr;
    const auto length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &made, optionsOf(form));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, &std::free);
    if (length < 0) return std::string(text);
    return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

bool isNormalisationBoundary(char32_t c) {
    if (c < 0x80) return true;
    // What it decomposes to is what could join the character before it.
    utf8proc_int32_t parts[32] = {static_cast<utf8proc_int32_t>(c)};
    int lastBoundClass = 0;
    utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 32,
                            static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
                            &lastBoundClass);
    const auto first = static_cast<char32_t>(parts[0]);
    const bool medialJamo = first >= 0x1160 && first <= 0x11FF;
    return !isMark(first) && !medialJamo;
}

}  // namespace headloom
