#include "core/tasks/builtin.h"

#include <fmt/format.h>

namespace headloom {

std::vector<std::string> characterRange(char first, int count) {
    std::vector<std::string> tokens;
    for (int i = 0; i < count; ++i) tokens.emplace_back(1, static_cast<char>(first + i));
    return tokens;
}

tl::unexpected<Error> badPrompt(std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, "prompt", std::move(what), std::move(remedy));
}

Result<void> checkPrompt(const std::vector<int>& prompt, const TaskInfo& info) {
    if (prompt.empty()) return badPrompt("it is empty", "type at least one token");
    for (const int id : prompt)
        if (id < 0 || id >= info.vocabulary.size())
            return badPrompt(fmt::format("token {} is outside the vocabulary", id),
                             fmt::format("use ids 0..{}", info.vocabulary.size() - 1));
    return {};
}

}  // namespace headloom
