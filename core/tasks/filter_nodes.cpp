#include "core/tasks/filter_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

/// Nodes that the first `order` powers of A reach from each node, itself first.
std::vector<std::vector<int>> reached(const Tensor& matrix, int order) {
    const auto nodes = static_cast<int>(matrix.size(0));
    const double* a = matrix.data<double>();
    std::vector<std::vector<int>> all;
    for (int node = 0; node < nodes; ++node) {
        std::vector<bool> seen(static_cast<std::size_t>(nodes));
        std::vector<int> found, front = {node};
        for (int power = 0; power < order; ++power) {
            std::vector<int> next;
            for (const int at : front) {
                if (seen[static_cast<std::size_t>(at)]) continue;
                seen[static_cast<std::size_t>(at)] = true;
                found.push_back(at);
                for (int from = 0; from < nodes; ++from)
                    if (a[at * nodes + from] != 0) next.push_back(from);
            }
            front = std::move(next);
        }
        std::sort(found.begin(), found.end());
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace

TaskChoices graphFilterChoices() {
    using Kind = TaskSetting::Kind;
    TaskChoices choices;
    choices.settings = {
        {"graph", "Graph",
         fmt::format("What the nodes are joined to: {}.", fmt::join(filterGraphNames(), ", ")),
         Kind::words, "shift", 0, 0},
        {"k", "Filters k", "How many powers of the graph are asked for: X, A X, up to A^(k-1) X.",
         Kind::wholeNumber, "4", 1, 32},
        {"nodes", "Nodes N", "How many nodes the graph has.", Kind::wholeNumber, "8", 2, 64},
        {"dim", "Numbers a node", "How many numbers each node holds.", Kind::wholeNumber, "2", 1,
         16},
        {"restarts", "Restarts",
         "How often a run that is stuck (error above 0.1 after three fifths of its steps) may "
         "start again; every arm alike, and its seconds count.",
         Kind::wholeNumber, "0", 0, 10}};
    choices.presets = {{"k9", "k = 9, N = 12", {{"k", "9"}, {"nodes", "12"}, {"dim", "1"}}},
                       {"k16", "k = 16, N = 16", {{"k", "16"}, {"nodes", "16"}, {"dim", "1"}}}};
    return choices;
}

Vocabulary nodeNames(int nNodes) {
    std::vector<std::string> names;
    for (int node = 0; node < nNodes; ++node) names.push_back(std::to_string(node));
    return Vocabulary(std::move(names));
}

Result<std::unique_ptr<FilterNodes>> makeFilterNodes(const TaskSettings& settings) {
    const auto values = SettingValues::read(graphFilterChoices(), settings);
    if (!values) return tl::unexpected(values.error());
    const std::vector<std::string> graph = values->words("graph");
    if (graph.size() != 1) return badSetting("graph", "it is not one word", "name one graph");
    if (const auto known = filterGraphFrom(graph.front()); !known)
        return badSetting("graph", known.error().what, known.error().remedy);
    return std::make_unique<FilterNodes>(*values);
}

FilterNodes::FilterNodes(const SettingValues& values) {
    const int nodes = values.whole("nodes"), order = values.whole("k");
    const auto graph = filterGraphFrom(values.words("graph").front());
    sources_ = reached(graphMatrix(graph ? *graph : FilterGraph::shift, nodes), order);
    info_.id = graphFilterId;
    info_.title = "Rank floor: a bank of graph filters";
    info_.explanation = fmt::format(
        "Each of {0} nodes holds numbers X, and one layer of linear attention is to answer with "
        "{1} "
        "filtered copies of them: X, A X, up to A^{2} X, where A says which nodes are joined. A "
        "head "
        "has one map, so MHA with H heads has rank H and cannot come below a floor, however long "
        "it "
        "learns; H heads of IHA make up to H^2 maps, and the error goes on falling. A run may be "
        "stuck for a while on the way: seeds differ.",
        nodes, order, order - 1);
    info_.vocabulary = nodeNames(nodes);
    info_.nSlots = 0;
    info_.inputLength = nodes;
    info_.generated = false;
    info_.settings = values.all();
}

Example FilterNodes::example(Split, std::uint64_t, std::uint64_t) const {
    Example example;
    example.tokens.resize(sources_.size());
    std::iota(example.tokens.begin(), example.tokens.end(), 0);
    example.promptLength = example.inputLength = static_cast<int>(sources_.size());
    example.evidence = sources_;
    for (const std::vector<int>& from : sources_)
        example.steps.push_back(fmt::format("takes from {}", fmt::join(from, ", ")));
    return example;
}

Result<Example> FilterNodes::fromPrompt(const std::vector<int>& prompt) const {
    Example all = example(Split::heldOut, heldOutSeed, 0);
    if (prompt == all.tokens) return all;
    return fail(Error::Kind::badInput, "prompt", "a filter has its nodes and no other prompt",
                fmt::format("use 0 to {} in this order", sources_.size() - 1));
}

}  // namespace headloom
