#include "core/models/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headloom {

namespace {

constexpr double lowest = -1e300;

double finiteOr(double value) {
    return std::isfinite(value) ? value : lowest;
}

std::vector<int> byLogit(std::span<const float> logits) {
    std::vector<int> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return finiteOr(logits[static_cast<std::size_t>(a)]) >
               finiteOr(logits[static_cast<std::size_t>(b)]);
    });
    return order;
}

}  // namespace

std::vector<double> probabilities(std::span<const float> logits, double temperature) {
    const double scale = temperature > 0 ? 1.0 / temperature : 1.0;
    double largest = lowest;
    for (const float logit : logits) largest = std::max(largest, finiteOr(logit));
    std::vector<double> share(logits.size());
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        share[i] = std::isfinite(logits[i]) ? std::exp((logits[i] - largest) * scale) : 0.0;
        sum += share[i];
    }
    if (sum > 0)
        for (double& value : share) value /= sum;
    return share;
}

std::vector<Candidate> topCandidates(std::span<const float> logits, double temperature, int count) {
    const std::vector<double> share = probabilities(logits, temperature);
    std::vector<Candidate> top;
    for (const int id : byLogit(logits)) {
        if (static_cast<int>(top.size()) >= count) break;
        const auto at = static_cast<std::size_t>(id);
        top.push_back({id, logits[at], share[at]});
    }
    return top;
}

int chooseToken(std::span<const float> logits, const SamplingParams& params, Rng& rng) {
    const std::vector<int> order = byLogit(logits);
    if (order.empty()) return 0;
    if (params.temperature <= 0) return order.front();
    const std::size_t among =
        params.topK > 0 ? std::min<std::size_t>(static_cast<std::size_t>(params.topK), order.size())
                        : order.size();
    const std::vector<double> share = probabilities(logits, params.temperature);
    double total = 0;
    for (std::size_t i = 0; i < among; ++i) total += share[static_cast<std::size_t>(order[i])];
    double left = rng.uniform() * total;
    for (std::size_t i = 0; i < among; ++i) {
        left -= share[static_cast<std::size_t>(order[i])];
        if (left < 0) return order[i];
    }
    return order.front();
}

}  // namespace headloom
