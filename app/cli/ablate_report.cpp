#include "app/cli/ablate_report.h"

#include "app/cli/text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

std::string tokenText(const AblationGround& ground, int token) {
    return ground.whole->model->vocabulary.text(token);
}

json effectJson(const PartEffect& effect) {
    return {{"part", nameOf(effect.cut.part)},
            {"before", effect.before},
            {"after", effect.after},
            {"log_ratio", effect.logRatio},
            {"rank_before", effect.rankBefore},
            {"rank_after", effect.rankAfter},
            {"flipped", effect.flipped}};
}

}  // namespace

std::string rankingAsText(const AblationGround& ground, const std::string& what,
                          const std::vector<PartEffect>& effects) {
    Table table({"part", "probability", "without it", "log ratio", "answers that change"});
    for (std::size_t i = 0; i < effects.size() && (ground.top < 1 || int(i) < ground.top); ++i)
        table.add({nameOf(effects[i].cut.part), fmt::format("{:.4f}", effects[i].before),
                   fmt::format("{:.4f}", effects[i].after),
                   fmt::format("{:+.3g}", effects[i].logRatio),
                   fmt::format("{} of {}", effects[i].flipped, ground.answers.size())});
    return fmt::format("{}: {} {}, the costliest first\n\n{}", ground.model, effects.size(), what,
                       table.text());
}

std::string rankingAsJson(const AblationGround& ground, const std::string& instead,
                          const std::vector<PartEffect>& effects) {
    json root = {{"model", asUtf8(ground.model)},
                 {"instead", instead},
                 {"answers", ground.answers.size()},
                 {"ranking", json::array()}};
    for (const PartEffect& effect : effects) root["ranking"].push_back(effectJson(effect));
    return jsonText(root);
}

std::string changesAsText(const AblationGround& ground, const ChainRun& without) {
    Table table({"step", "row", "token", "before", "after", "change", "rank"});
    for (std::size_t step = 0; step < ground.answers.size(); ++step) {
        const AnswerAt& at = ground.answers[step];
        for (const TokenChange& change : tokenChanges(*ground.whole, without, at, ground.top))
            table.add(
                {std::to_string(ground.firstStep + static_cast<int>(step)), std::to_string(at.row),
                 visible(tokenText(ground, change.token)) + (change.token == at.token ? " <" : ""),
                 fmt::format("{:.4f}", change.before), fmt::format("{:.4f}", change.after),
                 fmt::format("{:+.4f}", change.after - change.before),
                 fmt::format("{} to {}", change.rankBefore, change.rankAfter)});
    }
    std::string names;
    for (const Cut& cut : without.ablation.cuts) names += (names.empty() ? "" : "; ") + nameOf(cut);
    return fmt::format("{} without {}\n\n{}\n< is the {} token; ranks count from 0\n", ground.model,
                       names, table.text(),
                       ground.answers.front().isTrue ? "true" : "most probable");
}

std::string changesAsJson(const AblationGround& ground, const ChainRun& without) {
    json root = {
        {"model", asUtf8(ground.model)}, {"ablation", json::array()}, {"steps", json::array()}};
    for (const Cut& cut : without.ablation.cuts) root["ablation"].push_back(nameOf(cut));
    for (const AnswerAt& at : ground.answers) {
        json entry = {
            {"row", at.row}, {"slot", at.slot}, {"answer", at.token}, {"top", json::array()}};
        for (const TokenChange& change : tokenChanges(*ground.whole, without, at, ground.top))
            entry["top"].push_back({{"id", change.token},
                                    {"token", asUtf8(tokenText(ground, change.token))},
                                    {"before", change.before},
                                    {"after", change.after},
                                    {"rank_before", change.rankBefore},
                                    {"rank_after", change.rankAfter}});
        root["steps"].push_back(std::move(entry));
    }
    return jsonText(root);
}

}  // namespace headloom::cli
