#pragma once

#include "core/tensor/tensor.h"

#include <string>
#include <vector>

namespace headloom {

/// Above this cosine maps are copies of one another: P pseudo-heads then do the work of one at P^2
/// times its cost (tasks.md 6: near copies lie at .92, copies above .99).
constexpr double copiesAbove = 0.98;

/// How alike the pseudo-heads of one head are. A pseudo-query's map is the sum of its tiles over
/// the key families r, [query, key]: what it makes of the tokens. Two maps are compared as vectors
/// of all their cells over all examples.
struct PseudoCopies {
    int head = 0;
    double smallest = 1, mean = 1;  ///< cosine over the pairs of the P pseudo-query maps
    /// Over the pairs of the P * P tiles. Under the flat mask even exact copies stay below 1 here:
    /// their tiles see the own token differently.
    double tilesSmallest = 1, tilesMean = 1;

    bool copies() const { return smallest > copiesAbove; }
};

/// One entry a head; none where P = 1. maps [B, H, P, P, N, Nk], host, float32. A map that is all
/// zero has cosine 0 with any other.
std::vector<PseudoCopies> pseudoCopies(const Tensor& maps);

/// What to say of a layer: "pseudo-heads differ: map cosine 0.41 to 0.87 (smallest of a head)" or
/// "pseudo-heads are copies in heads 0, 1 of 4 (map cosine above 0.98); ...". Empty for no entries.
std::string copiesSentence(const std::vector<PseudoCopies>& heads);

}  // namespace headloom
