#include "core/session/head_survey.h"

#include "core/base/memory.h"
#include "core/models/decoder.h"
#include "core/models/effective_maps.h"
#include "core/models/guarded.h"
#include "core/models/model_part.h"
#include "core/session/layer_maps.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

std::vector<int> upTo(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// The maps of a head of a layer's [1, H, P, P, N, Nk], same memory.
Tensor mapsOfHead(const Tensor& maps, int head) {
    return maps.at(0).slice(head, 1).reshaped(
        {1, 1, maps.size(2), maps.size(3), maps.size(4), maps.size(5)});
}

/// A sum a tile [head, p, r]; empty where a kind has no one score a cell.
Result<std::vector<CrossHead>> crossHeadsOf(const ChainRun& run, int layer, Backend& backend,
                                            const std::function<bool()>& cancelled) {
    const ModelConfig& config = run.model->config;
    const LayerConfig& attention = config.layers[static_cast<std::size_t>(layer)];
    if (run.model->filter || attention.kind == AttentionKind::differential)
        return std::vector<CrossHead>();
    if (attention.kind == AttentionKind::mha)  // every score is of one head's queries and keys
        return std::vector<CrossHead>(static_cast<std::size_t>(config.nHeads));
    const auto input = residualOfRun(run, layer, backend, cancelled);
    if (!input) return tl::unexpected(input.error());
    const auto scores = LayerScores::of(config, run.model->weights, layer, *input, upTo(run.rows));
    if (!scores) return tl::unexpected(scores.error());
    return scores->crossHeads(cancelled);
}

PromptMarks marksOf(const ChainRun& run) {
    std::vector<std::vector<int>> evidence;
    for (int row = 0; row < run.rows; ++row) evidence.push_back(run.evidence(row));
    if (run.model->filter) return {{}, std::move(evidence)};  // nodes are no tokens
    return {std::span<const int>(run.tokens).first(static_cast<std::size_t>(run.rows)),
            std::move(evidence)};
}

/// Whether effective maps are there from a head to another one.
bool readsOtherHeads(AttentionKind kind) {
    return kind == AttentionKind::iha || kind == AttentionKind::ihaLite;
}

void compareHeads(const Tensor& maps, LayerSurvey& survey) {
    const std::int64_t heads = maps.size(1), tiles = maps.size(2) * maps.size(3),
                       cells = maps.size(4) * maps.size(5);
    const Tensor joined = Tensor::host({heads, maps.size(4), maps.size(5)}, DType::f32);
    for (std::int64_t tile = 0; tile < heads * tiles; ++tile)
        for (std::int64_t cell = 0; cell < cells; ++cell)
            joined.data<float>()[tile / tiles * cells + cell] +=
                maps.data<float>()[tile * cells + cell] / static_cast<float>(maps.size(2));
    survey.redundancy = redundancyOf(joined);
}

/// M [1, H, H, N, N] of a layer.
Result<Tensor> effectiveOf(const ChainRun& run, int layer, const Tensor& maps, Backend& backend) {
    const auto at = static_cast<std::size_t>(layer);
    if (at < run.effective.size() && run.effective[at]) return run.effective[at];
    const ModelConfig& config = run.model->config;
    const double heads = config.nHeads;
    if (auto fits = checkMemory(heads * heads * run.rows * run.rows * sizeof(float),
                                fmt::format("effective maps over {} tokens", run.rows),
                                "use a shorter prompt");
        !fits)
        return tl::unexpected(fits.error());
    const auto made = effectiveMapsOf(config, layer, place(maps, backend),
                                      place(run.model->weights, backend), backend);
    if (!made) return tl::unexpected(made.error());
    return onHost(*made, backend);
}

Result<void> compareEffective(const ChainRun& run, const Tensor& maps, Backend& backend,
                              LayerSurvey& survey) {
    const AttentionKind kind =
        run.model->config.layers[static_cast<std::size_t>(survey.layer)].kind;
    if (kind == AttentionKind::differential) {
        survey.noPatterns =
            "differential attention has no effective maps: each row of a head is divided by its "
            "length after the maps";
        return {};
    }
    const auto effective = effectiveOf(run, survey.layer, maps, backend);
    if (!effective) return tl::unexpected(effective.error());
    const auto heads = static_cast<int>(effective->size(1));
    if (readsOtherHeads(kind)) {
        survey.redundancy = redundancyOf(*effective);
        return {};
    }
    const Tensor diagonal =
        Tensor::host({heads, effective->size(3), effective->size(4)}, DType::f32);
    for (int g = 0; g < heads; ++g) {
        const Tensor map = effective->at(0).at(g).at(g);
        std::copy_n(map.data<float>(), map.count(), diagonal.data<float>() + g * map.count());
    }
    survey.redundancy = redundancyOf(diagonal);
    return {};
}

}  // namespace

const char* nameOf(PatternKind kind) {
    constexpr const char* names[] = {"tiles", "heads", "effective"};
    return names[static_cast<std::size_t>(kind)];
}

std::string nameOf(int layer, const Pattern& pattern) {
    if (pattern.source >= 0)
        return fmt::format("L{}.M[{},{}]", layer, pattern.head, pattern.source);
    return nameOf(pattern.p < 0 ? ModelPart::ofHead(layer, pattern.head)
                                : ModelPart::ofTile(layer, pattern.head, pattern.p, pattern.r));
}

std::vector<Pattern> patternsOf(const ModelConfig& config, int layer, PatternKind kind) {
    const LayerConfig& attention = config.layers[static_cast<std::size_t>(layer)];
    const bool isTiled = kind == PatternKind::tiles && attention.nPseudo > 1;
    const int tiles = isTiled ? attention.nPseudo * attention.nPseudo : 1;
    std::vector<Pattern> patterns;
    for (int head = 0; head < config.nHeads; ++head) {
        if (kind != PatternKind::effective) {
            for (int tile = 0; tile < tiles; ++tile)
                patterns.push_back(
                    isTiled ? Pattern{head, tile / attention.nPseudo, tile % attention.nPseudo}
                            : Pattern{head});
            continue;
        }
        if (attention.kind == AttentionKind::differential) continue;
        for (int source = 0; source < config.nHeads; ++source)
            if (readsOtherHeads(attention.kind) || head == source)
                patterns.push_back({head, -1, -1, source});
    }
    return patterns;
}

Result<LayerSurvey> surveyLayer(const ChainRun& run, int layer, PatternKind kind, Backend& backend,
                                const std::function<bool()>& cancelled) {
    return guarded([&]() -> Result<LayerSurvey> {
        const auto maps = layerMaps(run, layer, backend, cancelled);
        if (!maps) return tl::unexpected(maps.error());
        const auto crossHeads = crossHeadsOf(run, layer, backend, cancelled);
        if (!crossHeads) return tl::unexpected(crossHeads.error());
        const PromptMarks marks = marksOf(run);
        const auto tiles = static_cast<std::size_t>(maps->size(2) * maps->size(3));

        LayerSurvey survey;
        survey.layer = layer;
        survey.kind = kind;
        survey.patterns = patternsOf(run.model->config, layer, kind);
        for (int head = 0; head < maps->size(1); ++head) {
            if (cancelled && cancelled()) return fail(Error::Kind::interrupted, {}, "stopped");
            std::span<const CrossHead> own = *crossHeads;
            if (!own.empty()) own = own.subspan(static_cast<std::size_t>(head) * tiles, tiles);
            const auto scored = scoreHead(mapsOfHead(*maps, head), head, marks, own);
            survey.scores.insert(survey.scores.end(), scored.begin(), scored.end());
        }
        if (kind == PatternKind::tiles) survey.redundancy = redundancyOf(*maps);
        if (kind == PatternKind::heads) compareHeads(*maps, survey);
        if (kind == PatternKind::effective)
            if (auto done = compareEffective(run, *maps, backend, survey); !done)
                return tl::unexpected(done.error());
        return survey;
    });
}

}  // namespace headloom
