#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headloom {

/// Bytes of the well-formed UTF-8 code point that starts at `at` (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF); 0 where there is none.
std::size_t codePointLength(std::string_view text, std::size_t at);

/// The first byte that belongs to no well-formed code point; none: the text is UTF-8.
std::optional<std::size_t> firstNotUtf8(std::string_view text);

/// The text with bytes that are not UTF-8 as <0xNN>, fit for JSON.
std::string asUtf8(std::string_view bytes);
/// The same with control characters as <0xNN> too, so that a token stays in its table cell.
std::string visible(std::string_view bytes);

}  // namespace headloom
