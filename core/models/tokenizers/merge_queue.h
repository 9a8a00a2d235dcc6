#pragma once

#include <queue>

#include <cstdint>
#include <optional>
#include <vector>

namespace headloom {

/// A token in the making: bytes [begin, end) of the text.
struct Symbol {
    int id = -1;  ///< -1: no token of the vocabulary (yet)
    std::uint32_t begin = 0, end = 0;
    int previous = -1, next = -1;

    bool isMerged() const { return begin == end; }  ///< swallowed by the one before it
};

/// What two neighbours become, and how soon: the lowest rank goes first, the leftmost among equals.
struct Merge {
    double rank = 0;
    int id = -1;
};

/// Joins neighbouring symbols until no pair can be joined, the lowest rank first. `mergeOf(left,
/// right)` gives an optional<Merge>. Takes n log n steps for n symbols. Symbols that were swallowed
/// stay in the list, empty.
template <class MergeOf>
void mergeAll(std::vector<Symbol>& symbols, const MergeOf& mergeOf) {
    struct Candidate {
        double rank;
        int left, id;
        std::uint32_t middle, end;  ///< of the pair as it was; it may have changed since
    };
    const auto later = [](const Candidate& a, const Candidate& b) {
        return a.rank > b.rank || (a.rank == b.rank && a.left > b.left);
    };
    std::priority_queue<Candidate, std::vector<Candidate>, decltype(later)> queue(later);
    const auto consider = [&](int left) {
        if (left < 0 || symbols[std::size_t(left)].next < 0) return;
        const Symbol& a = symbols[std::size_t(left)];
        const Symbol& b = symbols[std::size_t(a.next)];
        if (const std::optional<Merge> merge = mergeOf(a, b))
            queue.push({merge->rank, left, merge->id, a.end, b.end});
    };

    for (std::size_t i = 0; i < symbols.size(); ++i) {
        symbols[i].previous = static_cast<int>(i) - 1;
        symbols[i].next = i + 1 < symbols.size() ? static_cast<int>(i) + 1 : -1;
    }
    for (std::size_t i = 0; i < symbols.size(); ++i) consider(static_cast<int>(i));
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[std::size_t(best.left)];
        if (left.isMerged() || left.end != best.middle || left.next < 0) continue;
        Symbol& right = symbols[std::size_t(left.next)];
        if (right.end != best.end) continue;
        left.id = best.id;
        left.end = right.end;
        left.next = right.next;
        right.begin = right.end;
        if (left.next >= 0) symbols[std::size_t(left.next)].previous = best.left;
        consider(left.previous);
        consider(best.left);
    }
}

}  // namespace headloom
