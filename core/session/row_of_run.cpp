#include "core/session/row_of_run.h"

#include "core/models/batch.h"
#include "core/models/decoder.h"
#include "core/models/guarded.h"
#include "core/models/trace_fetch.h"

namespace headloom {

namespace {

Result<void> checkTokens(const ChainRun& run) {
    if (!run.model->filter) return {};
    return fail(Error::Kind::unsupported, "model",
                "a filter reads numbers and answers with numbers: it has no tokens, no logits and "
                "no residual stream",
                "choose a model that reads tokens");
}

/// A pass that keeps nothing but its end; `visit` sees every layer.
Result<ActivationTrace> passOver(
    const ChainRun& run, Backend& backend, const std::function<bool()>& cancelled,
    const std::function<void(const Decoder&, int, const LayerTrace&)>& visit) {
    const Model& model = *run.model;
    const Decoder decoder(model.config, place(withoutWeights(run.ablation, model.weights), backend),
                          backend);
    ForwardOptions options;
    options.changes = layerChanges(run.ablation, model.config, run.rows);
    options.captureMaps = options.keepActivations = false;
    options.cancelled = cancelled;
    options.eachLayer = [&](int layer, const LayerTrace& trace) { visit(decoder, layer, trace); };
    const auto fed = std::span<const int>(run.tokens).first(static_cast<std::size_t>(run.rows));
    return decoder.forward(idsOf(model.vocabulary, {fed}), options);
}

/// What layerRowOf reads, on the host.
LayerTrace fetched(const LayerTrace& layer, Backend& backend) {
    LayerTrace host;
    for (Tensor LayerTrace::*member :
         {&LayerTrace::residPre, &LayerTrace::residMid, &LayerTrace::mixedV, &LayerTrace::z,
          &LayerTrace::mlpPost, &LayerTrace::mlpGated})
        host.*member = startFetch(layer.*member, backend);
    backend.finishDownloads();
    return host;
}

}  // namespace

Result<std::vector<RowTrace>> rowsOfRun(const ChainRun& run, const std::vector<int>& rows,
                                        Backend& backend, const std::function<bool()>& cancelled) {
    if (auto fine = checkTokens(run); !fine) return tl::unexpected(fine.error());
    if (!run.ablation.empty())
        return fail(Error::Kind::unsupported, "model",
                    "with a part of it switched off, what the other parts read does not add up to "
                    "what it says",
                    "switch everything on again");
    return guarded([&]() -> Result<std::vector<RowTrace>> {
        const ModelConfig& config = run.model->config;
        std::vector<RowTrace> all(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) all[i].row = rows[i];
        const auto keep = [&](const Decoder& decoder, int layer, const LayerTrace& trace) {
            LayerTrace host = fetched(trace, backend);
            for (RowTrace& out : all) {
                if (readsByTile(config.layers[static_cast<std::size_t>(layer)]))
                    host.maps = onHost(decoder.mapsOfRow(layer, trace, out.row), backend);
                out.layers.push_back(layerRowOf(config, layer, host, out.row));
            }
        };
        const auto trace = passOver(run, backend, cancelled, keep);
        if (!trace) return tl::unexpected(trace.error());
        ActivationTrace end;
        for (Tensor ActivationTrace::*member :
             {&ActivationTrace::ids, &ActivationTrace::residFinal,
              &ActivationTrace::statisticsFinal, &ActivationTrace::logits})
            end.*member = startFetch((*trace).*member, backend);
        backend.finishDownloads();
        for (RowTrace& out : all) takeEnd(config, end, out);
        return all;
    });
}

Result<RowTrace> rowOfRun(const ChainRun& run, int row, Backend& backend,
                          const std::function<bool()>& cancelled) {
    auto rows = rowsOfRun(run, {row}, backend, cancelled);
    if (!rows) return tl::unexpected(rows.error());
    return std::move(rows->front());
}

Result<Tensor> residualOfRun(const ChainRun& run, int layer, Backend& backend,
                             const std::function<bool()>& cancelled) {
    if (auto fine = checkTokens(run); !fine) return tl::unexpected(fine.error());
    const auto at = static_cast<std::size_t>(layer);
    if (at < run.residuals.size()) return run.residuals[at];
    if (at < run.trace.layers.size() && run.trace.layers[at].residPre)
        return run.trace.layers[at].residPre;
    return guarded([&]() -> Result<Tensor> {
        Tensor found;
        // the layers above are not needed: the pass ends as if it were cancelled
        const auto enough = [&] { return found || (cancelled && cancelled()); };
        const auto keep = [&](const Decoder&, int index, const LayerTrace& trace) {
            if (index == layer) found = onHost(trace.residPre, backend);
        };
        const auto trace = passOver(run, backend, enough, keep);
        if (found) return found;
        return tl::unexpected(trace.error());
    });
}

}  // namespace headloom
