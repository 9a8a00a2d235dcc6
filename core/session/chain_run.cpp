#include "core/session/chain_run.h"

#include "core/base/memory.h"
#include "core/models/batch.h"
#include "core/models/decoder.h"
#include "core/models/effective_maps.h"
#include "core/models/guarded.h"
#include "core/models/trace_fetch.h"
#include "core/session/chain_writing.h"
#include "core/session/column_changes.h"
#include "core/session/donor.h"
#include "core/session/filter_chain.h"
#include "core/session/maps_in_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace headloom {

namespace {

tl::unexpected<Error> badPrompt(std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, "prompt", std::move(what), std::move(remedy));
}

/// Says it with the model's own tokens and limits, before anything is computed.
Result<void> checkPrompt(const std::vector<int>& prompt, const Model& model) {
    if (prompt.empty()) return badPrompt("it is empty", "give at least one token");
    if (static_cast<int>(prompt.size()) > model.config.nCtx)
        return badPrompt(fmt::format("{} tokens are too many", prompt.size()),
                         fmt::format("this model reads at most {}", model.config.nCtx));
    for (const int token : prompt)
        for (const int id : model.vocabulary.parts(token))
            if (id < 0 || id >= model.config.dVocab)
                return badPrompt(fmt::format("token {} is outside the vocabulary", id),
                                 fmt::format("use ids 0 to {}", model.config.dVocab - 1));
    return {};
}

/// The maps that are kept, which are held at once.
Result<void> checkMaps(const ChainRequest& request, int rows) {
    return checkMemory(mapBytes(request, rows), fmt::format("maps over {} tokens", rows),
                       "use a shorter prompt, fewer steps, or the maps of fewer layers");
}

/// An example of another task would be read with the wrong number of answers a row.
Result<void> checkTruth(const ChainRequest& request) {
    if (!request.truth) return {};
    const auto rows = static_cast<std::size_t>(request.truth->inputLength),
               slots = static_cast<std::size_t>(request.model->config.nSlots);
    if (request.truth->targets.size() == rows * slots) return {};
    return fail(Error::Kind::badInput, "example", "it belongs to another task than the model",
                "choose an example of the model's own task");
}

/// Of the progress of a run that writes its tokens first; the pass with its maps is the rest.
constexpr double writingShare = 0.5;
bool writes(const ChainRequest& request) {
    return request.mode == ChainMode::onItsOwn && !request.editOf;
}

Result<void> decideTokens(const ChainRequest& request, const Decoder& decoder, Backend& backend,
                          ChainRun& run) {
    if (request.mode == ChainMode::trueChain) {
        run.tokens = request.truth ? request.truth->tokens : request.prompt;
        run.rows = request.truth ? request.truth->inputLength : static_cast<int>(run.tokens.size());
        if (auto fine =
                checkPrompt({run.tokens.begin(), run.tokens.begin() + run.rows}, *request.model);
            !fine)
            return fine;
        return {};
    }
    if (auto fine = checkPrompt(request.prompt, *request.model); !fine) return fine;
    run.tokens = request.prompt;
    const auto half = [&](double share) { request.progress(share * writingShare); };
    if (auto written = writeOn(request, decoder, backend, run,
                               request.progress ? half : std::function<void(double)>());
        !written)
        return written;
    const bool wrote = run.tokens.size() > request.prompt.size();
    run.rows = static_cast<int>(run.tokens.size()) - (wrote ? 1 : 0);
    return {};
}

/// M of every layer from `first` on, on their way to the host; from the maps and weights that are
/// on the backend.
void addEffectiveMaps(ChainRun& run, const std::vector<LayerTrace>& layers, std::size_t first,
                      const Decoder& decoder, Backend& backend) {
    for (std::size_t layer = first; layer < layers.size(); ++layer) {
        if (!layers[layer].maps) {
            run.effective.emplace_back();  // its maps were not asked for
            continue;
        }
        const auto made = effectiveMapsOf(decoder.config(), static_cast<int>(layer),
                                          layers[layer].maps, decoder.weights(), backend);
        run.effective.push_back(made ? startFetch(*made, backend) : Tensor());
        if (!made && run.noEffective.empty()) run.noEffective = made.error().sentence();
    }
}

int mostProbable(std::span<const float> logits) {
    return topCandidates(logits, 0, 1).front().id;
}

int firstWrongRow(const ChainRun& run, const ModelConfig& config) {
    if (!run.truth) return -1;
    if (run.mode == ChainMode::trueChain) {
        const std::vector<int>& targets = run.truth->targets;
        for (std::size_t at = 0; at < targets.size(); ++at) {
            const int row = static_cast<int>(at) / config.nSlots,
                      slot = static_cast<int>(at) % config.nSlots;
            if (targets[at] >= 0 && mostProbable(run.logits(row, slot)) != targets[at]) return row;
        }
        return -1;
    }
    const std::vector<int>& truth = run.truth->tokens;
    for (std::size_t at = 0; at < std::min(truth.size(), run.tokens.size()); ++at)
        if (truth[at] != run.tokens[at]) return static_cast<int>(at) - 1;
    return -1;
}

}  // namespace

std::span<const float> ChainRun::logits(int row, int slot) const {
    const std::int64_t width = trace.logits.size(2), classes = model->config.nClasses();
    return trace.logits.values<float>().subspan(
        static_cast<std::size_t>(row * width + slot * classes), static_cast<std::size_t>(classes));
}

std::vector<int> ChainRun::evidence(int row) const {
    if (!truth || row < 0 || row >= static_cast<int>(truth->evidence.size())) return {};
    // What the generator marks belongs to the true tokens; after a wrong one it marks nothing.
    if (mode == ChainMode::onItsOwn && firstWrongRow >= 0 && row > firstWrongRow) return {};
    return truth->evidence[static_cast<std::size_t>(row)];
}

namespace {

/// A run that lacks nothing but what is looked at.
Result<ChainRun> withOtherView(const ChainRun& before, const ChainRequest& request,
                               const Decoder& decoder, Backend& backend) {
    ChainRun seen = before;
    if (seen.mapLayer < 0) return seen;
    if (auto made = bringIntoView(seen, request, decoder, backend); !made)
        return tl::unexpected(made.error());
    return seen;
}

/// What the model reads: the tokens of the run that was edited, else as the request says.
Result<ChainRun> begun(const ChainRequest& request, const Decoder& decoder, Backend& backend) {
    ChainRun run;
    run.model = request.model;
    run.mode = request.mode;
    run.truth = request.truth;
    run.ablation = request.ablation;
    run.promptLength = request.truth && request.mode == ChainMode::trueChain
                           ? request.truth->promptLength
                           : static_cast<int>(request.prompt.size());
    if (request.editOf) {
        run.tokens = request.editOf->tokens;
        run.rows = request.editOf->rows;
        run.stepMilliseconds = request.editOf->stepMilliseconds;
        return run;
    }
    if (auto fine = checkTruth(request); !fine) return tl::unexpected(fine.error());
    if (auto fine = decideTokens(request, decoder, backend, run); !fine)
        return tl::unexpected(fine.error());
    return run;
}

/// How many layers a run may take from the one that was edited: those below the first that
/// differs, where all that is kept of them is there. All of them: nothing differs.
int layersTaken(const ChainRequest& request, bool bounded) {
    if (!request.editOf || request.activations || request.allLayers) return 0;
    const ChainRun& edited = *request.editOf;
    int differs = firstLayerThatDiffers(*edited.model, *request.model);
    const bool sameOff =
        edited.ablation.cuts == request.ablation.cuts &&
        edited.ablation.otherPrompt == request.ablation.otherPrompt &&
        (!request.ablation.donor || edited.ablation.donor == request.ablation.donor);
    if (!sameOff)
        for (const Ablation* ablation : {&edited.ablation, &request.ablation})
            for (const Cut& cut : ablation->cuts) differs = std::min(differs, cut.part.layer);
    const bool hasEffective = !edited.effective.empty(), wasBounded = edited.mapLayer >= 0;
    const bool alike = hasEffective == request.effectiveMaps && wasBounded == bounded;
    const bool held = static_cast<int>(edited.residuals.size()) == request.model->config.nLayers();
    if (!alike || !held) return 0;
    const bool all = differs == request.model->config.nLayers();
    return bounded && !all ? 0 : differs;
}

/// A pass: what of it goes to the host, whose numbers are there when the backend's downloads are
/// finished, and its layers on the backend.
struct Pass {
    ActivationTrace trace;
    std::vector<LayerTrace> onBackend;
};

/// The whole pass, or what an edit leaves of it.
Result<Pass> passOf(const ChainRequest& request, bool bounded, int taken, const Decoder& decoder,
                    Backend& backend, ChainRun& run) {
    ForwardOptions options;
    options.cancelled = request.cancelled;
    options.captureMaps = request.maps && !bounded;
    options.mapLayers = request.mapLayers;
    options.keepActivations = request.activations;
    auto ablation =
        withDonor(request.ablation, run.rows, request.model, backend, request.cancelled);
    if (!ablation) return tl::unexpected(ablation.error());
    run.ablation = std::move(*ablation);
    options.changes = layerChanges(run.ablation, request.model->config, run.rows);
    if (taken > 0) {
        const auto& inputs = request.editOf->residuals;
        options.firstLayer = taken;
        options.input = place(inputs[static_cast<std::size_t>(taken)], backend);
        run.residuals.assign(inputs.begin(), inputs.begin() + taken);
    }
    std::vector<LayerTrace> fetched;
    if (taken > 0)
        fetched.assign(request.editOf->trace.layers.begin(),
                       request.editOf->trace.layers.begin() + taken);
    options.eachLayer = [&](int layer, const LayerTrace& trace) {
        fetched.push_back(startFetch(request.activations ? trace : mapsOf(trace), backend));
        if (bounded)
            run.rowMasses.push_back(
                request.model->config.layers[static_cast<std::size_t>(layer)].nPseudo > 1
                    ? startFetch(decoder.rowMasses(layer, trace), backend)
                    : Tensor());
        if (bounded || request.keepResiduals)
            run.residuals.push_back(startFetch(trace.residPre, backend));
        if (request.progress) {
            const double share = (layer + 1.0) / request.model->config.nLayers();
            request.progress(writes(request) ? writingShare + (1 - writingShare) * share : share);
        }
    };
    const auto fed = std::span<const int>(run.tokens).first(static_cast<std::size_t>(run.rows));
    auto trace = decoder.forward(idsOf(request.model->vocabulary, {fed}), options);
    if (!trace) return tl::unexpected(trace.error());
    startFetchOfEnds(*trace, backend);
    std::swap(trace->layers, fetched);
    return Pass{std::move(*trace), std::move(fetched)};
}

}  // namespace

Result<ChainRun> runChain(const ChainRequest& request, Backend& backend) {
    if (request.model->filter && !request.ablation.empty())
        return fail(Error::Kind::unsupported, "model",
                    "a filter says nothing that could change without a part of it",
                    "choose a model that reads tokens");
    if (request.model->filter) return runFilter(request, backend);
    return guarded([&]() -> Result<ChainRun> {
        const Model& model = *request.model;
        const Weights weights = withoutWeights(request.ablation, model.weights);
        const Decoder decoder(model.config, place(weights, backend), backend);
        if (request.before) return withOtherView(*request.before, request, decoder, backend);
        auto run = begun(request, decoder, backend);
        if (!run) return run;
        const bool bounded = request.mostMapBytes > 0 && request.maps &&
                             mapBytes(request, run->rows) > double(request.mostMapBytes);
        if (bounded && !request.ablation.empty())
            return fail(Error::Kind::outOfMemory, "prompt",
                        fmt::format("over {} tokens not all maps have room, and without them "
                                    "nothing can be switched off",
                                    run->rows),
                        "use a shorter prompt");
        if (!bounded)
            if (auto fine = checkMaps(request, run->rows); !fine)
                return tl::unexpected(fine.error());

        const int taken = layersTaken(request, bounded);
        if (request.editOf && taken == model.config.nLayers())
            return withOtherView(*request.editOf, request, decoder, backend);
        const auto start = std::chrono::steady_clock::now();
        auto pass = passOf(request, bounded, taken, decoder, backend, *run);
        if (!pass) return tl::unexpected(pass.error());
        run->trace = std::move(pass->trace);
        backend.finishDownloads();
        run->milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count();
        if (bounded) {
            if (auto seen = bringIntoView(*run, request, decoder, backend); !seen)
                return tl::unexpected(seen.error());
        } else if (request.effectiveMaps && run->ablation.donor) {
            run->effective.resize(run->trace.layers.size());
            run->noEffective =
                "what comes from another prompt is not made of this one's values, so "
                "no effective map says how much of them is read.";
        } else if (request.effectiveMaps) {
            if (taken > 0)
                run->effective.assign(request.editOf->effective.begin(),
                                      request.editOf->effective.begin() + taken);
            addEffectiveMaps(*run, pass->onBackend, static_cast<std::size_t>(taken), decoder,
                             backend);
            backend.finishDownloads();
        }
        run->firstWrongRow = headloom::firstWrongRow(*run, model.config);
        return run;
    });
}

}  // namespace headloom
