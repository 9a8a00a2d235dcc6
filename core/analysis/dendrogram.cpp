#include "core/analysis/dendrogram.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace headloom {

namespace {

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

/// Groups that are still apart, each under the number of one of its items, and how alike they are.
class Groups {
  public:
    Groups(int count, std::vector<double> similarity)
        : count_(count), similarity_(std::move(similarity)), members_(at(count)) {
        for (int i = 0; i < count; ++i) members_[at(i)] = {i};
    }

    bool apart(int group) const { return !members_[at(group)].empty(); }
    double similarity(int a, int b) const { return similarity_[at(a) * at(count_) + at(b)]; }
    /// The group most like this one: `preferred` if no other is more alike, so that a walk from
    /// neighbour to neighbour cannot go in circles.
    int nearest(int group, int preferred) const {
        int best = preferred;
        for (int other = 0; other < count_; ++other)
            if (other != group && apart(other) &&
                (best < 0 || similarity(group, other) > similarity(group, best)))
                best = other;
        return best;
    }
    void join(int into, int from) {
        for (int other = 0; other < count_; ++other) {
            if (other == into || other == from || !apart(other)) continue;
            const double least = std::min(similarity(into, other), similarity(from, other));
            similarity_[at(into) * at(count_) + at(other)] = least;
            similarity_[at(other) * at(count_) + at(into)] = least;
        }
        auto& members = members_[at(into)];
        members.insert(members.end(), members_[at(from)].begin(), members_[at(from)].end());
        members_[at(from)].clear();
    }
    const std::vector<int>& members(int group) const { return members_[at(group)]; }

  private:
    int count_;
    std::vector<double> similarity_;
    std::vector<std::vector<int>> members_;
};

}  // namespace

// Follows nearest neighbours until two are each other's; joining those is what joining the most
// alike pair of all comes to, for a linkage that only lets groups drift apart (Murtagh 1983).
Dendrogram::Dendrogram(int count, const std::vector<double>& similarity) : count_(count) {
    if (count == 0) return;
    Groups groups(count, similarity);
    std::vector<int> chain;
    while (static_cast<int>(joins_.size()) < count - 1) {
        if (chain.empty()) {
            int first = 0;
            while (!groups.apart(first)) ++first;
            chain.push_back(first);
        }
        const int last = chain.back();
        const int before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
        const int nearest = groups.nearest(last, before);
        if (nearest != before) {
            chain.push_back(nearest);
            continue;
        }
        joins_.push_back({before, last, groups.similarity(before, last)});
        groups.join(std::min(before, last), std::max(before, last));
        chain.resize(chain.size() - 2);
    }
    for (int group = 0; group < count; ++group)
        if (groups.apart(group)) order_ = groups.members(group);
}

std::vector<int> Dendrogram::groupsAbove(double similarity) const {
    std::vector<int> parent(at(count_));
    std::iota(parent.begin(), parent.end(), 0);
    const auto rootOf = [&parent](int item) {
        while (parent[at(item)] != item) item = parent[at(item)] = parent[at(parent[at(item)])];
        return item;
    };
    for (const Join& join : joins_)
        if (join.similarity > similarity) parent[at(rootOf(join.one))] = rootOf(join.other);
    std::vector<int> numberOf(at(count_), -1), groups(at(count_));
    int next = 0;
    for (const int item : order_) {
        int& number = numberOf[at(rootOf(item))];
        if (number < 0) number = next++;
        groups[at(item)] = number;
    }
    return groups;
}

}  // namespace headloom
