#pragma once

#include "core/models/mixing_tensor.h"
#include "core/models/model.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// One weight. Indices in the tensor's own order: alpha [source, target, pseudo], IHA-lite and
/// talking heads [source, target], R [target, column].
struct MixingWeight {
    int layer = 0;
    MixingTensor matrix = MixingTensor::alphaQ;
    std::array<int, 3> index{};
    friend bool operator==(const MixingWeight&, const MixingWeight&) = default;
};

/// "alphaQ[2,1,0]", or "L1.alphaQ[2,1,0]" in a model of several layers.
std::string textOf(const MixingWeight& weight, const Model& model);
/// The way back; a layer that is not named is layer 0. Errors: not of that form, no such matrix in
/// the layer, an index or a layer that is out of range; each in a sentence that says what there is.
Result<MixingWeight> mixingWeightFrom(std::string_view text, const Model& model);
/// Where the weight lies in its tensor. Errors: as above.
Result<std::int64_t> offsetOf(const MixingWeight& weight, const Model& model);

/// What `--weight` says: "alphaQ[2,1,0]=0.8".
struct MixingAssignment {
    MixingWeight weight;
    float value = 0;
};
/// Errors: as mixingWeightFrom, and a value that is no finite number.
Result<MixingAssignment> mixingAssignmentFrom(std::string_view text, const Model& model);

}  // namespace headloom
