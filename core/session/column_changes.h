#pragma once

#include "core/models/ablation.h"
#include "core/models/model.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// What is changed in the model of one column. Immutable once it is shown: an edit makes another.
struct ColumnChanges {
    /// Replaced tensors by their full name, "blocks.0.attn.alpha_Q". An untouched model has none.
    std::map<std::string, Tensor> weights;
    std::vector<Cut> cuts = {};  ///< parts that are switched off
    /// Tokens of the prompt that cuts take something from; empty where none does.
    std::vector<int> otherPrompt = {};

    Ablation ablation() const;
    bool empty() const { return weights.empty() && cuts.empty(); }
    /// What a change needs in memory that the one before it does not already hold.
    std::size_t bytesBeside(const ColumnChanges& before) const;
};

/// The same numbers under the same names, whoever holds them, and the same parts off.
bool sameChanges(const ColumnChanges& a, const ColumnChanges& b);

/// The model with its changed weights; all other tensors are shared with `trained`, and without any
/// it is `trained` itself. Names that it does not have are left out.
std::shared_ptr<const Model> changedModel(const std::shared_ptr<const Model>& trained,
                                          const ColumnChanges& changes);

/// The first layer of which a tensor is not held by both; the number of layers where none is, and 0
/// where something below the layers or above them is not, or where the models are of two kinds.
int firstLayerThatDiffers(const Model& a, const Model& b);

}  // namespace headloom
