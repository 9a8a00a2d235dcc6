#include "core/analysis/logit_attribution.h"
#include "core/models/guarded.h"
#include "core/session/prompt_questions.h"
#include "core/session/row_of_run.h"

#include <cmath>

namespace headloom {

namespace {

/// The parts of a row that read nothing: what parts there are.
Result<LogitAttribution> partsThere(const Model& model, int against) {
    const ModelConfig& config = model.config;
    RowTrace nothing;
    nothing.ids = {0};
    for (const LayerConfig& layer : config.layers) {
        LayerRow row;
        row.reads.resize(static_cast<std::size_t>(config.nHeads * layer.nPseudo * layer.nPseudo) *
                         static_cast<std::size_t>(config.dHead()));
        row.mlp.resize(static_cast<std::size_t>(config.dMlp));
        nothing.layers.push_back(std::move(row));
    }
    nothing.logits.resize(static_cast<std::size_t>(config.nSlots * config.nClasses()));
    return attributeLogit(config, model.weights, nothing, {0, against, 0});
}

class SharesQuestion : public PromptQuestion {
  public:
    SharesQuestion(const SharesAsked& asked, const ModelConfig& config,
                   const std::vector<LogitPart>& parts)
        : asked_(asked) {
        for (const LogitPart& part : parts) {
            const bool tile = part.kind == LogitPart::Kind::tile;
            const bool joined =
                tile && (asked.heads || config.layers[std::size_t(part.layer)].nPseudo == 1);
            if (!joined || (part.p == 0 && part.r == 0)) lines_.push_back(lineOf(part, joined));
            lineOfPart_.push_back(lines_.size() - 1);
        }
    }

    std::vector<AveragedTable> tables() const override {
        AveragedTable parts{"parts",
                            {{"adds", "what the part adds to the logit", true},
                             {"size", "the same without its sign"},
                             {"share", "share of the sum of all |parts|"}},
                            lines_,
                            {}};
        AveragedTable logit{
            "logit",
            {{"logit", "what the model says, or how far it is above the other", true},
             {"sum", "sum of all parts", true},
             {"final-scale", "the frozen scale of the final norm"}},
            {{"logit"}},
            {}};
        return {std::move(parts), std::move(logit)};
    }

    void prepare(ChainRequest&) const override {}

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        const std::size_t ofLogit = 3 * lines_.size();
        const std::vector<AnswerAt> answers = answersAsked(*run, asked_.answer);
        if (answers.empty())
            return std::vector<double>(ofLogit + 3, std::numeric_limits<double>::quiet_NaN());
        std::vector<int> rows;
        for (const AnswerAt& at : answers) rows.push_back(at.row);
        const auto traces = rowsOfRun(*run, rows, backend, cancelled);
        if (!traces) return tl::unexpected(traces.error());
        std::vector<double> numbers(ofLogit + 3);
        const double weight = 1.0 / static_cast<double>(answers.size());
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const auto whole = attributeLogit(run->model->config, run->model->weights, (*traces)[i],
                                              {answers[i].token, asked_.against, answers[i].slot});
            if (!whole) return tl::unexpected(whole.error());
            add(*whole, weight, numbers);
        }
        return numbers;
    }

  private:
    static AveragedLine lineOf(const LogitPart& part, bool joined) {
        AveragedLine line{nameOf(part), part.layer};
        if (part.kind != LogitPart::Kind::tile) return line;
        line.map = joined ? Pattern{part.head, -1, -1, -1} : Pattern{part.head, part.p, part.r, -1};
        line.name = nameOf(part.layer, line.map);
        return line;
    }

    void add(const LogitAttribution& whole, double weight, std::vector<double>& numbers) const {
        std::vector<double> values(lines_.size());
        for (std::size_t i = 0; i < whole.parts.size(); ++i)
            values[lineOfPart_[i]] += whole.parts[i].value;
        double* number = numbers.data();
        for (const double value : values) {
            *number++ += weight * value;
            *number++ += weight * std::abs(value);
            *number++ += weight * std::abs(value) / whole.magnitude;
        }
        *number++ += weight * whole.whole;
        *number++ += weight * whole.sum;
        *number++ += weight * whole.finalScale;
    }

    SharesAsked asked_;
    std::vector<AveragedLine> lines_;
    std::vector<std::size_t> lineOfPart_;  ///< of each part of an attribution
};

}  // namespace

Result<Question> askShares(const Model& model, const SharesAsked& asked) {
    if (model.filter)
        return fail(Error::Kind::unsupported, "model", "a filter has no logits",
                    "choose a model that reads tokens");
    const auto parts = partsThere(model, asked.against);
    if (!parts) return tl::unexpected(parts.error());
    return std::make_shared<SharesQuestion>(asked, model.config, parts->parts);
}

}  // namespace headloom
