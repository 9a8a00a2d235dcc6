#include "app/cli/heads_report.h"

#include "app/cli/text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

struct Line {
    int layer = 0;
    HeadScores scores;

    std::string name() const { return nameOf(layer, Pattern{scores.head, scores.p, scores.r, -1}); }
};

/// Heads and tiles as they are to be listed; those without a value come last.
std::vector<Line> linesOf(const HeadsReport& report) {
    std::vector<Line> lines;
    for (const LayerSurvey& layer : report.layers)
        for (const HeadScores& scores : layer.scores)
            if (!report.headsOnly || !scores.isTile()) lines.push_back({layer.layer, scores});
    if (!report.sort) return lines;
    std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
        const double one = a.scores.of(*report.sort), other = b.scores.of(*report.sort);
        if (std::isnan(one) || std::isnan(other)) return !std::isnan(one) && std::isnan(other);
        return report.ascending ? one < other : one > other;
    });
    return lines;
}

/// What patterns are called where they are counted.
std::string plural(PatternKind kind) {
    return kind == PatternKind::effective ? "effective maps" : nameOf(kind);
}

/// Names of the patterns of one cluster (dead: -1), in the order of the matrix.
std::vector<std::string> membersOf(const LayerSurvey& layer, const PatternClusters& clusters,
                                   int cluster) {
    std::vector<std::string> names;
    for (const int at : clusters.order) {
        const auto index = static_cast<std::size_t>(at);
        if (clusters.cluster[index] == cluster)
            names.push_back(nameOf(layer.layer, layer.patterns[index]));
    }
    return names;
}

std::string redundancyText(const HeadsReport& report, const LayerSurvey& layer) {
    if (!layer.noPatterns.empty()) return fmt::format("L{}: {}\n", layer.layer, layer.noPatterns);
    const PatternClusters clusters = clustersOf(layer.redundancy, report.thresholds);
    std::string text =
        fmt::format("L{}: {} {}, {} distinct, {} dead, effective rank {:.2f}\n", layer.layer,
                    layer.redundancy.count, plural(report.maps), clusters.distinct, clusters.dead,
                    layer.redundancy.effectiveRank);
    for (int cluster = 0; cluster < clusters.distinct; ++cluster) {
        const auto names = membersOf(layer, clusters, cluster);
        if (names.size() > 1) text += fmt::format("  alike: {}\n", fmt::join(names, " "));
    }
    if (clusters.dead > 0)
        text += fmt::format("  dead: {}\n", fmt::join(membersOf(layer, clusters, -1), " "));
    return text;
}

json orNull(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json redundancyJson(const HeadsReport& report, const LayerSurvey& layer) {
    const Redundancy& redundancy = layer.redundancy;
    const PatternClusters clusters = clustersOf(redundancy, report.thresholds);
    json root = {{"layer", layer.layer},
                 {"count", redundancy.count},
                 {"distinct", clusters.distinct},
                 {"dead", clusters.dead},
                 {"effective_rank", redundancy.effectiveRank},
                 {"patterns", json::array()},
                 {"similarity", json::array()}};
    if (!layer.noPatterns.empty()) root["why_none"] = layer.noPatterns;
    for (const int at : clusters.order) {
        const auto index = static_cast<std::size_t>(at);
        root["patterns"].push_back({{"name", nameOf(layer.layer, layer.patterns[index])},
                                    {"cluster", clusters.cluster[index]},
                                    {"mass", redundancy.mass[index]},
                                    {"entropy", orNull(redundancy.entropy[index])}});
        json row = json::array();
        for (const int other : clusters.order) row.push_back(redundancy.cosine(at, other));
        root["similarity"].push_back(std::move(row));
    }
    return root;
}

}  // namespace

std::string headsAsText(const HeadsReport& report) {
    std::vector<std::string> headings = {"part"};
    for (const HeadMeasureWords& words : headMeasures()) headings.emplace_back(words.id);
    Table table(headings);
    const std::vector<Line> lines = linesOf(report);
    const std::size_t shown = report.top > 0
                                  ? std::min(lines.size(), static_cast<std::size_t>(report.top))
                                  : lines.size();
    for (std::size_t i = 0; i < shown; ++i) {
        std::vector<std::string> cells = {lines[i].name()};
        for (const double value : lines[i].scores.values)
            cells.push_back(std::isnan(value) ? "-" : fmt::format("{:.3f}", value));
        table.add(std::move(cells));
    }
    std::string text = fmt::format("{} over {} tokens", report.model, report.tokens);
    if (report.sort)
        text += fmt::format(", by {}, {} first", headMeasures()[indexOf(*report.sort)].id,
                            report.ascending ? "least" : "most");
    if (shown < lines.size()) text += fmt::format(", {} of {}", shown, lines.size());
    text += fmt::format(
        "\n\n{}\n{}: of one cluster where all pairs have a cosine above {}, dead with a mass below "
        "{}\n",
        table.text(), plural(report.maps), report.thresholds.similar, report.thresholds.dead);
    for (const LayerSurvey& layer : report.layers) text += redundancyText(report, layer);
    return text;
}

std::string headsAsJson(const HeadsReport& report) {
    json root = {{"model", asUtf8(report.model)},  {"tokens", report.tokens},
                 {"maps", nameOf(report.maps)},    {"similar", report.thresholds.similar},
                 {"dead", report.thresholds.dead}, {"heads", json::array()},
                 {"layers", json::array()}};
    for (const Line& line : linesOf(report)) {
        json entry = {{"part", line.name()}};
        for (const HeadMeasureWords& words : headMeasures())
            entry[words.id] = orNull(line.scores.of(words.measure));
        root["heads"].push_back(std::move(entry));
    }
    for (const LayerSurvey& layer : report.layers)
        root["layers"].push_back(redundancyJson(report, layer));
    return jsonText(root);
}

std::string headsAsCsv(const HeadsReport& report) {
    std::string csv = "part,layer,head,query_pseudo,key_pseudo";
    for (const HeadMeasureWords& words : headMeasures()) csv += fmt::format(",{}", words.id);
    csv += "\n";
    for (const Line& line : linesOf(report)) {
        const HeadScores& scores = line.scores;
        csv += fmt::format("{},{},{}", line.name(), line.layer, scores.head);
        csv += scores.isTile() ? fmt::format(",{},{}", scores.p, scores.r) : ",,";
        for (const double value : scores.values)
            csv += std::isnan(value) ? "," : fmt::format(",{}", value);
        csv += "\n";
    }
    return csv;
}

}  // namespace headloom::cli
