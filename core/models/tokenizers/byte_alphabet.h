#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headloom {

// GPT-2's vocabulary spells every byte as a printable character: 0x20 is U+0120, the letter a
// itself. Source: openai/gpt-2, encoder.py.

/// The bytes that a spelling stands for; none where a character of it spells no byte.
std::optional<std::string> bytesOfSpelling(std::string_view spelling);

/// The character that spells a byte.
char32_t spellingOfByte(unsigned char byte);

/// The byte of SentencePiece's "<0xNN>"; none for any other text.
std::optional<unsigned char> byteOfHexName(std::string_view name);

}  // namespace headloom
