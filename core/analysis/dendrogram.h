#pragma once

#include <vector>

namespace headloom {

/// Items joined step by step, the most alike first, by complete linkage: two groups are as alike as
/// their least alike pair. Cut at any likeness it gives groups within which every pair is at least
/// that alike, so a threshold can be moved without starting again.
class Dendrogram {
  public:
    Dendrogram() = default;
    /// `similarity` [count, count], symmetric, finite. Quadratic in time and memory.
    Dendrogram(int count, const std::vector<double>& similarity);

    /// A group's number for each item, groups numbered as they come in `order`. All pairs of a
    /// group are more alike than `similarity`.
    std::vector<int> groupsAbove(double similarity) const;
    /// Items so that those of a group stand together, whatever the threshold.
    const std::vector<int>& order() const { return order_; }

  private:
    struct Join {
        int one = 0, other = 0;  ///< an item of each of the two groups
        double similarity = 0;
    };
    int count_ = 0;
    std::vector<Join> joins_;
    std::vector<int> order_;
};

}  // namespace headloom
