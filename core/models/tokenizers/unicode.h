#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headloom {

/// The code point at `at` of well-formed UTF-8, and its length in bytes.
struct CodePoint {
    char32_t value;
    std::size_t length;
};
CodePoint codePointAt(std::string_view text, std::size_t at);
/// The code point that ends before `end`; end > 0.
CodePoint codePointBefore(std::string_view text, std::size_t end);
void appendUtf8(std::string& text, char32_t codePoint);

bool isWhiteSpace(char32_t c);      ///< Unicode's White_Space
bool isPunctuation(char32_t c);     ///< category P
bool isWordCharacter(char32_t c);   ///< letters, marks, digits and connectors: the \w of Unicode
bool isNonSpacingMark(char32_t c);  ///< category Mn
bool isMark(char32_t c);            ///< category M
bool isOther(char32_t c);           ///< control, format and private use: categories Cc, Cf, Co
bool isNumber(char32_t c);          ///< category N
/// Full lower case of one code point: two of them for U+0130 alone.
std::string lowerCase(char32_t c);

enum class NormalForm { nfc, nfd, nfkc, nfkd };
std::string normalised(std::string_view text, NormalForm form);
/// Whether a text may be cut before this code point without changing its normal forms.
bool isNormalisationBoundary(char32_t c);

}  // namespace headloom
