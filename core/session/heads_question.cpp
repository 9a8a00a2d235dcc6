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

    void prepare(ChainRequest& request) const override { askForMaps(request); }

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

class SimilarityQuestion : public PromptQuestion {
  public:
    SimilarityQuestion(const ModelConfig& config, std::optional<int> layer, PatternKind patterns)
        : patterns_(patterns), layers_(layersOf(config, layer)) {
        for (const int each : layers_) {
            const auto all = patternsOf(config, each, patterns);
            for (std::size_t a = 0; a < all.size(); ++a)
                for (std::size_t b = a + 1; b < all.size(); ++b)
                    lines_.push_back({pairName(each, all[a], all[b]), each, all[a]});
        }
    }

    bool comparesAny() const { return !lines_.empty(); }

    std::vector<AveragedTable> tables() const override {
        return {{"similarity",
                 {{"cosine", "cosine of the two as vectors of all their cells",
                   patterns_ == PatternKind::effective}},
                 lines_,
                 {}}};
    }

    void prepare(ChainRequest& request) const override { askForMaps(request); }

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        std::vector<double> cosines;
        for (const int layer : layers_) {
            const auto survey = surveyLayer(*run, layer, patterns_, backend, cancelled);
            if (!survey) return tl::unexpected(survey.error());
            for (int a = 0; a < survey->redundancy.count; ++a)
                for (int b = a + 1; b < survey->redundancy.count; ++b)
                    cosines.push_back(survey->redundancy.cosine(a, b));
        }
        return cosines;
    }

  private:
    /// "L0H1.q0k1 ~ H2.q3k0"
    static std::string pairName(int layer, const Pattern& a, const Pattern& b) {
        std::string other = nameOf(layer, b).substr(fmt::format("L{}", layer).size());
        if (other.starts_with('.')) other.erase(0, 1);
        return nameOf(layer, a) + " ~ " + other;
    }

    PatternKind patterns_;
    std::vector<int> layers_;
    std::vector<AveragedLine> lines_;
};

}  // namespace

void askForMaps(ChainRequest& request) {
    request.maps = request.keepResiduals = true;
    request.mostMapBytes = request.ablation.empty() ? mostMapBytes : 0;
}

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

Result<Question> askSimilarity(const ModelConfig& config, std::optional<int> layer,
                               PatternKind patterns) {
    auto question = std::make_shared<SimilarityQuestion>(config, layer, patterns);
    if (question->comparesAny()) return question;
    return fail(Error::Kind::badInput, {}, "there are no two patterns to compare",
                "choose a model of several heads, and tiles or heads of it");
}

}  // namespace headloom
