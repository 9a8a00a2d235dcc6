#include "core/models/sampling.h"
#include "core/session/ablation_effect.h"
#include "core/session/prompt_questions.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headloom {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

class AnswersQuestion : public PromptQuestion {
  public:
    explicit AnswersQuestion(bool exactRows) : exactRows_(exactRows) {}

    std::vector<AveragedTable> tables() const override {
        return {{"answers",
                 {{"accuracy", "share of the answers that are right"},
                  {"exact", exactRows_ ? "share of the rows whose answers are all right"
                                       : "1 where every answer is right, else 0"},
                  {"probability",
                   "mean probability of the right tokens, or of the most probable "
                   "one where no token is known to be right"},
                  {"loss", "mean cross-entropy of the right tokens, in nats"}},
                 {{"answers"}},
                 {}}};
    }

    void prepare(ChainRequest&) const override {}

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend&,
                                       const std::function<bool()>&) const override {
        std::vector<AnswerAt> answers;
        if (!run->model->filter) answers = answersOf(*run);
        if (answers.empty()) return std::vector<double>{none, none, none, none};
        double right = 0, probability = 0, loss = 0;
        std::map<int, bool> rows;  // whether all answers of a row are right
        for (const AnswerAt& at : answers) {
            const auto logits = run->logits(at.row, at.slot);
            const bool same = topCandidates(logits, 0, 1).front().id == at.token;
            const double log = logProbability(logits, at.token);
            right += same;
            probability += std::exp(log);
            loss -= log;
            rows.try_emplace(at.row, true).first->second &= same;
        }
        const auto count = static_cast<double>(answers.size());
        if (!answers.front().isTrue)
            return std::vector<double>{none, none, probability / count, none};
        const auto wholeRows = static_cast<double>(
            std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.second; }));
        const double exact = exactRows_ ? wholeRows / static_cast<double>(rows.size())
                                        : double(wholeRows == static_cast<double>(rows.size()));
        return std::vector<double>{right / count, exact, probability / count, loss / count};
    }

  private:
    bool exactRows_;
};

}  // namespace

Question askAnswers(bool exactRows) {
    return std::make_shared<AnswersQuestion>(exactRows);
}

std::vector<AnswerAt> answersAsked(const ChainRun& run, std::optional<int> answer) {
    const std::vector<AnswerAt> all = answersOf(run);
    if (!answer) return all;
    if (*answer < 0 || *answer >= static_cast<int>(all.size())) return {};
    return {all[static_cast<std::size_t>(*answer)]};
}

}  // namespace headloom
