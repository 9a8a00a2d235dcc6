#include "core/tasks/prompt_task.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

/// Boolean matrices, row-major.
std::vector<int> product(const std::vector<int>& a, const std::vector<int>& b, std::size_t size) {
    std::vector<int> out(size * size);
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < size; ++k)
            if (a[i * size + k])
                for (std::size_t j = 0; j < size; ++j) out[i * size + j] |= b[k * size + j];
    return out;
}

/// Every entry is answered by one of two classes, "0" and "1". One logit under a binary
/// cross-entropy is the difference of these two, so the functions that can be learnt are the same.
class Relations : public PromptTask {
  public:
    explicit Relations(const SettingValues& values)
        : size_(static_cast<std::size_t>(values.whole("size"))),
          power_(values.whole("power")),
          density_(values.decimal("density")) {
        info_.id = "relations";
        info_.title = "Relations";
        info_.explanation = fmt::format(
            "A relation between {0} things is given as a table of {0} x {0} zeros and ones, row by "
            "row, all visible at once. Every entry must say whether {1} steps of the relation lead "
            "from its row to its column, the boolean product {2}: for that it must see its whole "
            "row and its whole column. Without an MLP two interleaved heads are ahead of two "
            "ordinary ones, though the ranges overlap; with an MLP the gap is gone.",
            size_, inWords(power_), power_ == 2 ? "R.R" : "R.R.R");
        info_.vocabulary = Vocabulary(characterRange('0', 2));
        info_.inputLength = static_cast<int>(size_ * size_);
        info_.generated = false;
        info_.settings = values.all();
    }

  private:
    std::vector<int> draw(Rng& rng) const override {
        std::vector<int> entries(size_ * size_);
        for (int& entry : entries) entry = rng.uniform() < density_;
        return entries;
    }

    Result<void> check(const std::vector<int>& prompt) const override {
        if (prompt.size() == size_ * size_) return {};
        return badPrompt(fmt::format("it has {} digits, but a {} x {} relation has {}",
                                     prompt.size(), size_, size_, size_ * size_),
                         fmt::format("type {} rows of {} digits 0 or 1", size_, size_));
    }

    Example answered(std::vector<int> relation, bool labels) const override {
        std::vector<int> answer = product(relation, relation, size_);
        if (power_ == 3) answer = product(answer, relation, size_);
        Example example = blank(std::move(relation), labels);
        example.targets = std::move(answer);
        for (std::size_t i = 0; labels && i < size_; ++i)
            for (std::size_t j = 0; j < size_; ++j) label(i, j, example);
        return example;
    }

    /// Row i and column j: all of it for R.R, its two ends for R.R.R, which needs all entries.
    void label(std::size_t i, std::size_t j, Example& example) const {
        const std::size_t at = i * size_ + j;
        std::vector<int>& evidence = example.evidence[at];
        std::string through;
        for (std::size_t k = 0; k < size_; ++k) {
            const std::size_t inRow = i * size_ + k, inColumn = k * size_ + j;
            evidence.push_back(static_cast<int>(inRow));
            if (k != i) evidence.push_back(static_cast<int>(inColumn));
            if (example.tokens[inRow] && example.tokens[inColumn]) through += fmt::format(" {}", k);
        }
        std::sort(evidence.begin(), evidence.end());
        const int yes = example.targets[at];
        example.steps[at] = power_ == 2 && yes
                                ? fmt::format("row {}, column {}: 1, through{}", i, j, through)
                                : fmt::format("row {}, column {}: {}", i, j, yes);
    }

    std::size_t size_;
    int power_;
    double density_;
};

}  // namespace

TaskChoices relationsChoices() {
    using Kind = TaskSetting::Kind;
    TaskChoices choices;
    choices.settings = {
        {"size", "Things",
         "How many things the relation is between: the table has size x size "
         "entries.",
         Kind::wholeNumber, "4", 3, 12},
        {"power", "Steps", "How many steps an entry asks about: 2 for R.R, 3 for R.R.R.",
         Kind::wholeNumber, "2", 2, 3},
        {"density", "Density", "How likely an entry of the relation is 1.", Kind::decimal, "0.325",
         0.1, 0.9}};
    choices.presets = {
        {"paper-rr",
         "R.R as published (arXiv 2602.21371, appendix D): sizes 6 to 10, this is 10",
         {{"size", "10"}, {"power", "2"}, {"density", "0.325"}}},
        {"paper-rrr",
         "R.R.R as published there: sizes 5 to 8, this is 8",
         {{"size", "8"}, {"power", "3"}, {"density", "0.264"}}}};
    return choices;
}

Result<std::unique_ptr<Task>> makeRelations(const SettingValues& values) {
    return std::make_unique<Relations>(values);
}

}  // namespace headloom
