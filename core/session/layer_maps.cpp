#include "core/session/layer_maps.h"

#include "core/base/memory.h"
#include "core/models/decoder.h"
#include "core/models/guarded.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headloom {

Result<Tensor> layerMaps(const ChainRun& run, int layer, Backend& backend,
                         const std::function<bool()>& cancelled) {
    const ModelConfig& config = run.model->config;
    const auto at = static_cast<std::size_t>(layer);
    const Tensor& held = run.trace.layers[at].maps;
    if (held && held.size(1) == config.nHeads) return held;
    const std::int64_t pseudo = config.layers[at].nPseudo, rows = run.rows;
    const double bytes = static_cast<double>(config.nHeads * pseudo * pseudo) *
                         static_cast<double>(rows * rows) * sizeof(float);
    if (auto fits = checkMemory(bytes, fmt::format("maps of a layer over {} tokens", rows),
                                "use a shorter prompt");
        !fits)
        return tl::unexpected(fits.error());
    const auto input = residualOfRun(run, layer, backend, cancelled);
    if (!input) return tl::unexpected(input.error());
    const Tensor all = Tensor::host({1, config.nHeads, pseudo, pseudo, rows, rows}, DType::f32);
    std::vector<int> heads(static_cast<std::size_t>(config.nHeads));
    std::iota(heads.begin(), heads.end(), 0);
    const auto take = [&](int head, const Tensor& maps) {
        const Tensor host = onHost(maps, backend);
        std::copy_n(host.data<float>(), host.count(), all.data<float>() + head * host.count());
        return !cancelled || !cancelled();
    };
    const Decoder decoder(config, place(run.model->weights, backend), backend);
    if (auto done = decoder.visitMaps(layer, place(*input, backend), heads, take); !done)
        return tl::unexpected(done.error());
    return all;
}

Result<LayeredAttention> layeredAttention(const ChainRun& run, Backend& backend,
                                          const std::function<bool()>& cancelled) {
    return guarded([&]() -> Result<LayeredAttention> {
        LayeredAttention attention;
        for (int layer = 0; layer < run.model->config.nLayers(); ++layer) {
            const auto maps = layerMaps(run, layer, backend, cancelled);
            if (!maps) return tl::unexpected(maps.error());
            attention.add(*maps);
        }
        return attention;
    });
}

}  // namespace headloom
