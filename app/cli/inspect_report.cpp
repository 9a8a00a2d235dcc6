#include "app/cli/inspect_report.h"

#include "app/cli/text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headloom::cli {

namespace {

using json = nlohmann::ordered_json;

const TensorFate* fateOf(const LoadReport& report, std::size_t at) {
    return at < report.tensors.size() ? &report.tensors[at] : nullptr;
}

/// Frobenius, which is that of the singular values.
double normOf(const std::vector<double>& singularValues) {
    double squares = 0;
    for (const double value : singularValues) squares += value * value;
    return std::sqrt(squares);
}

json reportJson(const LoadReport& report) {
    json dimensions = json::array();
    for (const DimensionCheck& check : report.dimensions) {
        json entry = {{"name", check.name}, {"used", check.used}};
        entry["inferred"] = check.inferred ? json(*check.inferred) : json();
        entry["configured"] = check.configured ? json(*check.configured) : json();
        dimensions.push_back(std::move(entry));
    }
    const auto lists = [](const std::vector<std::string>& texts) {
        json all = json::array();
        for (const std::string& text : texts) all.push_back(asUtf8(text));
        return all;
    };
    json question;  // null: it asks nothing
    if (report.question)
        question = {{"setting", report.question->setting}, {"answers", report.question->answers}};
    json types = json::object();
    for (const auto& [type, count] : report.types) types[asUtf8(type)] = count;
    return {{"architecture", report.architecture},
            {"title", report.title},
            {"reason", asUtf8(report.reason)},
            {"configuration", asUtf8(report.configSource)},
            {"runs", report.notRunnable.empty()},
            {"why_not", asUtf8(report.notRunnable)},
            {"question", std::move(question)},
            {"head_tied", report.headTied},
            {"types", std::move(types)},
            {"dimensions", std::move(dimensions)},
            {"used", lists(report.named(TensorUse::used))},
            {"tied", lists(report.named(TensorUse::tied))},
            {"ignored", lists(report.named(TensorUse::ignored))},
            {"missing", lists(report.missing)},
            {"unexpected", lists(report.named(TensorUse::unexpected))},
            {"notes", lists(report.notes)},
            {"warnings", lists(report.warnings)}};
}

json statisticsJson(const std::optional<TensorStatistics>& found) {
    if (!found) return nullptr;
    json made = {{"nans", found->nans}, {"infinities", found->infinities}, {"zeros", found->zeros}};
    const std::pair<const char*, double> ofTheFinite[] = {{"min", found->least},
                                                          {"max", found->most},
                                                          {"mean", found->mean},
                                                          {"std", found->deviation}};
    for (const auto& [name, value] : ofTheFinite)
        made[name] = found->finite() > 0 ? json(value) : json();
    return made;
}

json headJson(const HeadNumbers& head) {
    const auto circuit = [](const std::vector<double>& values) -> json {
        if (values.empty()) return nullptr;
        return {{"norm", normOf(values)},
                {"effective_rank", effectiveRank(values)},
                {"singular_values", values}};
    };
    return {{"layer", head.layer},
            {"head", head.head},
            {"W_QK", circuit(head.qk)},
            {"W_OV", circuit(head.ov)}};
}

std::string number(double value) {
    return fmt::format("{:.4g}", value);
}

/// min, max, mean, std, zeros and what is not finite, as cells.
std::vector<std::string> statisticsCells(const std::optional<TensorStatistics>& found) {
    if (!found) return {"-", "-", "-", "-", "-", "-"};
    std::vector<std::string> cells;
    for (const double value : {found->least, found->most, found->mean, found->deviation})
        cells.push_back(found->finite() > 0 ? number(value) : "-");
    cells.push_back(std::to_string(found->zeros));
    cells.push_back(std::to_string(found->count - found->finite()));
    return cells;
}

constexpr std::size_t deepest = 32;  ///< parts of a name; more than any module nests

/// The parts of a dotted name. A hostile one may be a million dots: indenting them all would fill
/// the memory.
std::vector<std::string> partsOf(const std::string& name) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end =
            parts.size() + 1 == deepest ? name.size() : std::min(name.find('.', at), name.size());
        parts.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

/// Names by their dots, each part once; what is the same in every line above is left out.
std::string treeText(const Inspected& found) {
    std::vector<std::string> headings = {"numbers", "type", "shape"};
    if (!found.statistics.empty())
        headings.insert(headings.end(), {"min", "max", "mean", "std", "zeros", "not finite"});
    headings.insert(headings.end(), {"use", "tensor"});
    Table table(headings);
    const auto branch = [&](const std::string& label) {
        std::vector<std::string> cells(headings.size());
        cells.back() = label;
        table.add(std::move(cells));
    };
    std::vector<std::string> open;
    const auto& entries = found.loaded.source->entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const TensorEntry& entry = entries[i];
        std::vector<std::string> parts = partsOf(entry.name);
        std::size_t same = 0;
        while (same + 1 < parts.size() && same < open.size() && parts[same] == open[same]) ++same;
        for (std::size_t depth = same; depth + 1 < parts.size(); ++depth)
            branch(std::string(2 * depth, ' ') + visible(parts[depth]));
        std::vector<std::string> cells = {std::to_string(entry.count()), visible(entry.typeName),
                                          fmt::format("[{}]", fmt::join(entry.shape, ", "))};
        if (!found.statistics.empty())
            for (std::string& cell : statisticsCells(found.statistics[i]))
                cells.push_back(std::move(cell));
        const TensorFate* fate = fateOf(found.loaded.report, i);
        cells.emplace_back(fate ? nameOf(fate->use) : "");
        cells.push_back(std::string(2 * (parts.size() - 1), ' ') + visible(parts.back()));
        table.add(std::move(cells));
        parts.pop_back();
        open = std::move(parts);
    }
    return table.text();
}

std::string headText(const HeadNumbers& head) {
    constexpr std::ptrdiff_t shown = 8;  // --json has all of them
    Table table({"circuit", "norm", "effective rank", "leading singular values"});
    for (const auto& [name, values] : {std::pair("W_QK", &head.qk), std::pair("W_OV", &head.ov)}) {
        if (values->empty()) {
            table.add({name, "-", "-", "none: differential attention, or numbers not finite"});
            continue;
        }
        std::vector<std::string> leading;
        for (std::size_t i = 0; i < values->size() && i < shown; ++i)
            leading.push_back(number((*values)[i]));
        table.add({name, number(normOf(*values)), number(effectiveRank(*values)),
                   fmt::format("{}", fmt::join(leading, " "))});
    }
    return fmt::format("\nhead {} of layer {}\n", head.head, head.layer) + table.text();
}

}  // namespace

std::string inspectedAsJson(const Inspected& found) {
    const LoadedCheckpoint& loaded = found.loaded;
    json tensors = json::array(), metadata = json::object();
    for (std::size_t i = 0; i < loaded.source->entries().size(); ++i) {
        const TensorEntry& entry = loaded.source->entries()[i];
        const TensorFate* fate = fateOf(loaded.report, i);
        tensors.push_back({{"name", asUtf8(entry.name)},
                           {"type", asUtf8(entry.typeName)},
                           {"shape", entry.shape},
                           {"count", entry.count()},
                           {"bytes", entry.bytes},
                           {"use", fate ? nameOf(fate->use) : "unexpected"},
                           {"becomes", fate ? fate->becomes : std::vector<std::string>{}}});
        if (!found.statistics.empty())
            tensors.back()["statistics"] = statisticsJson(found.statistics[i]);
    }
    for (const auto& [key, value] : loaded.source->metadata())
        metadata[asUtf8(key)] = asUtf8(value);
    json root = {{"file", asUtf8(found.file)},
                 {"container", loaded.source->format()},
                 {"metadata", std::move(metadata)},
                 {"tensors", std::move(tensors)},
                 {"report", reportJson(loaded.report)}};
    if (found.head) root["head"] = headJson(*found.head);
    return jsonText(root);
}

std::string inspectedAsText(const Inspected& found) {
    return treeText(found) + "\n" + visible(found.file) + "\n" + found.loaded.report.text() +
           (found.head ? headText(*found.head) : "");
}

}  // namespace headloom::cli
