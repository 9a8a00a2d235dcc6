#include "core/analysis/row_trace.h"

namespace headloom {

namespace {

/// One number of a tensor of either floating type.
double numberAt(const Tensor& tensor, std::int64_t index) {
    return tensor.dtype() == DType::f64 ? tensor.data<double>()[index]
                                        : double{tensor.data<float>()[index]};
}

/// [H, P, P, d] of row `row` of the maps: each tile's weights times its key family's values.
std::vector<double> readsOfTiles(const Tensor& maps, const Tensor& values, int row) {
    const std::int64_t heads = maps.size(1), pseudos = maps.size(2), rows = maps.size(4),
                       keys = maps.size(5), d = values.size(4), valueRows = values.size(3);
    std::vector<double> reads(static_cast<std::size_t>(heads * pseudos * pseudos * d));
    for (std::int64_t tile = 0; tile < heads * pseudos * pseudos; ++tile) {
        const std::int64_t h = tile / (pseudos * pseudos), r = tile % pseudos;
        double* out = reads.data() + tile * d;
        for (std::int64_t j = 0; j < keys; ++j) {
            const double weight = numberAt(maps, (tile * rows + row) * keys + j);
            if (weight == 0) continue;
            const std::int64_t value = ((h * pseudos + r) * valueRows + j) * d;
            for (std::int64_t c = 0; c < d; ++c) out[c] += weight * numberAt(values, value + c);
        }
    }
    return reads;
}

}  // namespace

std::vector<double> rowOf(const Tensor& rows, int row) {
    const Tensor wide = rows.at(0).at(row).cast(DType::f64);
    return {wide.values<double>().begin(), wide.values<double>().end()};
}

bool readsByTile(const LayerConfig& layer) {
    return layer.nPseudo > 1 || layer.kind == AttentionKind::iha;
}

LayerRow layerRowOf(const ModelConfig& config, int layer, const LayerTrace& trace, int row) {
    LayerRow out;
    out.residPre = rowOf(trace.residPre, row);
    out.residMid = rowOf(trace.residMid, row);
    if (readsByTile(config.layers[static_cast<std::size_t>(layer)]))
        out.reads = readsOfTiles(trace.maps, trace.mixedV, trace.maps.size(4) == 1 ? 0 : row);
    else
        out.reads = rowOf(trace.z, row);
    if (config.dMlp > 0) out.mlp = rowOf(config.gatedMlp ? trace.mlpGated : trace.mlpPost, row);
    return out;
}

void takeEnd(const ModelConfig& config, const ActivationTrace& trace, RowTrace& out) {
    const std::int64_t sharers = trace.ids.shape().rank() == 3 ? trace.ids.size(2) : 1;
    for (std::int64_t k = 0; k < sharers; ++k)
        if (const int id = trace.ids.data<std::int32_t>()[out.row * sharers + k]; id >= 0)
            out.ids.push_back(id);
    out.residFinal = rowOf(trace.residFinal, out.row);
    if (config.finalNorm) {
        const std::vector<double> statistics =
            rowOf(trace.statisticsFinal.reshaped({1, trace.residFinal.size(1), 2}), out.row);
        out.finalMean = config.norm == NormKind::layer ? statistics[0] : 0;
        out.finalScale = statistics[1];
    }
    out.logits = rowOf(trace.logits, out.row);
}

}  // namespace headloom
