#include "app/cli/split_report.h"

#include "app/cli/text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numeric>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

std::string tokenAt(const SplitCell& explained, int row) {
    return explained.run.model->vocabulary.text(
        explained.run.tokens[static_cast<std::size_t>(row)]);
}

}  // namespace

std::string splitAsText(const std::string& model, const SplitCell& explained) {
    const ScoreSplit& split = explained.split;
    std::vector<std::string> head = {"queries of"};
    for (const int source : split.keySources) head.push_back(fmt::format("keys h{}", source));
    head.push_back("sum");
    Table table(head);
    const std::size_t width = split.keySources.size();
    for (std::size_t m = 0; m < split.querySources.size(); ++m) {
        std::vector<std::string> line = {fmt::format("h{}", split.querySources[m])};
        const auto begin = split.terms.begin() + static_cast<std::ptrdiff_t>(m * width);
        for (std::size_t n = 0; n < width; ++n)
            line.push_back(fmt::format("{:+.4f}", begin[static_cast<std::ptrdiff_t>(n)]));
        line.push_back(fmt::format(
            "{:+.4f}", std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(width), 0.0)));
        table.add(line);
    }
    std::string text = fmt::format(
        "{}, {}: from \"{}\" ({}) to \"{}\" ({}), score {:+.4f}{}\n\n{}\ncross-head share of this "
        "score {:.3f}",
        model, nameOf(explained.part), visible(tokenAt(explained, explained.part.query)),
        explained.part.query, visible(tokenAt(explained, explained.part.key)), explained.part.key,
        split.score, split.seen ? "" : ", hidden by the mask", table.text(),
        explained.cell.share());
    if (!explained.marked.empty())
        text += fmt::format(", of those on the evidence {:.3f}", explained.evidence.share());
    if (split.rotates)
        text += fmt::format("\nwithout rotation the score is {:+.4f}", split.plainScore);
    return text + "\n";
}

std::string splitAsJson(const std::string& model, const SplitCell& explained) {
    const ScoreSplit& split = explained.split;
    json root = {{"model", asUtf8(model)},
                 {"cell", nameOf(explained.part)},
                 {"score", split.score},
                 {"seen", split.seen},
                 {"query_heads", split.querySources},
                 {"key_heads", split.keySources},
                 {"terms", split.terms},
                 {"plain_terms", split.plain},
                 {"plain_score", split.plainScore},
                 {"cross_head_share", explained.cell.share()}};
    if (!explained.marked.empty()) {
        root["evidence"] = explained.marked;
        root["evidence_cross_head_share"] = explained.evidence.share();
    }
    return jsonText(root);
}

}  // namespace headloom::cli
