#include "core/analysis/logit_lens.h"
#include "core/session/prompt_questions.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>

#include <limits>

namespace headloom {

namespace {

class LensQuestion : public PromptQuestion {
  public:
    LensQuestion(const ModelConfig& config, std::optional<int> answer) : answer_(answer) {
        using Place = LensPoint::Place;
        const auto add = [this](int layer, Place place) {
            lines_.push_back({fmt::format("L{}.{}", layer, nameOf(place)), layer});
        };
        for (int layer = 0; layer < config.nLayers(); ++layer) {
            add(layer, Place::residPre);
            if (config.dMlp > 0) add(layer, Place::residMid);
        }
        add(config.nLayers() - 1, Place::residPost);
    }

    std::vector<AveragedTable> tables() const override {
        return {{"lens",
                 {{"probability", "mean probability of the answers if the model ended here"},
                  {"rank", "mean rank of the answers' tokens, from 0"},
                  {"top", "share of the answers that are the most probable token"},
                  {"logit", "mean logit of the answers' tokens", true}},
                 lines_,
                 {}}};
    }

    void prepare(ChainRequest&) const override {}

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        const std::vector<AnswerAt> answers = answersAsked(*run, answer_);
        if (answers.empty())
            return std::vector<double>(4 * lines_.size(), std::numeric_limits<double>::quiet_NaN());
        std::vector<int> rows;
        for (const AnswerAt& at : answers) rows.push_back(at.row);
        const auto traces = rowsOfRun(*run, rows, backend, cancelled);
        if (!traces) return tl::unexpected(traces.error());
        std::vector<double> numbers(4 * lines_.size());
        const double weight = 1.0 / static_cast<double>(answers.size());
        for (std::size_t i = 0; i < answers.size(); ++i) {
            double* number = numbers.data();
            for (const LensPoint& point :
                 logitLens(run->model->config, run->model->weights, (*traces)[i], answers[i].slot,
                           answers[i].token, 1)) {
                *number++ += weight * point.probability;
                *number++ += weight * point.rank;
                *number++ += weight * double(point.rank == 0);
                *number++ += weight * point.logit;
            }
        }
        return numbers;
    }

  private:
    std::optional<int> answer_;
    std::vector<AveragedLine> lines_;
};

}  // namespace

Result<Question> askLens(const Model& model, std::optional<int> answer) {
    if (model.filter)
        return fail(Error::Kind::unsupported, "model", "a filter has no logits",
                    "choose a model that reads tokens");
    return std::make_shared<LensQuestion>(model.config, answer);
}

}  // namespace headloom
