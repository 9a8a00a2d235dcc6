#pragma once

#include "core/backend/params.h"
#include "gpu/kernels/block.h"

#include <cmath>

// Norms and sums over rows: a block a row, or columns of partial sums.

namespace headloom::gpu {

/// RMSNorm or LayerNorm of one row a block; `statistics` [R, 2]. Shared memory: 2 * `lanes` floats.
struct NormRow {
    NormKind kind;
    float epsilon;
    const float *x, *weight, *bias;  ///< bias may be null
    float *out, *statistics;
    Index width;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* scratch = reinterpret_cast<float*>(block.shared());
        const float* row = x + block.index() * width;
        const float share = 1.f / float(width);
        float mean = 0;
        if (kind == NormKind::layer) {
            for (Index c = block.thread(); c < width; c += block.threads()) mean += row[c];
            mean = blockReduce(block, mean, scratch, Plus{}) * share;
        }
        // The deviations once more from the mean: the difference of two large sums would cancel.
        float squares = 0;
        for (Index c = block.thread(); c < width; c += block.threads())
            squares += (row[c] - mean) * (row[c] - mean);
        squares = blockReduce(block, squares, scratch + lanes, Plus{});
        const float reciprocal = 1.f / std::sqrt(squares * share + epsilon);
        for (Index c = block.thread(); c < width; c += block.threads()) {
            const float value = (row[c] - mean) * reciprocal * weight[c];
            out[block.index() * width + c] = bias ? value + bias[c] : value;
        }
        if (block.thread() == 0) {
            statistics[2 * block.index()] = mean;
            statistics[2 * block.index() + 1] = reciprocal;
        }
    }
};

/// dX of a norm, one row a block (formula: reference/norms.cpp). Shared memory: 2 * `lanes`
/// floats.
struct NormRowBackward {
    NormKind kind;
    const float *x, *weight, *statistics, *dOut;
    float* dX;
    Index width;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* scratch = reinterpret_cast<float*>(block.shared());
        const Index at = block.index() * width;
        const float mean = statistics[2 * block.index()];
        const float reciprocal = statistics[2 * block.index() + 1];
        const auto normed = [&](Index c) { return (x[at + c] - mean) * reciprocal; };
        float sumG = 0, sumGN = 0;
        for (Index c = block.thread(); c < width; c += block.threads()) {
            const float g = dOut[at + c] * weight[c];
            sumG += g;
            sumGN += g * normed(c);
        }
        sumG = kind == NormKind::layer ? blockReduce(block, sumG, scratch, Plus{}) : 0.f;
        sumGN = blockReduce(block, sumGN, scratch + lanes, Plus{});
        const float meanG = sumG / float(width), meanGN = sumGN / float(width);
        for (Index c = block.thread(); c < width; c += block.threads())
            dX[at + c] += reciprocal * (dOut[at + c] * weight[c] - meanG - normed(c) * meanGN);
    }
};

/// What ColumnSums sums: the number itself.
struct Itself {
    const float* numbers;
    HEADLOOM_DEVICE float operator()(Index, Index at) const { return numbers[at]; }
};
/// dOut times the normed input: the gradient of a norm's weight.
struct TimesNormed {
    const float *dOut, *x, *statistics;
    HEADLOOM_DEVICE float operator()(Index row, Index at) const {
        return dOut[at] * (x[at] - statistics[2 * row]) * statistics[2 * row + 1];
    }
};

/// Sums of columns over rows [R, width], in two launches: first every block sums `rowsEach` rows of
/// `lanes` columns into partial [chunks, width], then one row is what there is and `add`s to
/// `sums`. Blocks: chunks * divideUp(width, lanes). Shared memory: one float a thread.
template <class Value>
struct ColumnSums {
    Value value;
    float* sums;  ///< [chunks, width]
    Index nRows, width, rowsEach;
    bool add;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* part = reinterpret_cast<float*>(block.shared());
        const Index tiles = divideUp(width, lanes);
        const Index chunk = block.index() / tiles;
        const Index c = block.index() % tiles * lanes + block.thread() % lanes;
        const int warp = block.thread() / lanes, warps = block.threads() / lanes;
        const Index begin = chunk * rowsEach;
        const Index end = begin + rowsEach < nRows ? begin + rowsEach : nRows;
        float sum = 0;
        if (c < width)
            for (Index row = begin + warp; row < end; row += warps)
                sum += value(row, row * width + c);
        part[block.thread()] = sum;
        block.sync();
        if (warp != 0 || c >= width) return;
        for (int other = 1; other < warps; ++other) sum += part[other * lanes + block.thread()];
        float& to = sums[chunk * width + c];
        to = add ? to + sum : sum;
    }
};

}  // namespace headloom::gpu
