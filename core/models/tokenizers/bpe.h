#pragma once

#include "core/models/tokenizers/merge_queue.h"
#include "core/models/tokenizers/piece_model.h"
#include "core/models/tokenizers/token_table.h"

#include <tl/expected.hpp>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headloom {

struct BpeOptions {
    bool onBytes = true;        ///< starts from bytes, or else from characters
    bool ignoreMerges = false;  ///< a piece that is a token stays one, whatever the merges say
    bool byteFallback = false;  ///< a character without a token becomes the tokens of its bytes
    int unknown = -1;           ///< what else it becomes
    bool fuseUnknown = false;   ///< neighbouring unknown characters become one token
};

/// Byte-pair encoding by an ordered list of merges (Sennrich et al. 2016; GPT-2 on bytes).
class Bpe final : public PieceModel {
  public:
    using Merges = std::vector<std::pair<std::string, std::string>>;

    /// `merges` by rank, as spellings of the table. The error names the merge that is none: parts
    /// and result must be tokens.
    static tl::expected<std::shared_ptr<const Bpe>, std::string> of(
        std::shared_ptr<const TokenTable> table, const Merges& merges, const BpeOptions& options);

    void encode(std::string_view piece, std::vector<PieceToken>& out) const override;

  private:
    Bpe(std::shared_ptr<const TokenTable> table, const BpeOptions& options);
    std::vector<Symbol> symbolsOf(std::string_view piece) const;
    void addUnknown(std::string_view piece, const Symbol& symbol,
                    std::vector<Symbol>& symbols) const;

    std::shared_ptr<const TokenTable> table_;
    BpeOptions options_;
    std::array<int, 256> byteIds_{};                   ///< of each byte, or of its <0xNN>
    std::unordered_map<std::uint64_t, Merge> merges_;  ///< by the pair's ids
};

/// SentencePiece's BPE: neighbours join where the vocabulary has the joined text, the best score
/// first. What has no token becomes the <0xNN> tokens of its bytes.
class ScoredBpe final : public PieceModel {
  public:
    /// One score a token of the table.
    ScoredBpe(std::shared_ptr<const TokenTable> table, std::vector<float> scores, int unknown);

    void encode(std::string_view piece, std::vector<PieceToken>& out) const override;

  private:
    int find(std::string_view text) const;

    std::shared_ptr<const TokenTable> table_;
    std::vector<float> scores_;
    int unknown_;
    std::array<int, 256> byteIds_{};
};

}  // namespace headloom
