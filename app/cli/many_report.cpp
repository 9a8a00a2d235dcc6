#include "app/cli/many_report.h"

#include "app/cli/text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

/// Lines of the first table as they are to be listed; those without a number come last.
std::vector<std::size_t> orderOf(const AveragesShown& shown, const AveragedTable& table) {
    std::vector<std::size_t> order(table.lines.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (shown.headsOnly)
        std::erase_if(order, [&](std::size_t line) { return table.lines[line].isTile(); });
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(),
                     [&](const AveragedColumn& each) { return each.id == shown.sort; });
    if (column == table.columns.end()) return order;
    const auto at = static_cast<std::size_t>(column - table.columns.begin());
    const auto key = [&](std::size_t line) {
        const double mean = table.at(line, at).mean();
        return shown.bySize ? std::abs(mean) : mean;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const double one = key(a), other = key(b);
        if (std::isnan(one) || std::isnan(other)) return !std::isnan(one) && std::isnan(other);
        return shown.ascending ? one < other : one > other;
    });
    return order;
}

/// "0.123 ± 0.045"; many columns leave room for three digits.
std::string cellText(const AveragedTable& table, std::size_t line, std::size_t column) {
    const Spread& cell = table.at(line, column);
    if (cell.count() == 0) return "-";
    const int digits = table.columns.size() > 6 ? 3 : 4;
    const std::string mean = table.columns[column].isSigned
                                 ? fmt::format("{:+.{}f}", cell.mean(), digits)
                                 : fmt::format("{:.{}f}", cell.mean(), digits);
    return cell.count() == 1 ? mean : fmt::format("{} ± {:.{}f}", mean, cell.deviation(), digits);
}

/// How many prompts had a column's number, of the lines listed.
std::string countText(const AveragedTable& table, const std::vector<std::size_t>& order,
                      std::size_t column) {
    int least = table.at(order.front(), column).count(), most = least;
    for (const std::size_t line : order) {
        least = std::min(least, table.at(line, column).count());
        most = std::max(most, table.at(line, column).count());
    }
    return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

std::string tableText(const AveragedTable& table, const std::vector<std::size_t>& order,
                      std::size_t top) {
    std::vector<std::string> headings = {"part"}, counts = {"n"};
    for (const AveragedColumn& column : table.columns) headings.push_back(column.id);
    Table text(headings);
    for (std::size_t i = 0; i < std::min(top, order.size()); ++i) {
        std::vector<std::string> cells = {table.lines[order[i]].name};
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            cells.push_back(cellText(table, order[i], column));
        text.add(std::move(cells));
    }
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        counts.push_back(countText(table, order, column));
    text.add(std::move(counts));
    return text.text();
}

/// A table of one line, as a sentence.
std::string lineText(const AveragedTable& table, int done) {
    std::string text;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const int count = table.at(0, column).count();
        if (count == 0) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", table.columns[column].id,
                            cellText(table, 0, column));
        if (count < done) text += fmt::format(" (n {})", count);
    }
    return text.empty() ? "" : fmt::format("{}: {}\n", table.lines.front().name, text);
}

json numberJson(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json lineJson(const AveragedTable& table, std::size_t line) {
    json entry = json::object();
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const Spread& cell = table.at(line, column);
        entry[table.columns[column].id] = {{"mean", numberJson(cell.mean())},
                                           {"sd", numberJson(cell.deviation())},
                                           {"n", cell.count()},
                                           {"min", numberJson(cell.least())},
                                           {"max", numberJson(cell.most())}};
    }
    return entry;
}

}  // namespace

std::string averagesAsText(const AveragesShown& shown, const ManyAverages& averages) {
    std::string text = fmt::format("{}, {} over {}: mean ± standard deviation\n", shown.model,
                                   shown.what, shown.over);
    if (averages.done < averages.asked)
        text += fmt::format("stopped after {} of {} prompts\n", averages.done, averages.asked);
    std::string tables;
    for (const AveragedTable& table : averages.tables) {
        const bool first = &table == &averages.tables.front();
        AveragesShown how = shown;
        if (!first) how.sort.clear();
        const auto order = orderOf(how, table);
        if (table.lines.size() == 1 && !first) {
            text += lineText(table, averages.done);
            continue;
        }
        if (order.empty()) continue;
        const std::size_t top =
            first && shown.top > 0 ? static_cast<std::size_t>(shown.top) : order.size();
        tables += "\n" + tableText(table, order, top);
        if (top < order.size()) tables += fmt::format("{} of {} parts\n", top, order.size());
    }
    return text + tables;
}

std::string averagesAsJson(const AveragesShown& shown, const ManyAverages& averages) {
    json root = {{"model", asUtf8(shown.model)},
                 {"over", shown.over},
                 {"asked", averages.asked},
                 {"done", averages.done}};
    for (const AveragedTable& table : averages.tables) {
        const bool first = &table == &averages.tables.front();
        // one line, of the table's own name
        if (!table.lines.empty() && table.id == table.lines.front().name) {
            root[table.id] = lineJson(table, 0);
            continue;
        }
        json& lines = root[table.id] = json::array();
        AveragesShown how = shown;
        if (!first) how.sort.clear();
        for (const std::size_t line : orderOf(how, table)) {
            json entry = lineJson(table, line);
            entry["part"] = table.lines[line].name;
            lines.push_back(std::move(entry));
        }
    }
    return jsonText(root);
}

}  // namespace headloom::cli
