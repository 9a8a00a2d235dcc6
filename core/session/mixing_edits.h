#pragma once

#include "core/session/column_changes.h"
#include "core/session/mixing_weights.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headloom {

/// Mixing that everybody knows.
struct MixingPreset {
    enum class Kind {
        trained,   ///< as it was opened
        identity,  ///< every pseudo-head a copy of its head, R the last one of its own (iha.md 3)
        uniform,   ///< every source alike: alpha = 1/H, R = 1 / its number of columns
        random     ///< normal numbers that keep the scale: alpha of variance 1/H, R of 1/columns
    };
    Kind kind = Kind::trained;
    std::uint64_t seed = 0;  ///< of random
    friend bool operator==(const MixingPreset&, const MixingPreset&) = default;
};
/// "identity", "random:7".
std::string textOf(const MixingPreset& preset);
/// Error: none of that name, or a seed that is no number.
Result<MixingPreset> mixingPresetFrom(std::string_view text);

/// Which matrices a preset is for.
struct MixingScope {
    std::optional<int> layer;            ///< none: of all layers
    std::optional<MixingTensor> matrix;  ///< none: all of them
};

/// Changes with one weight set. A tensor that is back at what was trained is no change any more.
/// Errors: as offsetOf.
Result<ColumnChanges> withWeight(const Model& trained, const ColumnChanges& changes,
                                 const MixingWeight& weight, float value);
/// Changes with every matrix in scope at (1 - t) from + t to, t in [0, 1]; exactly `from` or `to`
/// at the ends. Errors: no layer in scope has such a matrix, t out of range.
Result<ColumnChanges> withMixing(const Model& trained, const ColumnChanges& changes,
                                 const MixingScope& scope, const MixingPreset& from,
                                 const MixingPreset& to, double t);
/// Changes without those of the mixing in scope.
ColumnChanges withTrainedMixing(const Model& trained, const ColumnChanges& changes,
                                const MixingScope& scope);

/// A weight as it is with the changes. Precondition: offsetOf has an answer.
float weightOf(const Model& trained, const ColumnChanges& changes, const MixingWeight& weight);

/// One matrix of a preset, in the shape of the trained one.
Tensor presetTensor(const Model& trained, int layer, MixingTensor matrix,
                    const MixingPreset& preset);

}  // namespace headloom
