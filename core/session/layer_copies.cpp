#include "core/session/layer_copies.h"

#include "core/models/decoder.h"

#include <algorithm>

namespace headloom {

namespace {

constexpr double mostCells = 1 << 22;  // 16 MB of maps

/// As many examples as keep all maps within bounds.
int examplesFor(const ModelConfig& config, const Task& task) {
    double cells = 0;
    for (const LayerConfig& layer : config.layers)
        cells += static_cast<double>(config.nHeads) * layer.nPseudo * layer.nPseudo *
                 task.info().inputLength * task.info().inputLength;
    return static_cast<int>(std::clamp(mostCells / std::max(cells, 1.0), 1.0, 16.0));
}

}  // namespace

bool LayerCopies::copies() const {
    return std::any_of(heads.begin(), heads.end(),
                       [](const PseudoCopies& head) { return head.copies(); });
}

Result<std::vector<LayerCopies>> layerCopies(const ModelConfig& config, const Weights& weights,
                                             const Task& task, Backend& backend) {
    std::vector<LayerCopies> all;
    if (std::none_of(config.layers.begin(), config.layers.end(),
                     [](const LayerConfig& layer) { return layer.nPseudo > 1; }))
        return all;
    const Decoder decoder(config, place(weights, backend), backend);
    const Batch batch = makeBatch(task, Split::heldOut, heldOutSeed, 0, examplesFor(config, task));
    ForwardOptions options;
    options.keepActivations = false;
    const auto trace = decoder.forward(batch.ids, options);
    if (!trace) return tl::unexpected(trace.error());
    for (std::size_t layer = 0; layer < trace->layers.size(); ++layer) {
        auto heads = pseudoCopies(onHost(trace->layers[layer].maps, backend));
        if (!heads.empty()) all.push_back({static_cast<int>(layer), std::move(heads)});
    }
    return all;
}

}  // namespace headloom
