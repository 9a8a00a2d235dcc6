#include "core/theory/edge_list.h"

#include "core/base/counted.h"
#include "core/models/graph.h"
#include "core/theory/bank_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace headloom {

namespace {

constexpr std::size_t longestFile = std::size_t{1} << 20;

using Edges = std::map<std::pair<int, int>, double>;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\"");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

std::vector<std::string_view> cellsOf(std::string_view line) {
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t comma = line.find_first_of(",;\t");
        cells.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

template <class Number>
std::optional<Number> numberOf(std::string_view text) {
    Number value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

tl::unexpected<Error> badLine(const std::string& where, int line, std::string what,
                              std::string remedy) {
    return fail(Error::Kind::badFile, fmt::format("{}, line {}", where, line), std::move(what),
                std::move(remedy));
}

Result<void> addEdge(const std::vector<std::string_view>& cells, const std::string& where, int line,
                     Edges& edges) {
    const char* const form =
        "write two node numbers, and a weight if edges have one: 0,1 or "
        "0,1,0.5";
    if (cells.size() < 2 || cells.size() > 3)
        return badLine(
            where, line,
            counted(cells.size(), "column") + (cells.size() == 1 ? " is" : " are") + " no edge",
            form);
    int ends[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto node = numberOf<int>(cells[i]);
        if (!node)
            return badLine(where, line,
                           fmt::format("\"{}\" is no node number", cells[i].substr(0, 40)), form);
        if (*node < 0 || *node >= BankSize::mostNodes)
            return badLine(where, line, fmt::format("node {} cannot be had", *node),
                           fmt::format("number nodes from 0 to {}", BankSize::mostNodes - 1));
        ends[i] = *node;
    }
    double weight = 1;
    if (cells.size() == 3) {
        const auto given = numberOf<double>(cells[2]);
        if (!given || !std::isfinite(*given) || *given == 0)
            return badLine(where, line, fmt::format("\"{}\" is no weight", cells[2].substr(0, 40)),
                           "use a finite number other than 0");
        weight = *given;
    }
    const auto [known, added] = edges.emplace(std::minmax(ends[0], ends[1]), weight);
    if (!added && known->second != weight)
        return badLine(
            where, line,
            fmt::format("the edge {}-{} has another weight than before", ends[0], ends[1]),
            "keep one of the two: edges have no direction");
    return {};
}

Result<Edges> readEdges(std::string_view list, const std::string& where) {
    Edges edges;
    bool first = true;
    for (int line = 1; !list.empty(); ++line) {
        const std::size_t end = list.find('\n');
        const std::string_view text = trimmed(list.substr(0, end));
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        if (text.empty() || text.front() == '#') continue;
        const auto cells = cellsOf(text);
        const bool heading = std::exchange(first, false) && !numberOf<double>(cells.front());
        if (heading && cells.size() >= 2 && !numberOf<double>(cells[1])) continue;
        if (auto added = addEdge(cells, where, line, edges); !added)
            return tl::unexpected(added.error());
    }
    if (edges.empty())
        return fail(Error::Kind::badFile, where, "holds no edge",
                    "write one edge a line: two node numbers with a comma between");
    return edges;
}

}  // namespace

Result<Tensor> graphFromEdges(std::string_view list, const std::string& where, int nNodes) {
    const auto edges = readEdges(list, where);
    if (!edges) return tl::unexpected(edges.error());
    int named = 2;
    for (const auto& [ends, weight] : *edges) named = std::max(named, ends.second + 1);
    if (nNodes > 0 && nNodes < named)
        return fail(Error::Kind::badInput, "nodes N",
                    fmt::format("{} are too few: {} names node {}", nNodes, where, named - 1),
                    fmt::format("use at least {}", named));
    const std::int64_t nodes = std::max(nNodes, named);
    const Tensor matrix = Tensor::host({nodes, nodes}, DType::f64);
    for (const auto& [ends, weight] : *edges)
        matrix.data<double>()[ends.first * nodes + ends.second] =
            matrix.data<double>()[ends.second * nodes + ends.first] = weight;
    boundSpectralRadius(matrix);
    return matrix;
}

Result<std::string> readEdgeList(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code problem;
    if (!file || std::filesystem::is_directory(path, problem))
        return fail(Error::Kind::notFound, path.string(), "cannot be read as a list of edges",
                    "check the name");
    std::string text(longestFile + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > longestFile)
        return fail(Error::Kind::badFile, path.string(), "is longer than 1 MiB",
                    fmt::format("graphs have at most {} nodes here", BankSize::mostNodes));
    return text;
}

Result<Tensor> graphFromFile(const std::filesystem::path& path, int nNodes) {
    const auto text = readEdgeList(path);
    if (!text) return tl::unexpected(text.error());
    return graphFromEdges(*text, path.string(), nNodes);
}

}  // namespace headloom
