#include "core/session/column_changes.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace headloom {

namespace {

bool sameNumbers(const Tensor& a, const Tensor& b) {
    if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
    return a.raw() == b.raw() || std::equal(a.raw(), a.raw() + a.bytes(), b.raw());
}

/// N of "blocks.N.…"; -1 for what stands outside the layers.
int layerOf(std::string_view name) {
    constexpr std::string_view prefix = "blocks.";
    if (name.substr(0, prefix.size()) != prefix) return -1;
    int layer = -1;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), layer);
    return layer;
}

}  // namespace

Ablation ColumnChanges::ablation() const {
    Ablation made;
    made.cuts = cuts;
    made.otherPrompt = otherPrompt;
    return made;
}

std::size_t ColumnChanges::bytesBeside(const ColumnChanges& before) const {
    std::size_t bytes = 0;
    for (const auto& [name, tensor] : weights) {
        const auto held = before.weights.find(name);
        if (held == before.weights.end() || held->second.raw() != tensor.raw())
            bytes += tensor.bytes();
    }
    return bytes;
}

bool sameChanges(const ColumnChanges& a, const ColumnChanges& b) {
    const auto alike = [](const auto& one, const auto& other) {
        return one.first == other.first && sameNumbers(one.second, other.second);
    };
    return a.cuts == b.cuts && a.otherPrompt == b.otherPrompt &&
           std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end(),
                      alike);
}

std::shared_ptr<const Model> changedModel(const std::shared_ptr<const Model>& trained,
                                          const ColumnChanges& changes) {
    if (!trained || changes.weights.empty()) return trained;
    auto made = std::make_shared<Model>(*trained);
    for (const auto& [name, tensor] : changes.weights) made->weights.replace(name, tensor);
    return made;
}

int firstLayerThatDiffers(const Model& a, const Model& b) {
    if (&a == &b) return a.config.nLayers();
    const auto &ours = a.weights.entries(), &theirs = b.weights.entries();
    if (ours.size() != theirs.size() || a.config.nLayers() != b.config.nLayers()) return 0;
    int first = a.config.nLayers();
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (ours[i].first != theirs[i].first) return 0;
        if (ours[i].second.raw() == theirs[i].second.raw()) continue;
        first = std::min(first, std::max(0, layerOf(ours[i].first)));
    }
    return first;
}

}  // namespace headloom
