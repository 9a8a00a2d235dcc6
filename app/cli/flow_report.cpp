#include "app/cli/flow_report.h"

#include "app/cli/text.h"
#include "core/analysis/token_flow.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

std::string tokenAt(const FlowReport& report, std::size_t row) {
    return report.run->model->vocabulary.text(report.run->tokens[row]);
}

bool isEvidence(const std::vector<int>& evidence, std::size_t token) {
    return std::find(evidence.begin(), evidence.end(), static_cast<int>(token)) != evidence.end();
}

/// Tokens in the order of the prompt or, where not all are wanted, the largest first.
std::vector<std::size_t> tokensOf(const FlowReport& report) {
    std::vector<std::size_t> tokens(report.rollout.size());
    std::iota(tokens.begin(), tokens.end(), std::size_t{0});
    if (report.top < 1 || report.top >= static_cast<int>(tokens.size())) return tokens;
    std::stable_sort(tokens.begin(), tokens.end(), [&](std::size_t a, std::size_t b) {
        return report.rollout[a] > report.rollout[b];
    });
    tokens.resize(static_cast<std::size_t>(report.top));
    return tokens;
}

/// As CSV has it: in quotes, those inside twice.
std::string quoted(const std::string& text) {
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + "\"";
}

}  // namespace

std::string flowAsText(const FlowReport& report) {
    std::vector<std::string> headings = {"token", "text", "rollout"};
    if (report.flow) headings.emplace_back("flow");
    const std::vector<int> evidence = report.run->evidence(report.row);
    if (!evidence.empty()) headings.emplace_back("evidence");
    Table table(headings);
    for (const std::size_t token : tokensOf(report)) {
        std::vector<std::string> cells = {std::to_string(token), visible(tokenAt(report, token)),
                                          fmt::format("{:.4f}", report.rollout[token])};
        if (report.flow) cells.push_back(fmt::format("{:.4f}", (*report.flow)[token]));
        if (!evidence.empty()) cells.emplace_back(isEvidence(evidence, token) ? "yes" : "");
        table.add(std::move(cells));
    }
    std::string text =
        fmt::format("{}: what row {}, token \"{}\", takes from every token\n{}\n{}\n", report.model,
                    report.row, visible(tokenAt(report, static_cast<std::size_t>(report.row))),
                    layerFormula(), rolloutFormula());
    if (report.flow) text += std::string(flowFormula()) + "\n";
    return text + "\n" + table.text();
}

std::string flowAsJson(const FlowReport& report) {
    json root = {{"model", asUtf8(report.model)},   {"row", report.row},
                 {"layer_formula", layerFormula()}, {"rollout_formula", rolloutFormula()},
                 {"rollout", report.rollout},       {"evidence", report.run->evidence(report.row)},
                 {"tokens", json::array()}};
    for (std::size_t token = 0; token < report.rollout.size(); ++token)
        root["tokens"].push_back(asUtf8(tokenAt(report, token)));
    if (report.flow) {
        root["flow_formula"] = flowFormula();
        root["flow"] = *report.flow;
    }
    return jsonText(root);
}

std::string flowAsCsv(const FlowReport& report) {
    const std::vector<int> evidence = report.run->evidence(report.row);
    std::string csv = "row,token,text,rollout,flow,evidence\n";
    for (std::size_t token = 0; token < report.rollout.size(); ++token)
        csv += fmt::format("{},{},{},{},{},{}\n", report.row, token,
                           quoted(asUtf8(tokenAt(report, token))), report.rollout[token],
                           report.flow ? fmt::format("{}", (*report.flow)[token]) : "",
                           isEvidence(evidence, token) ? 1 : 0);
    return csv;
}

}  // namespace headloom::cli
