#include "core/session/layer_maps.h"
#include "core/session/prompt_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace headloom {

namespace {

/// What a token is to the one that asks; a token may be several of these.
enum class Role { evidence, own, previous, first, other };
constexpr std::array<const char*, 5> roleNames = {"evidence", "own-token", "previous-token",
                                                  "first-token", "other-tokens"};
using Tokens = std::vector<int>;

/// The tokens of every role, from the point of view of a row.
std::array<Tokens, roleNames.size()> rolesOf(const ChainRun& run, int row) {
    std::array<Tokens, roleNames.size()> roles;
    const auto of = [&roles](Role role) -> Tokens& { return roles[std::size_t(role)]; };
    of(Role::evidence) = run.evidence(row);
    of(Role::own) = {row};
    if (row > 0) of(Role::previous) = {row - 1};
    of(Role::first) = {0};
    for (int token = 0; token < run.rows; ++token)
        if (std::none_of(roles.begin(), roles.end() - 1, [token](const Tokens& known) {
                return std::find(known.begin(), known.end(), token) != known.end();
            }))
            of(Role::other).push_back(token);
    return roles;
}

/// Means of numbers that not everybody has.
class Means {
  public:
    explicit Means(std::size_t count) : sums_(count), counts_(count) {}
    void add(std::size_t at, double number) {
        sums_[at] += number;
        ++counts_[at];
    }
    /// NaN where nobody has the number.
    std::vector<double> means() const {
        std::vector<double> means(sums_.size(), std::numeric_limits<double>::quiet_NaN());
        for (std::size_t i = 0; i < sums_.size(); ++i)
            if (counts_[i] > 0) means[i] = sums_[i] / counts_[i];
        return means;
    }

  private:
    std::vector<double> sums_;
    std::vector<int> counts_;
};

class FlowQuestion : public PromptQuestion {
  public:
    FlowQuestion(int layers, const FlowAsked& asked) : layers_(layers), asked_(asked) {}

    std::vector<AveragedTable> tables() const override {
        AveragedTable table{
            "flow", {{"rollout", "share of the attention rollout, of a group its sum"}}, {}, {}};
        if (!asked_.rolloutAlone)
            table.columns.push_back(
                {"flow", "most that can flow through the attention, of a group to all of it"});
        for (int layer = 0; layer < layers_; ++layer)
            for (const char* role : roleNames)
                table.lines.push_back({fmt::format("L{}.{}", layer, role), layer});
        for (int token = 0; token < asked_.tokens.value_or(0); ++token)
            table.lines.push_back({fmt::format("token[{}]", token), layers_ - 1});
        return {std::move(table)};
    }

    void prepare(ChainRequest& request) const override { askForMaps(request); }

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        const std::vector<int> rows = rowsAsked(*run);
        Means means(columns() * (static_cast<std::size_t>(layers_) * roleNames.size() +
                                 static_cast<std::size_t>(asked_.tokens.value_or(0))));
        LayeredAttention attention;
        for (int layer = 0; layer < layers_ && !rows.empty(); ++layer) {
            const auto maps = layerMaps(*run, layer, backend, cancelled);
            if (!maps) return tl::unexpected(maps.error());
            attention.add(*maps);
            for (const int row : rows)
                if (auto added = add(*run, attention, row, means, cancelled); !added)
                    return tl::unexpected(added.error());
        }
        return means.means();
    }

  private:
    std::size_t columns() const { return asked_.rolloutAlone ? 1 : 2; }

    /// Rows of the answers, each once, or the one that was named.
    std::vector<int> rowsAsked(const ChainRun& run) const {
        if (asked_.row)
            return *asked_.row < run.rows ? std::vector{*asked_.row} : std::vector<int>();
        std::vector<int> rows;
        for (const AnswerAt& at : answersAsked(run, asked_.answer))
            if (rows.empty() || rows.back() != at.row) rows.push_back(at.row);
        return rows;
    }

    /// What a row takes through the layers so far, and through all of them from every token.
    Result<void> add(const ChainRun& run, const LayeredAttention& attention, int row, Means& means,
                     const std::function<bool()>& cancelled) const {
        const std::size_t layer = attention.layers.size() - 1;
        std::vector<Tokens> groups;
        std::vector<std::size_t> lines;
        const auto roles = rolesOf(run, row);
        for (std::size_t role = 0; role < roles.size(); ++role)
            if (!roles[role].empty()) {
                groups.push_back(roles[role]);
                lines.push_back(layer * roles.size() + role);
            }
        if (static_cast<int>(layer) == layers_ - 1)
            for (int token = 0; token < std::min(asked_.tokens.value_or(0), run.rows); ++token) {
                groups.push_back({token});
                lines.push_back((layer + 1) * roles.size() + static_cast<std::size_t>(token));
            }
        const std::vector<double> shares = rollout(attention, row);
        for (std::size_t i = 0; i < groups.size(); ++i)
            means.add(columns() * lines[i],
                      std::accumulate(groups[i].begin(), groups[i].end(), 0.0,
                                      [&shares](double sum, int token) {
                                          return sum + shares[static_cast<std::size_t>(token)];
                                      }));
        if (asked_.rolloutAlone) return {};
        const auto flows = attentionFlowTo(attention, row, groups, cancelled);
        if (!flows) return tl::unexpected(flows.error());
        for (std::size_t i = 0; i < groups.size(); ++i)
            means.add(columns() * lines[i] + 1, (*flows)[i]);
        return {};
    }

    int layers_;
    FlowAsked asked_;
};

}  // namespace

Result<Question> askFlow(const Model& model, const FlowAsked& asked) {
    if (model.filter)
        return fail(Error::Kind::unsupported, "model", "a filter has no token that answers",
                    "choose a model that reads tokens");
    if (asked.row && *asked.row < 0)
        return fail(Error::Kind::badInput, "row", fmt::format("there is no row {}", *asked.row),
                    "count from 0");
    return std::make_shared<FlowQuestion>(model.config.nLayers(), asked);
}

}  // namespace headloom
