#include "core/analysis/token_flow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace headloom {

namespace {

constexpr double mostEdges = 2e6;  // half a GB of graph
/// Capacities are counted in whole parts of 1, so that no rounding keeps a flow from ending.
constexpr double partsOfOne = double(std::int64_t{1} << 40);

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
struct Node {
    Traits::edge_descriptor predecessor;
    boost::default_color_type colour = boost::white_color;
    std::int64_t distance = 0;
};
struct Edge {
    std::int64_t capacity = 0, residual = 0;
    Traits::edge_descriptor reverse;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Node, Edge>;

/// Nodes are tokens at the foot of each layer, and at the top; node(0, j) is token j at the bottom.
class Network {
  public:
    Network(const LayeredAttention& attention, int row)
        : tokens_(static_cast<std::size_t>(attention.tokens)),
          graph_(tokens_ * (attention.layers.size() + 1)) {
        // what the token at the top cannot reach is left out
        std::vector<bool> reached(tokens_);
        reached[static_cast<std::size_t>(row)] = true;
        for (std::size_t layer = attention.layers.size(); layer-- > 0;) {
            std::vector<bool> below(tokens_);
            for (std::size_t i = 0; i < tokens_; ++i)
                if (reached[i]) addRow(attention.layers[layer], layer, i, below);
            reached = std::move(below);
        }
        source_ = node(attention.layers.size(), static_cast<std::size_t>(row));
    }

    double flowTo(std::size_t token) { return flowInto(node(0, token)); }

    /// To all of them at once: their edges to a node of its own hold whatever comes.
    double flowTo(const std::vector<int>& tokens) {
        if (tokens.size() == 1) return flowTo(static_cast<std::size_t>(tokens.front()));
        const std::size_t sink = boost::add_vertex(graph_);
        for (const int token : tokens)
            addEdge(node(0, static_cast<std::size_t>(token)), sink,
                    static_cast<std::int64_t>(partsOfOne));
        return flowInto(sink);
    }

  private:
    std::size_t node(std::size_t level, std::size_t token) const { return level * tokens_ + token; }

    double flowInto(std::size_t sink) {
        if (sink == source_) return 1;  // no layer lies between
        const auto flow = boost::boykov_kolmogorov_max_flow(
            graph_, boost::get(&Edge::capacity, graph_), boost::get(&Edge::residual, graph_),
            boost::get(&Edge::reverse, graph_), boost::get(&Node::predecessor, graph_),
            boost::get(&Node::colour, graph_), boost::get(&Node::distance, graph_),
            boost::get(boost::vertex_index, graph_), source_, sink);
        return static_cast<double>(flow) / partsOfOne;
    }

    void addEdge(std::size_t from, std::size_t to, std::int64_t capacity) {
        const auto there = boost::add_edge(from, to, graph_).first;
        const auto back = boost::add_edge(to, from, graph_).first;
        graph_[there].capacity = capacity;
        graph_[there].reverse = back;
        graph_[back].reverse = there;
    }

    void addRow(const std::vector<double>& cells, std::size_t layer, std::size_t from,
                std::vector<bool>& below) {
        for (std::size_t to = 0; to < tokens_; ++to) {
            const auto capacity =
                static_cast<std::int64_t>(std::llround(cells[from * tokens_ + to] * partsOfOne));
            if (capacity == 0) continue;
            below[to] = true;
            addEdge(node(layer + 1, from), node(layer, to), capacity);
        }
    }

    std::size_t tokens_;
    Graph graph_;
    std::size_t source_ = 0;
};

Result<void> checkEdges(const LayeredAttention& attention) {
    const double edges =
        double(attention.layers.size()) * double(attention.tokens) * attention.tokens;
    if (edges <= mostEdges) return {};
    return fail(
        Error::Kind::badInput, "flow",
        fmt::format("{} tokens in {} layers are {:.1f} million edges, and {:.0f} "
                    "million are followed at most",
                    attention.tokens, attention.layers.size(), edges / 1e6, mostEdges / 1e6),
        "use a shorter prompt, or the rollout alone");
}

}  // namespace

const char* layerFormula() {
    return "layer B = (A + I) / 2, A the mean over heads of their maps (mean over p of the sum "
           "over "
           "r)";
}

const char* rolloutFormula() {
    return "rollout: row of B_last ... B_1 B_0";
}

const char* flowFormula() {
    return "flow: most that can flow from the token at the top to each at the bottom, edges of "
           "capacity B";
}

void LayeredAttention::add(const Tensor& maps) {
    tokens = static_cast<int>(maps.size(4));
    const auto count = static_cast<std::size_t>(tokens), cells = count * count;
    std::vector<double> layer(cells);
    const auto all = maps.values<float>();
    for (std::size_t at = 0; at < all.size(); ++at)
        if (std::isfinite(all[at])) layer[at % cells] += double{all[at]};
    for (std::size_t i = 0; i < count; ++i) {
        double* row = layer.data() + i * count;
        double sum = 0;
        for (std::size_t j = 0; j < count; ++j) sum += row[j] = std::abs(row[j]);
        for (std::size_t j = 0; j < count; ++j) row[j] = sum > 0 ? row[j] / sum / 2 : 0;
        row[i] += sum > 0 ? 0.5 : 1;
    }
    layers.push_back(std::move(layer));
}

std::vector<double> rollout(const LayeredAttention& attention, int row) {
    const auto count = static_cast<std::size_t>(attention.tokens);
    std::vector<double> shares(count);
    shares[static_cast<std::size_t>(row)] = 1;
    for (auto layer = attention.layers.rbegin(); layer != attention.layers.rend(); ++layer) {
        std::vector<double> below(count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; shares[i] != 0 && j < count; ++j)
                below[j] += shares[i] * (*layer)[i * count + j];
        shares = std::move(below);
    }
    return shares;
}

Result<std::vector<double>> attentionFlow(const LayeredAttention& attention, int row,
                                          const std::function<bool()>& cancelled,
                                          const std::function<void(double)>& progress) {
    if (auto fine = checkEdges(attention); !fine) return tl::unexpected(fine.error());
    Network network(attention, row);
    std::vector<double> flows;
    for (int token = 0; token < attention.tokens; ++token) {
        if (cancelled && cancelled()) return fail(Error::Kind::interrupted, {}, "stopped");
        flows.push_back(network.flowTo(static_cast<std::size_t>(token)));
        if (progress) progress(double(token + 1) / attention.tokens);
    }
    return flows;
}

Result<std::vector<double>> attentionFlowTo(const LayeredAttention& attention, int row,
                                            const std::vector<std::vector<int>>& groups,
                                            const std::function<bool()>& cancelled) {
    if (auto fine = checkEdges(attention); !fine) return tl::unexpected(fine.error());
    Network network(attention, row);
    std::vector<double> flows;
    for (const std::vector<int>& tokens : groups) {
        if (cancelled && cancelled()) return fail(Error::Kind::interrupted, {}, "stopped");
        flows.push_back(network.flowTo(tokens));
    }
    return flows;
}

}  // namespace headloom
