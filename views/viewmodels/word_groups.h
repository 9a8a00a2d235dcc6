#pragma once

#include "views/viewmodels/map_view.h"

#include <QString>

#include <vector>

namespace headloom {

/// Which word each token of a sequence belongs to (Tokenizer::wordStarts). Tokens of a model
/// without a tokenizer are words of their own.
struct WordGroups {
    std::vector<int> wordOf;  ///< of every token
    std::vector<int> first;   ///< of every word: its first token
    std::vector<QString> texts;

    int words() const { return static_cast<int>(first.size()); }
    /// Last token of a word.
    int last(int word) const;
    /// Whether any word has several pieces.
    bool merges() const { return first.size() < wordOf.size(); }
};

WordGroups wordGroups(const ColumnRun& column);

/// A map of tokens as one of words: attention to a word is the sum over its pieces, attention of a
/// word the mean over its pieces, so that a row keeps its sum. Of the word that row `row` is in,
/// only the pieces up to there count: later ones have not happened yet.
MapView merged(const MapView& map, const WordGroups& groups, int row);
/// One cell of it, at the words of the cell's tokens.
double mergedValue(const ColumnRun& column, int layer, int row, const CellRef& cell,
                   const WordGroups& groups);

}  // namespace headloom
