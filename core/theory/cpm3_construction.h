#pragma once

#include "core/theory/constructed_layer.h"
#include "core/theory/cpm3_task.h"

#include <functional>

namespace headloom {

/// Pi [N, N], float64: row i looks at token i + 1, cyclically.
Tensor cyclicShift(int nTokens);

/// Head t shifts by t: W_Q = [0; Pi^t], W_K = [0; I], W_V = e_0. N heads, the fewest known and not
/// proved to be needed (iha.md 7).
AttentionWeights mhaCpm3(int nTokens);

/// H = P = ceil(sqrt(N)): the router of the filter bank on Pi, so that tile r of head h shifts by
/// h H + r. Values are H times the symbol, because the hard softmax of a row shares its weight
/// among the H key pseudo-heads, whose scores tie.
AttentionWeights ihaCpm3(int nTokens);

/// The MLP that counts: of row i's workspace w [N, N], w[i, t] = x_(i+t), every ordered pair
/// (t1, t2) is a hidden unit ReLU(1 - (w_0 + G w_t1 + w_t2) mod M), which is 1 for a pair that
/// counts and 0 for others. [N, N, N]: row, t1, t2. float64 on the host. No operator of a model
/// takes the remainder, which is done here; all else runs on the backend.
Tensor runCpm3Hidden(const Tensor& workspace, int g, int m, DType type, Backend& backend);

/// One construction after it has run.
struct Cpm3Arm {
    int nHeads = 0, nPseudo = 1;
    std::int64_t parameters = 0;  ///< of the attention, counted in its tensors
    /// Tile i is Pi^i; of the interleaved ones, those from N on go round again, unread. [H P, N, N]
    /// on the host, as computed.
    Tensor tiles;
    Tensor workspace;      ///< [N, N] float64, rounded to whole numbers
    double roundedBy = 0;  ///< most that an entry of it was off a whole number
    Tensor hidden;         ///< [N, N, N] as above
    std::vector<std::int64_t> counts;
};

/// Both constructions on one sequence.
struct Cpm3Run {
    Cpm3Task task;
    DType type = DType::f32;
    Cpm3Arm mha, iha;
    std::vector<std::int64_t> expected;  ///< by going through all pairs
};

/// Runs both layers with hard scores and the MLP after them. `type`: what the backend computes in.
/// Errors: those of `validate`; cancelled.
Result<Cpm3Run> runCpm3(const Cpm3Task& task, DType type, Backend& backend,
                        const std::function<bool()>& cancelled = {});

}  // namespace headloom
