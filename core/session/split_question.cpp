#include "core/analysis/score_split.h"
#include "core/session/prompt_questions.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

class CrossHeadsQuestion : public PromptQuestion {
  public:
    explicit CrossHeadsQuestion(const ModelConfig& config) : config_(config) {
        for (int layer = 0; layer < config.nLayers(); ++layer)
            if (config.layers[std::size_t(layer)].kind != AttentionKind::differential)
                layers_.push_back(layer);
    }

    std::vector<AveragedTable> tables() const override {
        AveragedTable table{"cross_heads",
                            {{"evidence",
                              "cross-head share of the scores of the rows that have evidence with "
                              "their evidence"},
                             {"all", "cross-head share of all scores"}},
                            {},
                            {}};
        for (const int layer : layers_) {
            const auto lines = headLines(config_, layer);
            table.lines.insert(table.lines.end(), lines.begin(), lines.end());
        }
        return {std::move(table)};
    }

    void prepare(ChainRequest& request) const override { request.keepResiduals = true; }

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        std::vector<int> rows(static_cast<std::size_t>(run->rows));
        std::iota(rows.begin(), rows.end(), 0);
        std::vector<std::vector<int>> marked;
        for (const int row : rows) marked.push_back(run->evidence(row));
        const bool any = std::any_of(marked.begin(), marked.end(),
                                     [](const auto& keys) { return !keys.empty(); });
        std::vector<double> numbers;
        for (const int layer : layers_) {
            const auto input = residualOfRun(*run, layer, backend, cancelled);
            if (!input) return tl::unexpected(input.error());
            const auto scores = LayerScores::of(config_, run->model->weights, layer, *input, rows);
            if (!scores) return tl::unexpected(scores.error());
            const auto evidence = scores->crossHeadsOn(marked, cancelled);
            if (!evidence) return tl::unexpected(evidence.error());
            const auto all = scores->crossHeads(cancelled);
            if (!all) return tl::unexpected(all.error());
            add(layer, any ? *evidence : std::vector<CrossHead>(all->size()), any, *all, numbers);
        }
        return numbers;
    }

  private:
    /// In the order of headLines.
    void add(int layer, const std::vector<CrossHead>& evidence, bool any,
             const std::vector<CrossHead>& all, std::vector<double>& numbers) const {
        const int pseudos = config_.layers[std::size_t(layer)].nPseudo;
        const auto tiles = static_cast<std::size_t>(pseudos * pseudos);
        const auto put = [&](const CrossHead& marked, const CrossHead& every) {
            numbers.insert(numbers.end(), {any ? marked.share() : none, every.share()});
        };
        for (std::size_t first = 0; first < all.size(); first += tiles) {
            CrossHead marked, every;
            for (std::size_t tile = first; tile < first + tiles; ++tile) {
                marked.cross += evidence[tile].cross;
                marked.all += evidence[tile].all;
                every.cross += all[tile].cross;
                every.all += all[tile].all;
            }
            put(marked, every);
            for (std::size_t tile = first; tiles > 1 && tile < first + tiles; ++tile)
                put(evidence[tile], all[tile]);
        }
    }

    ModelConfig config_;
    std::vector<int> layers_;
};

class CellQuestion : public PromptQuestion {
  public:
    CellQuestion(const ModelConfig& config, const ModelPart& cell) : config_(config), part_(cell) {
        const LayerConfig& layer = config.layers[std::size_t(cell.layer)];
        const bool mixes = layer.kind != AttentionKind::mha;
        for (int m = 0; m < config.nHeads; ++m)
            for (int n = 0; n < config.nHeads; ++n)
                if (mixes || (m == cell.head && n == cell.head))
                    terms_.push_back({fmt::format("q{} k{}", m, n), cell.layer});
    }

    std::vector<AveragedTable> tables() const override {
        const AveragedLine line{
            nameOf(part_), part_.layer, {part_.head, part_.queryPseudo, part_.keyPseudo, -1}};
        AveragedTable cell{"cell",
                           {{"score", "the score before the softmax", true},
                            {"plain-score", "the same without any rotation", true},
                            {"cross-head", "cross-head share of this score"},
                            {"evidence", "cross-head share of its row's scores on the evidence"}},
                           {line},
                           {}};
        AveragedTable terms{"terms",
                            {{"term", "of the queries of one head and the keys of another", true}},
                            terms_,
                            {}};
        return {std::move(cell), std::move(terms)};
    }

    void prepare(ChainRequest& request) const override { request.keepResiduals = true; }

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        if (part_.query >= run->rows || part_.key >= run->rows)
            return std::vector<double>(4 + terms_.size(), none);
        const auto input = residualOfRun(*run, part_.layer, backend, cancelled);
        if (!input) return tl::unexpected(input.error());
        const std::vector<int> marked = run->evidence(part_.query);
        std::vector<int> rows = marked;
        rows.insert(rows.end(), {part_.query, part_.key});
        const auto scores =
            LayerScores::of(config_, run->model->weights, part_.layer, *input, rows);
        if (!scores) return tl::unexpected(scores.error());
        const ScoreCell cell{part_.head, part_.queryPseudo, part_.keyPseudo, part_.query,
                             part_.key};
        const auto split = scores->split(cell);
        if (!split) return tl::unexpected(split.error());
        CrossHead own;
        own.add(*split);
        const CrossHead evidence = scores->crossHead(cell, marked);
        std::vector<double> numbers = {split->score, split->plainScore, own.share(),
                                       marked.empty() ? none : evidence.share()};
        numbers.insert(numbers.end(), split->terms.begin(), split->terms.end());
        return numbers;
    }

  private:
    ModelConfig config_;
    ModelPart part_;
    std::vector<AveragedLine> terms_;
};

}  // namespace

Question askCrossHeads(const ModelConfig& config) {
    return std::make_shared<CrossHeadsQuestion>(config);
}

Result<Question> askCell(const ModelConfig& config, const ModelPart& cell) {
    if (cell.kind != ModelPart::Kind::cell)
        return fail(Error::Kind::badInput, nameOf(cell), "this is no single cell",
                    "name its tokens too, as in L1H3.q0k1[18,12]");
    if (auto fine = checkPart(cell, config, config.nCtx); !fine)
        return tl::unexpected(fine.error());
    return std::make_shared<CellQuestion>(config, cell);
}

}  // namespace headloom
