#pragma once

#include "gpu/kernels/block.h"

#include <cmath>

namespace headloom::gpu {

/// weight * -log softmax(logits)[target] of one row a block into losses [R], 0 for a row that is
/// not counted, and its gradient. Shared memory: 2 * `lanes` floats.
struct CrossEntropyRow {
    const float* logits;  ///< [R, V]
    const std::int32_t* targets;
    float weight;
    double* losses;
    float* dLogits;  ///< may be null
    Index nClasses;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* scratch = reinterpret_cast<float*>(block.shared());
        const float* row = logits + block.index() * nClasses;
        const std::int32_t target = targets[block.index()];
        float largest = row[0];
        for (Index c = block.thread(); c < nClasses; c += block.threads())
            largest = Larger{}(largest, row[c]);
        largest = blockReduce(block, largest, scratch, Larger{});
        float sum = 0;
        for (Index c = block.thread(); c < nClasses; c += block.threads())
            sum += std::exp(row[c] - largest);
        sum = blockReduce(block, sum, scratch + lanes, Plus{});
        if (block.thread() == 0)
            losses[block.index()] =
                target < 0 ? 0.0 : double(weight) * double(std::log(sum) + largest - row[target]);
        if (!dLogits) return;
        float* gradient = dLogits + block.index() * nClasses;
        for (Index c = block.thread(); c < nClasses; c += block.threads())
            gradient[c] =
                target < 0
                    ? 0.f
                    : weight * (std::exp(row[c] - largest) / sum - (c == target ? 1.f : 0.f));
    }
};

struct Square {
    const float* numbers;
    HEADLOOM_DEVICE double operator()(Index i) const {
        return double(numbers[i]) * double(numbers[i]);
    }
};
struct Same {
    const double* numbers;
    HEADLOOM_DEVICE double operator()(Index i) const { return numbers[i]; }
};

/// sums[block] = the sum of value(i) over the `each` numbers of a block. Shared memory: `lanes`
/// doubles.
template <class Value>
struct SumInDouble {
    Value value;
    double* sums;
    Index count, each;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const Index begin = block.index() * each;
        const Index end = begin + each < count ? begin + each : count;
        double sum = 0;
        for (Index i = begin + block.thread(); i < end; i += block.threads()) sum += value(i);
        sum = blockReduce(block, sum, reinterpret_cast<double*>(block.shared()), Plus{});
        if (block.thread() == 0) sums[block.index()] = sum;
    }
};

}  // namespace headloom::gpu
