#include "core/theory/bank_construction.h"

#include <algorithm>
#include <cassert>

namespace headloom {

namespace {

/// Rows of [input, head width] that read the positions, after the d of the signal.
template <class Number>
void setPositionRows(const Tensor& head, int dNode, const Tensor& matrix, bool transposed) {
    const std::int64_t n = matrix.size(0), width = head.size(1);
    const double* from = matrix.data<double>();
    for (std::int64_t i = 0; i < n; ++i) {
        Number* to = head.data<Number>() + (dNode + i) * width;
        for (std::int64_t j = 0; j < n; ++j)
            to[j] = static_cast<Number>(transposed ? from[j * n + i] : from[i * n + j]);
    }
}

template <class Number>
void setSignalRows(const Tensor& head, int dNode, std::int64_t firstColumn) {
    for (std::int64_t c = 0; c < dNode; ++c)
        head.data<Number>()[c * head.size(1) + firstColumn + c] = 1;
}

template <class Number>
AttentionWeights mhaWeights(const GraphPowers& powers, const BankSize& size) {
    constexpr DType type = dtypeOf<Number>();
    const std::int64_t k = size.nFilters, n = size.nNodes, d = size.dNode;
    AttentionWeights weights;
    weights.wQ = Tensor::host({k, d + n, n}, type);
    weights.wK = Tensor::host({k, d + n, n}, type);
    weights.wV = Tensor::host({k, d + n, d}, type);
    for (int i = 0; i < size.nFilters; ++i) {
        setPositionRows<Number>(weights.wQ.at(i), size.dNode, powers.power(i), false);
        setPositionRows<Number>(weights.wK.at(i), size.dNode, powers.power(0), false);
        setSignalRows<Number>(weights.wV.at(i), size.dNode, 0);
    }
    return weights;
}

template <class Number>
AttentionWeights ihaWeights(const GraphPowers& powers, const BankSize& size) {
    constexpr DType type = dtypeOf<Number>();
    const int heads = interleavedHeads(size.nFilters);
    const std::int64_t n = size.nNodes, d = size.dNode;
    assert(powers.count() > heads * (heads - 1));
    AttentionWeights weights;
    weights.wQ = Tensor::host({heads, d + n, n}, type);
    weights.wK = Tensor::host({heads, d + n, n}, type);
    weights.wV = Tensor::host({heads, d + n, d * heads}, type);
    for (int m = 0; m < heads; ++m) {
        setPositionRows<Number>(weights.wQ.at(m), size.dNode, powers.power(m * heads), false);
        setPositionRows<Number>(weights.wK.at(m), size.dNode, powers.power(m), true);
        setSignalRows<Number>(weights.wV.at(m), size.dNode, m * d);
    }
    addRouterMixing(heads, weights);
    return weights;
}

}  // namespace

GraphPowers::GraphPowers(const Tensor& matrix, int nPowers)
    : matrix_(matrix),
      powers_(Tensor::host({nPowers, matrix.size(0), matrix.size(0)}, DType::f64)) {
    const std::int64_t n = nNodes();
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (const double value = matrix.data<double>()[i * n + j]; value != 0)
                entries_.push_back({i, j, value});
    for (std::int64_t i = 0; i < n; ++i) powers_.data<double>()[i * n + i] = 1;
    for (int i = 1; i < nPowers; ++i) {
        const Tensor next = times(power(i - 1));
        std::copy_n(next.data<double>(), next.count(), power(i).data<double>());
    }
}

Tensor GraphPowers::times(const Tensor& x) const {
    const std::int64_t width = x.size(1);
    const Tensor out = Tensor::host(x.shape(), DType::f64);
    for (const Entry& entry : entries_) {
        const double* from = x.data<double>() + entry.column * width;
        double* to = out.data<double>() + entry.row * width;
        for (std::int64_t c = 0; c < width; ++c) to[c] += entry.value * from[c];
    }
    return out;
}

Tensor GraphPowers::transposedTimes(const Tensor& x) const {
    const std::int64_t width = x.size(1);
    const Tensor out = Tensor::host(x.shape(), DType::f64);
    for (const Entry& entry : entries_) {
        const double* from = x.data<double>() + entry.row * width;
        double* to = out.data<double>() + entry.column * width;
        for (std::int64_t c = 0; c < width; ++c) to[c] += entry.value * from[c];
    }
    return out;
}

AttentionWeights mhaBank(const GraphPowers& powers, const BankSize& size, DType type) {
    return type == DType::f32 ? mhaWeights<float>(powers, size) : mhaWeights<double>(powers, size);
}

AttentionWeights ihaBank(const GraphPowers& powers, const BankSize& size, DType type) {
    return type == DType::f32 ? ihaWeights<float>(powers, size) : ihaWeights<double>(powers, size);
}

void addRouterMixing(int nHeads, AttentionWeights& weights) {
    const std::int64_t heads = nHeads;
    weights.alphaQ = Tensor::host({heads, heads, heads}, DType::f64);
    weights.alphaK = Tensor::host({heads, heads, heads}, DType::f64);
    weights.r = Tensor::host({heads, heads * heads}, DType::f64);
    for (std::int64_t m = 0; m < heads; ++m) {
        weights.alphaQ.data<double>()[(m * heads + m) * heads] = 1;
        for (std::int64_t h = 0; h < heads; ++h)
            weights.alphaK.data<double>()[(m * heads + h) * heads + m] = 1;
        weights.r.data<double>()[m * heads * heads + m * heads] = 1;
    }
    weights.alphaV = weights.alphaK.copy();
}

}  // namespace headloom
