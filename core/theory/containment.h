#pragma once

#include "core/models/attention_layer.h"

#include <vector>

namespace headloom {

/// An IHA that is to be an MHA (iha.md 3): every pseudo-head is a copy of its head, and R reads one
/// of its own head.
struct ContainmentCase {
    MaskKind mask = MaskKind::flat;
    PositionKind positions = PositionKind::virtualToken;
    ScoreKind score = ScoreKind::softmax;
    int nPseudo = 3;          ///< P
    int selected = 0;         ///< the pseudo-head that R reads
    bool dividedByP = false;  ///< R reads it with weight 1/P instead of 1

    static constexpr int mostPseudo = 6;
};

/// P out of 1..mostPseudo, or a selected pseudo-head that there is not.
Result<void> validate(const ContainmentCase& asked);

/// Why it is not MHA by the rules of iha.md 3.
enum class NotMha {
    itIs,
    virtualPositions,  ///< copies turn by other angles than their token does
    ownTokenSeenLess,  ///< under the flat mask a query sees fewer copies of its own token
    wrongWeight        ///< P linear copies add up and need weight 1/P; shares need weight 1
};
/// For inputs without ties: hard scores then take all from a sole maximum, however often it is
/// seen.
NotMha whyNotMha(const ContainmentCase& asked);

/// The same random layer as MHA and as that IHA, after both have run.
struct ContainmentRun {
    ContainmentCase asked;
    double difference = 0;  ///< largest |IHA - MHA| of an output beside the largest |MHA|
    bool same = false;      ///< but for rounding
    Tensor mhaMaps;         ///< [H, N, N], float32 on the host
    Tensor ihaMaps;         ///< the effective maps M[h, h], likewise
};

/// Heads and tokens of that layer, whose heads are 4 wide.
constexpr int containmentHeads = 3, containmentTokens = 7;

/// `type`: what the backend computes in. Errors: those of `validate`.
Result<ContainmentRun> runContainment(const ContainmentCase& asked, DType type, Backend& backend);

/// Every mask with every kind of positions, the order of a table's rows; `from` gives the rest.
std::vector<ContainmentCase> containmentRows(const ContainmentCase& from);

}  // namespace headloom
