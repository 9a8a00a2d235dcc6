#include "core/session/filter_chain.h"

#include "core/models/decoder.h"
#include "core/models/guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace headloom {

namespace {

/// Weights under the names that FilterModel has for them, on the backend.
Weights layerWeights(const Model& model, Backend& backend) {
    constexpr std::string_view prefix = "blocks.0.";
    Weights own;
    for (const auto& [name, tensor] : model.weights.entries())
        own.add(name.substr(prefix.size()), tensor);
    return place(own, backend);
}

}  // namespace

Result<ChainRun> runFilter(const ChainRequest& request, Backend& backend) {
    const Model& model = *request.model;
    const std::int64_t nodes = model.filter->nNodes, heads = model.filter->nHeads,
                       pseudos = model.filter->nPseudo;
    std::vector<int> tokens = request.truth ? request.truth->tokens : request.prompt;
    bool inOrder = static_cast<std::int64_t>(tokens.size()) == nodes;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        inOrder = inOrder && tokens[i] == static_cast<int>(i);
    if (!inOrder)
        return fail(
            Error::Kind::badInput, "prompt",
            fmt::format("this filter has the nodes 0 to {} and reads nothing else", nodes - 1),
            "choose an example with as many nodes");
    return guarded([&]() -> Result<ChainRun> {
        using Clock = std::chrono::steady_clock;
        ChainRun run;
        run.model = request.model;
        run.truth = request.truth;
        run.tokens = std::move(tokens);
        run.promptLength = run.rows = static_cast<int>(nodes);
        const auto start = Clock::now();
        const FilterModel filter(*model.filter, layerWeights(model, backend), backend);
        LayerTrace layer;
        layer.maps = filter.maps().reshaped({1, heads, pseudos, pseudos, nodes, nodes});
        run.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        run.trace.layers.push_back(std::move(layer));
        if (request.effectiveMaps)
            run.effective.push_back(
                filter.effectiveMaps().reshaped({1, heads, heads, nodes, nodes}));
        return run;
    });
}

}  // namespace headloom
