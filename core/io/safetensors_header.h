#pragma once

#include "core/io/safetensors.h"

#include <optional>
#include <string>
#include <string_view>

namespace headloom {

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;  ///< in the order of the text
    std::map<std::string, std::string> metadata;
    std::vector<std::string> warnings;  ///< sentences
};

/// Reads the JSON text. `file` names the file in sentences. Duplicate keys are refused: which of
/// two would count differs between readers. Metadata that is no text is left out with a warning.
Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view text, const std::string& file);

/// Sorts the entries by offset and checks that they tile exactly `dataBytes` bytes, without holes
/// or overlaps, each as long as its type and shape say.
Result<void> checkSafetensorsLayout(std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes,
                                    const std::string& file);

/// Bits of one element; none for a type that this program does not know.
std::optional<std::uint64_t> bitsOfSafetensorsType(std::string_view dtype);

/// The most a header may be long, as in the reference implementation.
constexpr std::uint64_t longestSafetensorsHeader = 100'000'000;

}  // namespace headloom
