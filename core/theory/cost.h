#pragma once

#include "core/base/error.h"
#include "core/models/config.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Which (query, key) pairs of a map are counted.
enum class PairCount {
    all,    ///< N x N, and N x W in a window, as the paper counts (iha.md 2)
    causal  ///< what a causal mask leaves; of pseudo-tokens, the flat mask
};
/// "all", "causal".
std::string_view nameOf(PairCount count);
Result<PairCount> pairCountFrom(std::string_view name);
/// "full", "per-head", as in CollapseKind.
Result<CollapseKind> costCollapseFrom(std::string_view name);

/// What the attention of a decoder is made of; D = H d. Everything else of a decoder (embeddings,
/// norms, MLPs) is the same for every kind of attention, and left out.
struct CostSizes {
    std::int64_t nTokens = 1024;
    std::int64_t nHeads = 8;
    std::int64_t nKvHeads = 2;  ///< of grouped-query attention
    std::int64_t nPseudo = 2;   ///< 0: not known
    std::int64_t dHead = 64;
    std::int64_t nLayers = 10;
    std::int64_t window = 0;     ///< tokens, own included; 0: the paper's rule, N / (2 P^2)
    std::int64_t nWindowed = 4;  ///< interleaved layers with a window before each plain, global one
    std::int64_t bytesPerNumber = 2;  ///< of the cache
    CollapseKind collapse = CollapseKind::full;
    PairCount pairs = PairCount::all;

    std::int64_t dModel() const { return nHeads * dHead; }
    /// Tokens of the window, at least 1 and at most N. P must be known.
    std::int64_t tokensInWindow() const;

    static constexpr std::int64_t mostTokens = 1 << 24, mostHeads = 4096, mostPseudo = 1024,
                                  mostWidth = 1 << 16, mostLayers = 1024, mostBytes = 8;
};

/// The size that cannot be had, as a sentence with a remedy; a P that is not known among them.
Result<void> validate(const CostSizes& sizes);

/// Sizes by a name.
struct CostPreset {
    std::string name, words;
    CostSizes sizes;
};
/// "paper-2.4b", whose P is not published and so not known here either.
const std::vector<CostPreset>& costPresets();
Result<CostPreset> costPresetFrom(std::string_view name);

enum class CostQuantity {
    parameters,        ///< of W_Q, W_K, W_V, W_O and mixing, all layers
    mixingParameters,  ///< of these, alpha and R
    scoreEntries,      ///< pairs of all heads and layers
    flops,             ///< of a forward pass over N tokens: 2 a multiply-add; no softmax
    cacheBytes,        ///< keys and values of the base heads, as MHA caches them, mixed when read
    pseudoCacheBytes   ///< keys and values of the pseudo-heads, mixed before they are kept
};
/// "parameters", "mixing_parameters", "score_entries", "flops", "cache_bytes",
/// "pseudo_cache_bytes".
std::string_view nameOf(CostQuantity quantity);
std::vector<CostQuantity> costQuantities();

/// A number with the formula that it comes from, in names and in the user's numbers.
struct CostFigure {
    std::string formula;  ///< "4 L D^2 + 4 Li H^2 P"
    std::string numbers;  ///< "4 x 26 x 2560^2 + 4 x 26 x 20^2 x 4"
    std::int64_t value = 0;
};

/// Pairs of one head and layer, which formulas of entries and FLOPs stand on.
struct CostPairs {
    std::string name;  ///< "E" of a plain layer, "Ei" of an interleaved one
    CostFigure figure;
};

/// One kind of attention at these sizes.
struct CostArm {
    std::string name;   ///< "mha", "gqa", "iha", "iha-windowed", "iha-scheduled"
    std::string title;  ///< "IHA, W = 128"
    std::int64_t plainLayers = 0, interleavedLayers = 0;  ///< Lg and Li in formulas
    std::vector<CostPairs> pairs;
    std::vector<CostFigure> figures;  ///< one a CostQuantity, in their order

    const CostFigure& at(CostQuantity quantity) const {
        return figures[static_cast<std::size_t>(quantity)];
    }
};

/// MHA, GQA, IHA over all tokens, IHA in a window in every layer, and the paper's schedule: of
/// every nWindowed + 1 layers the last is plain and global, the others are interleaved and
/// windowed. Errors: those of `validate`; a number over 64 bits.
Result<std::vector<CostArm>> costArms(const CostSizes& sizes);

}  // namespace headloom
