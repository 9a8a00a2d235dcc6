#pragma once

#include "core/analysis/row_trace.h"
#include "core/models/weights.h"

#include <string>
#include <vector>

namespace headloom {

/// What is explained: a token's logit, or how far it is above another's.
struct LogitTarget {
    int token = 0;
    int against = -1;  ///< -1: the logit itself, else the difference of the two
    int slot = 0;      ///< which of the row's answers
};

/// A direct contribution to the target.
struct LogitPart {
    enum class Kind {
        embedding,      ///< the row's token
        position,       ///< learned positions
        tile,           ///< (head, p, r) of a layer; p = r = 0 where there are no pseudo-heads
        attentionBias,  ///< b_O
        mlp,            ///< the MLP of a layer without its output bias
        mlpBias,        ///< b_out
        normBias,       ///< shift of the final norm
        headBias        ///< b_U
    };
    Kind kind = Kind::embedding;
    int layer = -1, head = -1, p = 0, r = 0;
    double value = 0;
};

/// As a user writes it where there is such a name: "L1H3.q0k1", "L1.mlp", "L1.attn bias",
/// "embedding".
std::string nameOf(const LogitPart& part);

/// The final norm is linear once its scale is frozen at the value it had: y = (x - mean(x)) * scale
/// * weight + bias. So everything that was added to the residual stream has a share of the logit of
/// its own (direct logit attribution, Elhage et al. 2021), and the shares sum to the logit. What a
/// part does to the logit by way of later layers is in the parts of those.
struct LogitAttribution {
    std::vector<LogitPart> parts;  ///< as they are added: embedding, layer by layer, biases
    double sum = 0;                ///< of all parts
    double magnitude = 0;          ///< of all |parts|
    /// What the model said, before ModelConfig::logitCap; `sum` but for rounding.
    double whole = 0;
    double finalScale = 1;  ///< the frozen scale

    /// A head's own tiles together (semantics.md: what its columns of R carry).
    double head(int layer, int head) const;
};

/// Error: a token or slot that is not there.
Result<LogitAttribution> attributeLogit(const ModelConfig& config, const Weights& weights,
                                        const RowTrace& trace, const LogitTarget& target);

}  // namespace headloom
