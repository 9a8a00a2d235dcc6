#include "core/session/layer_summaries.h"

#include "core/models/decoder.h"

#include <numeric>

namespace headloom {

namespace {
/// Cells across a thumbnail: more than a cell of the grid has pixels on most screens.
constexpr int thumbnailSide = 32;
}  // namespace

Result<std::vector<HeadSummary>> layerSummaries(const ChainRun& run, int layer, Backend& backend,
                                                const std::function<bool()>& cancelled) {
    const ModelConfig& config = run.model->config;
    const auto at = static_cast<std::size_t>(layer);
    std::vector<HeadSummary> all;
    if (run.mapLayer < 0) {
        const Tensor& maps = run.trace.layers[at].maps;
        for (std::int64_t head = 0; maps && head < maps.size(1); ++head) {
            if (cancelled && cancelled()) return fail(Error::Kind::interrupted, {}, "stopped");
            all.push_back(
                summarise(maps.at(0).slice(head, 1).reshaped(
                              {1, 1, maps.size(2), maps.size(3), maps.size(4), maps.size(5)}),
                          thumbnailSide));
        }
        return all;
    }
    std::vector<int> heads(static_cast<std::size_t>(config.nHeads));
    std::iota(heads.begin(), heads.end(), 0);
    const Decoder decoder(config, place(run.model->weights, backend), backend);
    const auto take = [&](int, const Tensor& maps) {
        all.push_back(summarise(onHost(maps, backend), thumbnailSide));
        return !cancelled || !cancelled();
    };
    const Tensor input = place(run.residuals[at], backend);
    if (auto done = decoder.visitMaps(layer, input, heads, take); !done)
        return tl::unexpected(done.error());
    return all;
}

}  // namespace headloom
