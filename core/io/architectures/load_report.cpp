#include "core/io/architectures/load_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headloom {

const char* nameOf(TensorUse use) {
    switch (use) {
        case TensorUse::used:
            return "used";
        case TensorUse::tied:
            return "tied";
        case TensorUse::ignored:
            return "ignored";
        case TensorUse::unexpected:
            break;
    }
    return "unexpected";
}

std::size_t LoadReport::count(TensorUse use) const {
    return static_cast<std::size_t>(std::count_if(
        tensors.begin(), tensors.end(), [use](const TensorFate& fate) { return fate.use == use; }));
}

std::vector<std::string> LoadReport::named(TensorUse use) const {
    std::vector<std::string> names;
    for (const TensorFate& fate : tensors)
        if (fate.use == use) names.push_back(fate.name);
    return names;
}

namespace {

constexpr std::size_t mostNamed = 8;

/// The first few names of a list.
std::string someOf(const std::vector<std::string>& names) {
    const std::size_t shown = std::min(names.size(), mostNamed);
    std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
    if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

std::string lineOf(const DimensionCheck& check) {
    std::string line = fmt::format("  {:<12} {}", check.name, check.used);
    if (check.differs())
        line += fmt::format("  the configuration says {}: the tensors win", *check.configured);
    else if (check.filledUp)
        line += fmt::format(
            "  from the tensors; the configuration says {}, the last {} only fill "
            "the tables up",
            *check.configured, check.used - *check.configured);
    else if (check.inferred && check.configured)
        line += "  tensors and configuration agree";
    else
        line += check.inferred ? "  from the tensors" : "  from the configuration";
    return line + "\n";
}

}  // namespace

std::string LoadReport::text() const {
    std::string all;
    if (architecture.empty())
        all += "architecture  not recognised\n";
    else
        all += fmt::format("architecture  {} ({})\n", architecture, title);
    if (!reason.empty()) all += fmt::format("why           {}\n", reason);
    all += fmt::format("container     {}\n", container);
    if (!configSource.empty()) all += fmt::format("configuration {}\n", configSource);
    if (!architecture.empty()) {
        all +=
            fmt::format("tensors       {} used, {} tied, {} ignored, {} unexpected, {} missing\n",
                        count(TensorUse::used), count(TensorUse::tied), count(TensorUse::ignored),
                        count(TensorUse::unexpected), missing.size());
        std::vector<std::string> kinds;
        for (const auto& [type, number] : types)
            kinds.push_back(fmt::format("{} {}", number, type));
        all += fmt::format("types         {}\n", fmt::join(kinds, ", "));
    }
    if (!dimensions.empty()) all += "dimensions\n";
    for (const DimensionCheck& check : dimensions) all += lineOf(check);
    for (const auto& [what, use] : {std::pair("ignored buffers", TensorUse::ignored),
                                    std::pair("unexpected", TensorUse::unexpected)})
        if (!architecture.empty() && count(use) > 0)
            all += fmt::format("{}: {}\n", what, someOf(named(use)));
    if (!missing.empty()) all += fmt::format("missing: {}\n", someOf(missing));
    for (const std::string& note : notes) all += fmt::format("note: {}.\n", note);
    for (const std::string& warning : warnings) all += fmt::format("warning: {}.\n", warning);
    if (!notRunnable.empty()) all += fmt::format("does not run: {}\n", notRunnable);
    if (question)
        all += fmt::format("asks: {} may be {}\n", question->setting,
                           fmt::join(question->answers, " or "));
    return all;
}

}  // namespace headloom
