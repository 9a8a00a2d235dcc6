#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace headloom {

/// A token of a piece: bytes [begin, end) of it.
struct PieceToken {
    int id = -1;  ///< -1: no token stands for these bytes
    std::size_t begin = 0, end = 0;
};

/// Cuts one piece of a text (a word, or all of it) into tokens.
class PieceModel {
  public:
    virtual ~PieceModel() = default;
    /// Appends the tokens of a piece of well-formed UTF-8.
    virtual void encode(std::string_view piece, std::vector<PieceToken>& out) const = 0;
};

}  // namespace headloom
