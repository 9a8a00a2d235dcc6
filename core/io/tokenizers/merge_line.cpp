#include "core/io/tokenizers/merge_line.h"

#include "core/base/utf8.h"
#include "core/models/tokenizers/byte_alphabet.h"

namespace headloom {

namespace {

std::optional<std::string> spelled(std::string_view part, MergeSpelling spelling) {
    if (part.empty() || firstNotUtf8(part)) return std::nullopt;
    if (spelling == MergeSpelling::text) return std::string(part);
    return bytesOfSpelling(part);
}

}  // namespace

std::optional<std::pair<std::string, std::string>> mergeOfParts(std::string_view left,
                                                                std::string_view right,
                                                                MergeSpelling spelling) {
    auto first = spelled(left, spelling), second = spelled(right, spelling);
    if (!first || !second) return std::nullopt;
    return std::pair(std::move(*first), std::move(*second));
}

std::optional<std::pair<std::string, std::string>> mergeOfLine(std::string_view line,
                                                               MergeSpelling spelling) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
        return std::nullopt;
    return mergeOfParts(line.substr(0, space), line.substr(space + 1), spelling);
}

}  // namespace headloom
