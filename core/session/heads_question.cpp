#include "core/session/prompt_questions.h"

#include <fmt/format.h>

namespace headloom {

namespace {

constexpr std::int64_t mostMapBytes = std::int64_t{64} << 20;  // of one prompt, on every thread

std::vector<int> layersOf(const ModelConfig& config, std::optional<int> only) {
    std::vector<int> layers;
    for (int layer = 0; layer < config.nLayers(); ++layer)
        if (!only || layer == *only) layers.push_back(layer);
    return layers;
}

class HeadsQuestion : public PromptQuestion {
  public:
    HeadsQuestion(const ModelConfig& config, const HeadsAsked& asked)
        : config_(config), asked_(asked), layers_(layersOf(config, asked.layer)) {}

    std::vector<AveragedTable> tables() const override {
        AveragedTable heads{"heads", {}, {}, {}};
        for (const HeadMeasureWords& words : headMeasures())
            heads.columns.push_back({words.id, words.definition});
        AveragedTable layers{"layers",
                             {{"distinct", "clusters of patterns that are alike"},
                              {"dead", "patterns with next to no mass"},
                              {"effective-rank", "directions that the patterns use"}},
                             {},
                             {}};
        for (const int layer : layers_) {
            const auto lines = headLines(config_, layer);
            heads.lines.insert(heads.lines.end(), lines.begin(), lines.end());
            layers.lines.push_back({fmt::format("L{}", layer), layer});
        }
        return {std::move(heads), std::move(layers)};
    }

    /// Maps that have no room are made again a layer at a time; where parts are off only those of
    /// the pass itself are right.
    void prepare(ChainRequest& request) const override {
        request.maps = request.keepResiduals = true;
        request.mostMapBytes = request.ablation.empty() ? mostMapBytes : 0;
    }

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        std::vector<double> heads, layers;
        for (const int layer : layers_) {
            const auto survey = surveyLayer(*run, layer, asked_.patterns, backend, cancelled);
            if (!survey) return tl::unexpected(survey.error());
            for (const HeadScores& scores : survey->scores)
                heads.insert(heads.end(), scores.values.begin(), scores.values.end());
            const auto counts = countsOf(*survey);
            layers.insert(layers.end(), counts.begin(), counts.end());
        }
        heads.insert(heads.end(), layers.begin(), layers.end());
        return heads;
    }

  private:
    std::array<double, 3> countsOf(const LayerSurvey& survey) const {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        if (!survey.noPatterns.empty()) return {none, none, none};
        const PatternClusters clusters = clustersOf(survey.redundancy, asked_.thresholds);
        return {double(clusters.distinct), double(clusters.dead), survey.redundancy.effectiveRank};
    }

    ModelConfig config_;
    HeadsAsked asked_;
    std::vector<int> layers_;
};

}  // namespace

std::vector<AveragedLine> headLines(const ModelConfig& config, int layer) {
    const int pseudos = config.layers[static_cast<std::size_t>(layer)].nPseudo;
    std::vector<AveragedLine> lines;
    const auto add = [&](const Pattern& map) { lines.push_back({nameOf(layer, map), layer, map}); };
    for (int head = 0; head < config.nHeads; ++head) {
        add({head, -1, -1, -1});
        for (int tile = 0; pseudos > 1 && tile < pseudos * pseudos; ++tile)
            add({head, tile / pseudos, tile % pseudos, -1});
    }
    return lines;
}

Question askHeads(const ModelConfig& config, const HeadsAsked& asked) {
    return std::make_shared<HeadsQuestion>(config, asked);
}

}  // namespace headloom
