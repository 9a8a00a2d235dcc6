#include "core/models/tokenizers/byte_alphabet.h"

#include "core/models/tokenizers/unicode.h"

#include <array>

namespace headloom {

namespace {

/// Bytes that are printable in Latin-1 spell themselves.
bool spellsItself(int byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
    std::array<char32_t, 256> spelling{};
    std::array<int, 512> byte{};

    Alphabet() {
        byte.fill(-1);
        char32_t next = 256;
        for (int i = 0; i < 256; ++i) {
            const auto at = static_cast<std::size_t>(i);
            spelling[at] = spellsItself(i) ? static_cast<char32_t>(i) : next++;
            byte[spelling[at]] = i;
        }
    }
};

const Alphabet& alphabet() {
    static const Alphabet only;
    return only;
}

int hexDigit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::optional<std::string> bytesOfSpelling(std::string_view spelling) {
    std::string bytes;
    for (std::size_t at = 0; at < spelling.size();) {
        const CodePoint c = codePointAt(spelling, at);
        if (c.value >= alphabet().byte.size() || alphabet().byte[c.value] < 0) return std::nullopt;
        bytes += static_cast<char>(alphabet().byte[c.value]);
        at += c.length;
    }
    return bytes;
}

char32_t spellingOfByte(unsigned char byte) {
    return alphabet().spelling[byte];
}

std::optional<unsigned char> byteOfHexName(std::string_view name) {
    if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>') return std::nullopt;
    const int high = hexDigit(name[3]), low = hexDigit(name[4]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<unsigned char>(high * 16 + low);
}

}  // namespace headloom
