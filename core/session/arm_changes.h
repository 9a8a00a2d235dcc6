#pragma once

#include "core/session/recipe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// What someone changes in an arm of a task: only what is set. Field names are the JSON keys.
struct ArmChanges {
    std::optional<AttentionKind> kind;  ///< every layer's; to IHA brings P = 2 and the usual noise
    std::optional<int> heads;           ///< H; keys and values follow
    std::optional<int> kvHeads;         ///< key/value heads, a divisor of H (GQA; 1: MQA)
    std::optional<int> pseudo;          ///< P of every IHA layer
    std::optional<int> layers;          ///< more layers are copies of the last
    std::optional<int> width;           ///< D; an MLP keeps its multiple of it
    std::optional<int> mlp;             ///< hidden width of the MLP as a multiple of D; 0: none
    std::optional<double> positionFactor;
    std::optional<MaskKind> mask;
    std::optional<PositionKind> positions;
    std::optional<ScoreKind> score;
    std::optional<CollapseKind> collapse;
    std::optional<int> window;  ///< tokens; 0: none
    std::optional<double> learningRate;
    std::optional<int> batch;
    std::optional<std::int64_t> steps, warmup;
    std::optional<double> clip;        ///< largest gradient norm; 0: no clipping
    std::optional<MixingStart> start;  ///< of the mixing
    std::optional<double> alphaNoise, collapseNoise;
    /// Of the mixing and of R: a factor on the learning rate, and a weight decay of their own.
    std::optional<double> mixingRate, mixingDecay, collapseRate, collapseDecay;
};

/// The keys, in the order above.
std::vector<std::string> armChangeKeys();
/// "heads=4 width=64", in the order above; empty where nothing is changed.
std::string describe(const ArmChanges& changes);
std::string toJson(const ArmChanges& changes);
/// Errors: an unknown key (the sentence lists the known ones), a value of the wrong kind.
Result<ArmChanges> armChangesFromJson(std::string_view text);

/// The recipe with the changes in it, without measurements. Where the model is another one, the arm
/// says so: "mha heads=4". Errors: an impossible model or impossible settings, as a sentence.
Result<Recipe> changed(Recipe base, const ArmChanges& changes);

}  // namespace headloom
