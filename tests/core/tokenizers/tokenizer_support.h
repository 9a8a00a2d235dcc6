#pragma once

#include "core/io/tokenizers/tokenizer_files.h"
#include "tests/support/temporary_folder.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headloom::testing {

/// Bytes as the file "f".
inline SourceFile asFile(const std::string& bytes, const char* name = "f") {
    const auto kept = std::make_shared<const std::string>(bytes);
    return {name, std::as_bytes(std::span(*kept)), kept};
}

/// The parts between separators; what follows the last one counts if there is anything.
inline std::vector<std::string> splitAt(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    for (std::size_t end = text.find(separator); end != std::string::npos;
         end = text.find(separator, at)) {
        parts.push_back(text.substr(at, end - at));
        at = end + separator.size();
    }
    if (at < text.size()) parts.push_back(text.substr(at));
    return parts;
}

/// The prompt's own ids, without what is added to every prompt.
inline std::vector<int> typedIds(const std::vector<TokenPiece>& pieces) {
    std::vector<int> ids;
    for (const TokenPiece& piece : pieces)
        if (!piece.implicit) ids.push_back(piece.id);
    return ids;
}

}  // namespace headloom::testing
