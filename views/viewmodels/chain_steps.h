#pragma once

#include <QString>

#include <array>
#include <vector>

namespace headloom {

struct ColumnPair;

/// What one model says at one step.
struct ChainMark {
    bool present = false;  ///< false: no model there, or its chain ended before
    QString token;         ///< said: the most probable (true chain) or the chosen one (on its own)
    double probability = 0;
    bool wrong = false;   ///< not the true token; on its own: only the first such step
    bool dimmed = false;  ///< follows from a wrong symbol
    friend bool operator==(const ChainMark&, const ChainMark&) = default;
};

/// One step of the chain rail: row `row` is fed and the next token comes out.
struct ChainStep {
    int row = 0;
    QString truth;  ///< the true answer; empty where there is none
    QString note;   ///< what the step is, "hop 2 of 4: c=f"; may be empty
    std::array<ChainMark, 2> marks;
    friend bool operator==(const ChainStep&, const ChainStep&) = default;
};

/// The steps of a chain: the rows that predict something that counts, or every row of a free
/// prompt. With several slots the tokens of a row are joined and the probability is their product.
std::vector<ChainStep> chainSteps(const ColumnPair& columns);

/// The step at which there is something to see: in the second half of the chain, where the maps
/// have rows, the first at which one model errs and the other does not, or else two thirds along.
/// An index into `steps`.
int tellingStep(const std::vector<ChainStep>& steps);

/// One token of the prompt strip, or the pieces of a word.
struct TokenChip {
    QString text;
    QString ids;              ///< "403", or of a word "317 396"
    int first = 0, last = 0;  ///< tokens that it stands for
    bool implicit = false;    ///< nobody typed it: the tokenizer adds it
    QString other;            ///< the right column's token where the two differ (on its own)
    bool given = false;
    bool evidence = false;
    bool current = false;
    bool later = false;
    friend bool operator==(const TokenChip&, const TokenChip&) = default;
};

/// Tokens fed so far and to come, as seen at row `row`; `words`: with the pieces of a word on one
/// chip, words being those of the column that stands for both.
std::vector<TokenChip> tokenChips(const ColumnPair& columns, int row, bool words = false);

/// What a space or a line break looks like on a chip.
QString visibleToken(const QString& token);

}  // namespace headloom
