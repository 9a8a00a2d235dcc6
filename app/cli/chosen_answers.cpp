#include "app/cli/chosen_answers.h"

#include <fmt/format.h>

namespace headloom::cli {

Result<std::vector<AnswerAt>> chosenAnswers(const ChainRun& run, std::optional<int> step) {
    const std::vector<AnswerAt> all = answersOf(run);
    if (all.empty())
        return fail(Error::Kind::badInput, "prompt", "the model says nothing at any of its tokens",
                    "use another prompt");
    if (!step) return all;
    if (*step < 0 || *step >= static_cast<int>(all.size()))
        return fail(Error::Kind::badInput, "--step", fmt::format("there is no step {}", *step),
                    fmt::format("this chain has steps 0 to {}", all.size() - 1));
    return std::vector{all[static_cast<std::size_t>(*step)]};
}

}  // namespace headloom::cli
