#include "app/cli/attribute_report.h"

#include "app/cli/text.h"
#include "core/analysis/logit_lens.h"
#include "core/base/utf8.h"
#include "core/models/model_part.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

/// The tiles of a head as one part, where they are several.
std::vector<std::pair<std::string, double>> listed(const AttributedLogit& logit, bool heads) {
    const ModelConfig& config = logit.run.model->config;
    std::vector<std::pair<std::string, double>> all;
    for (const LogitPart& part : logit.attribution.parts) {
        const bool tile = part.kind == LogitPart::Kind::tile;
        const bool single = tile && config.layers[std::size_t(part.layer)].nPseudo == 1;
        if (!tile || !(heads || single)) {
            all.emplace_back(headloom::nameOf(part), part.value);
        } else if (part.p == 0 && part.r == 0) {
            all.emplace_back(headloom::nameOf(ModelPart::ofHead(part.layer, part.head)),
                             logit.attribution.head(part.layer, part.head));
        }
    }
    return all;
}

std::string tokenText(const AttributedLogit& logit, int token) {
    return logit.run.model->vocabulary.text(token);
}

std::vector<LensPoint> lensOf(const AttributedLogit& logit) {
    return logitLens(logit.run.model->config, logit.run.model->weights, logit.trace, logit.at.slot,
                     logit.at.token, 5);
}

std::string lensText(const AttributedLogit& logit) {
    Table table({"layer", "place", "logit", "probability", "rank", "most probable"});
    for (const LensPoint& point : lensOf(logit)) {
        std::string top;
        for (const Candidate& candidate : point.top)
            top += fmt::format("{}{} {:.2f}", top.empty() ? "" : ", ",
                               visible(tokenText(logit, candidate.id)), candidate.probability);
        table.add({std::to_string(point.layer), std::string(headloom::nameOf(point.place)),
                   fmt::format("{:+.3f}", point.logit), fmt::format("{:.4f}", point.probability),
                   std::to_string(point.rank), top});
    }
    return table.text();
}

}  // namespace

std::string attributionAsText(const AttributionShown& shown, const AttributedLogit& logit) {
    auto parts = listed(logit, shown.heads);
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return std::abs(a.second) > std::abs(b.second);
    });
    const LogitAttribution& whole = logit.attribution;
    Table table({"part", "adds", "share of |parts|"});
    double rest = 0;
    int left = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (shown.top > 0 && static_cast<int>(i) >= shown.top) {
            rest += parts[i].second;
            ++left;
            continue;
        }
        table.add({parts[i].first, fmt::format("{:+.4f}", parts[i].second),
                   fmt::format("{:.3f}", std::abs(parts[i].second) / whole.magnitude)});
    }
    if (left > 0) table.add({fmt::format("{} others", left), fmt::format("{:+.4f}", rest), ""});
    table.add({"sum", fmt::format("{:+.4f}", whole.sum), ""});
    std::string what = fmt::format("\"{}\"", visible(tokenText(logit, logit.at.token)));
    if (logit.against >= 0)
        what += fmt::format(" above that of \"{}\"", visible(tokenText(logit, logit.against)));
    std::string text = fmt::format(
        "{}: the logit of {} at row {}, {:+.4f}\n\n{}\nthe final norm's scale is frozen at "
        "{:.4g}\n",
        shown.model, what, logit.at.row, whole.whole, table.text(), whole.finalScale);
    if (shown.lens) text += "\nif the model ended here:\n\n" + lensText(logit);
    return text;
}

std::string attributionAsJson(const AttributionShown& shown, const AttributedLogit& logit) {
    json root = {{"model", asUtf8(shown.model)},
                 {"row", logit.at.row},
                 {"slot", logit.at.slot},
                 {"token", logit.at.token},
                 {"logit", logit.attribution.whole},
                 {"sum", logit.attribution.sum},
                 {"final_scale", logit.attribution.finalScale},
                 {"parts", json::array()}};
    if (logit.against >= 0) root["against"] = logit.against;
    for (const auto& [name, value] : listed(logit, shown.heads))
        root["parts"].push_back({{"part", name}, {"adds", value}});
    if (shown.lens) {
        root["lens"] = json::array();
        for (const LensPoint& point : lensOf(logit)) {
            json entry = {{"layer", point.layer}, {"place", headloom::nameOf(point.place)},
                          {"logit", point.logit}, {"probability", point.probability},
                          {"rank", point.rank},   {"top", json::array()}};
            for (const Candidate& candidate : point.top)
                entry["top"].push_back(
                    {{"id", candidate.id}, {"probability", candidate.probability}});
            root["lens"].push_back(std::move(entry));
        }
    }
    return jsonText(root);
}

}  // namespace headloom::cli
