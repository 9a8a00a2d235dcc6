// Linear layers and the projections into heads.
#include "core/backend/cpu/cpu_backend.h"

#include <cassert>

namespace headloom::cpu {

void CpuBackend::multiply(const Product& product) {
    const double cost = costOf(product.m, product.n, product.k);
    const auto part = [&](std::int64_t m0, std::int64_t m1, std::int64_t n0, std::int64_t n1) {
        Product one = product;
        one.m = m1 - m0;
        one.n = n1 - n0;
        one.a += m0 * product.aRow;
        one.b += n0;
        one.c += m0 * product.cRow + n0;
        if (one.bias) one.bias += n0;
        kernels_.multiply(one);
    };
    const double perRow = cost / static_cast<double>(std::max<std::int64_t>(product.m, 1));
    const double perColumn = cost / static_cast<double>(std::max<std::int64_t>(product.n, 1));
    if (product.m >= 8 * kernels_.tileRows * workers_.size())
        workers_.ranges(
            product.m, 4 * kernels_.tileRows, perRow,
            [&](std::int64_t begin, std::int64_t end, int) { part(begin, end, 0, product.n); });
    else
        workers_.ranges(
            product.n, kernels_.panelWidth, perColumn,
            [&](std::int64_t begin, std::int64_t end, int) { part(0, product.m, begin, end); });
}

void CpuBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const Tensor& out) {
    const std::int64_t nIn = weight.size(0), nOut = weight.size(1);
    const std::int64_t rows = out.count() / std::max<std::int64_t>(nOut, 1);
    assert(x.count() == rows * nIn && (!bias || bias.count() == nOut));
    Product product;
    product.m = rows;
    product.n = nOut;
    product.k = nIn;
    product.a = x.data<float>();
    product.aRow = nIn;
    product.b = weight.data<float>();
    product.bRow = nOut;
    product.c = out.data<float>();
    product.cRow = nOut;
    product.bias = floats(bias);
    multiply(product);
}

void CpuBackend::gradientsOfProduct(std::int64_t rows, std::int64_t nIn, std::int64_t nOut,
                                    const float* x, const float* transposedWeight,
                                    const float* dOut, float* dX, float* dWeight) {
    if (dX) {  // dX += dOut W^T
        Product product;
        product.m = rows;
        product.n = nIn;
        product.k = nOut;
        product.a = dOut;
        product.aRow = nOut;
        product.b = transposedWeight;
        product.bRow = nIn;
        product.c = dX;
        product.cRow = nIn;
        product.start = Start::add;
        multiply(product);
    }
    if (dWeight) {  // dW += x^T dOut
        Product product;
        product.m = nIn;
        product.n = nOut;
        product.k = rows;
        product.a = x;
        product.aRow = 1;
        product.aColumn = nIn;
        product.b = dOut;
        product.bRow = nOut;
        product.c = dWeight;
        product.cRow = nOut;
        product.start = Start::add;
        multiply(product);
    }
}

void CpuBackend::linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                const Tensor& dX, const Tensor& dWeight, const Tensor& dBias) {
    const std::int64_t nIn = weight.size(0), nOut = weight.size(1);
    const std::int64_t rows = dOut.count() / std::max<std::int64_t>(nOut, 1);
    assert(x.count() == rows * nIn);
    float* transposed = nullptr;
    if (dX) {
        transposed = shared_.atLeast(sizeOf(nIn * nOut));
        kernels_.transpose(nIn, nOut, weight.data<float>(), nOut, transposed, nIn);
    }
    gradientsOfProduct(rows, nIn, nOut, x.data<float>(), transposed, dOut.data<float>(), floats(dX),
                       floats(dWeight));
    addBiasGradient(rows, nOut, dOut, dBias);
}

// The table's rows are brought beside each other some at a time, so that no second table is held;
// sums have the order of `linear`.
void CpuBackend::linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                  const Tensor& out) {
    constexpr std::int64_t block = 64;
    const std::int64_t nOut = weight.size(0), nIn = weight.size(1);
    const std::int64_t rows = out.count() / std::max<std::int64_t>(nOut, 1);
    assert(x.count() == rows * nIn && (!bias || bias.count() == nOut));
    workers_.reserve(sizeOf(block * nIn));
    workers_.ranges(nOut, block, costOf(rows + 4, 1, nIn),
                    [&](std::int64_t begin, std::int64_t end, int worker) {
                        float* columns = workers_.scratch(worker);  // [nIn, n]
                        for (std::int64_t at = begin; at < end; at += block) {
                            const std::int64_t n = std::min(block, end - at);
                            kernels_.transpose(n, nIn, weight.data<float>() + at * nIn, nIn,
                                               columns, n);
                            Product product;
                            product.m = rows;
                            product.n = n;
                            product.k = nIn;
                            product.a = x.data<float>();
                            product.aRow = nIn;
                            product.b = columns;
                            product.bRow = n;
                            product.c = out.data<float>() + at;
                            product.cRow = nOut;
                            product.bias = bias ? bias.data<float>() + at : nullptr;
                            kernels_.multiply(product);
                        }
                    });
}

void CpuBackend::linearTransposedBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                          const Tensor& dX, const Tensor& dWeight,
                                          const Tensor& dBias) {
    const std::int64_t nOut = weight.size(0), nIn = weight.size(1);
    const std::int64_t rows = dOut.count() / std::max<std::int64_t>(nOut, 1);
    assert(x.count() == rows * nIn);
    gradientsOfProduct(rows, nIn, nOut, x.data<float>(), weight.data<float>(), dOut.data<float>(),
                       floats(dX), nullptr);
    if (dWeight) {  // dW += dOut^T x
        Product product;
        product.m = nOut;
        product.n = nIn;
        product.k = rows;
        product.a = dOut.data<float>();
        product.aRow = 1;
        product.aColumn = nOut;
        product.b = x.data<float>();
        product.bRow = nIn;
        product.c = dWeight.data<float>();
        product.cRow = nIn;
        product.start = Start::add;
        multiply(product);
    }
    addBiasGradient(rows, nOut, dOut, dBias);
}

void CpuBackend::addBiasGradient(std::int64_t rows, std::int64_t width, const Tensor& dOut,
                                 const Tensor& dBias) {
    if (!dBias) return;
    workers_.ranges(
        width, 16, 0.3 * static_cast<double>(rows), [&](std::int64_t begin, std::int64_t end, int) {
            kernels_.addColumns(rows, width, dOut.data<float>(), dBias.data<float>(), begin, end);
        });
}

void CpuBackend::projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              const Tensor& out) {
    const std::int64_t nBatch = x.size(0), nTokens = x.size(1), dModel = x.size(2);
    const std::int64_t nHeads = weight.size(0), dHead = weight.size(2);
    assert(weight.size(1) == dModel && out.count() == nBatch * nHeads * nTokens * dHead);
    multiplyEach(nBatch * nHeads, [&](std::int64_t at) {
        const std::int64_t b = at / nHeads, h = at % nHeads;
        Product product;
        product.m = nTokens;
        product.n = dHead;
        product.k = dModel;
        product.a = x.data<float>() + b * nTokens * dModel;
        product.aRow = dModel;
        product.b = weight.data<float>() + h * dModel * dHead;
        product.bRow = dHead;
        product.c = out.data<float>() + at * nTokens * dHead;
        product.cRow = dHead;
        product.bias = bias ? bias.data<float>() + h * dHead : nullptr;
        return product;
    });
}

// With the heads side by side, dOut [B*N, H*d] and W [D, H*d], this is a linear layer.
void CpuBackend::projectHeadsBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                      const Tensor& dX, const Tensor& dWeight,
                                      const Tensor& dBias) {
    const std::int64_t nBatch = x.size(0), nTokens = x.size(1), dModel = x.size(2);
    const std::int64_t nHeads = weight.size(0), dHead = weight.size(2), width = nHeads * dHead;
    const std::int64_t rows = nBatch * nTokens;
    float* above = shared_.atLeast(sizeOf(rows * width));
    swapMiddle(dOut.data<float>(), nBatch, nHeads, nTokens, dHead, above, Start::zero);
    float* transposed = sharedToo_.atLeast(sizeOf(2 * dModel * width));
    float* collected = transposed + dModel * width;
    for (std::int64_t h = 0; dX && h < nHeads; ++h)
        kernels_.transpose(dModel, dHead, weight.data<float>() + h * dModel * dHead, dHead,
                           transposed + h * dHead * dModel, dModel);
    if (dWeight) std::fill(collected, collected + dModel * width, 0.f);
    gradientsOfProduct(rows, dModel, width, x.data<float>(), transposed, above, floats(dX),
                       dWeight ? collected : nullptr);
    for (std::int64_t h = 0; dWeight && h < nHeads; ++h)
        kernels_.moveRows(dModel, dHead, collected + h * dHead, width,
                          dWeight.data<float>() + h * dModel * dHead, dHead, Start::add);
    if (dBias) kernels_.addColumns(rows, width, above, dBias.data<float>(), 0, width);
}

}  // namespace headloom::cpu
