#include "core/session/maps_in_view.h"

#include "core/base/memory.h"
#include "core/models/effective_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

double headBytes(const ModelConfig& config, int layer, int rows) {
    const double pseudo = config.layers[static_cast<std::size_t>(layer)].nPseudo;
    return pseudo * pseudo * rows * rows * sizeof(float);
}

double effectiveBytes(const ModelConfig& config, int rows) {
    return static_cast<double>(config.nHeads) * config.nHeads * rows * rows * sizeof(float);
}

std::vector<int> headsInView(const ModelConfig& config, const ChainRequest& request, int layer,
                             int rows) {
    std::vector<int> heads(static_cast<std::size_t>(config.nHeads));
    std::iota(heads.begin(), heads.end(), 0);
    if (headBytes(config, layer, rows) * config.nHeads <= double(request.mostMapBytes))
        return heads;
    return {std::clamp(request.head, 0, config.nHeads - 1)};
}

/// Effective maps need those of all heads, and are H times as many.
void addEffective(ChainRun& run, const ChainRequest& request, const Decoder& decoder,
                  Backend& backend) {
    const ModelConfig& config = decoder.config();
    const auto at = static_cast<std::size_t>(run.mapLayer);
    run.effective.assign(static_cast<std::size_t>(config.nLayers()), Tensor());
    const double bytes = effectiveBytes(config, run.rows);
    if (bytes > double(request.mostMapBytes) ||
        static_cast<int>(run.mapHeads.size()) < config.nHeads) {
        run.noEffective = fmt::format(
            "the effective maps of one layer over {} tokens take {:.0f} MB, {:.0f} are "
            "kept at most; use a shorter prompt",
            run.rows, bytes / 1e6, double(request.mostMapBytes) / 1e6);
        return;
    }
    const auto made = effectiveMapsOf(config, run.mapLayer, run.trace.layers[at].maps,
                                      decoder.weights(), backend);
    if (made)
        run.effective[at] = onHost(*made, backend);
    else
        run.noEffective = made.error().sentence();
}

}  // namespace

double mapBytes(const ChainRequest& request, int rows) {
    const ModelConfig& config = request.model->config;
    const std::vector<int>& chosen = request.mapLayers;
    double bytes = 0;
    for (int layer = 0; layer < config.nLayers(); ++layer) {
        const bool kept = request.maps && (chosen.empty() || std::find(chosen.begin(), chosen.end(),
                                                                       layer) != chosen.end());
        if (!kept) continue;
        bytes += config.nHeads * headBytes(config, layer, rows);
        if (request.effectiveMaps) bytes += effectiveBytes(config, rows);
    }
    return bytes;
}

Result<void> bringIntoView(ChainRun& run, const ChainRequest& request, const Decoder& decoder,
                           Backend& backend) {
    const ModelConfig& config = decoder.config();
    const int layer = std::clamp(request.layer, 0, config.nLayers() - 1);
    const std::vector<int> heads = headsInView(config, request, layer, run.rows);
    const double bytes = headBytes(config, layer, run.rows) * static_cast<double>(heads.size());
    // the one map that is being made stands beside those that are kept
    if (auto fits = checkMemory(2 * bytes, fmt::format("a map over {} tokens", run.rows),
                                "use a shorter prompt");
        !fits)
        return fits;
    const auto at = static_cast<std::size_t>(layer);
    for (LayerTrace& other : run.trace.layers) other.maps = {};
    run.effective.clear();
    run.noEffective.clear();
    const std::int64_t pseudo = config.layers[at].nPseudo, rows = run.rows;
    const Tensor kept = Tensor::host(
        {1, static_cast<std::int64_t>(heads.size()), pseudo, pseudo, rows, rows}, DType::f32);
    std::int64_t index = 0;
    const auto keep = [&](int, const Tensor& maps) {
        const Tensor host = onHost(maps, backend);
        std::copy_n(host.data<float>(), host.count(), kept.data<float>() + index++ * host.count());
        return !request.cancelled || !request.cancelled();
    };
    const Tensor input = place(run.residuals[at], backend);
    if (auto made = decoder.visitMaps(layer, input, heads, keep); !made) return made;
    run.trace.layers[at].maps = kept;
    run.mapLayer = layer;
    run.mapHeads = heads;
    if (request.effectiveMaps) addEffective(run, request, decoder, backend);
    return {};
}

}  // namespace headloom
