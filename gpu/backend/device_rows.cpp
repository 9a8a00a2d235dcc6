// Embedding, norms and dense layers.
#include "gpu/backend/column_sums.h"
#include "gpu/backend/device_backend.h"
#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/largest.h"
#include "gpu/kernels/tokens.h"

namespace headloom::gpu {

namespace {

constexpr int rowThreads = 128;
// A row of the table has few numbers, and there are many rows.
constexpr int tableThreads = 64;

/// Row-major [rows, columns] without gaps.
Product::Matrix matrix(const Tensor& tensor, Index columns, bool transposed = false) {
    return {tensor.data<float>(), columns, 0, transposed};
}

Index rowsOf(const Tensor& x) {
    return x.size(-1) == 0 ? 0 : x.count() / x.size(-1);
}

}  // namespace

void DeviceBackend::embed(const Tensor& ids, const Tensor& table, const Tensor& positions,
                          std::int64_t start, const Tensor& out) {
    const Index nTokens = out.size(1), dModel = out.size(2);
    const Index sharers = ids.shape().rank() == 3 ? ids.size(2) : 1;
    const float* first = positions ? positions.data<float>() + start * dModel : nullptr;
    forEach(out.count(), Embed{ids.data<std::int32_t>(), table.data<float>(), first,
                               out.data<float>(), nTokens, dModel, sharers});
}

void DeviceBackend::embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                                  const Tensor& dPositions) {
    const Index nBatch = dOut.size(0), rowSize = dOut.size(1) * dOut.size(2);
    const Index sharers = ids.shape().rank() == 3 ? ids.size(2) : 1;
    if (dPositions)
        forEach(rowSize, EmbedPositionsBackward{dOut.data<float>(), dPositions.data<float>(),
                                                nBatch, rowSize});
    if (dTable)
        launch({dTable.size(0), tableThreads, tableThreads * sizeof(std::int32_t)},
               EmbedTableBackward{ids.data<std::int32_t>(), dOut.data<float>(),
                                  dTable.data<float>(), ids.count(), sharers, dOut.size(2)});
}

void DeviceBackend::norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
                         const Tensor& bias, const Tensor& out, const Tensor& statistics) {
    launch({rowsOf(x), rowThreads, 2 * lanes * sizeof(float)},
           NormRow{kind, static_cast<float>(epsilon), x.data<float>(), weight.data<float>(),
                   floats(bias), out.data<float>(), statistics.data<float>(), x.size(-1)});
}

void DeviceBackend::normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                                 const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                                 const Tensor& dWeight, const Tensor& dBias) {
    const Index nRows = rowsOf(x), width = x.size(-1);
    if (dX)
        launch(
            {nRows, rowThreads, 2 * lanes * sizeof(float)},
            NormRowBackward{kind, x.data<float>(), weight.data<float>(), statistics.data<float>(),
                            dOut.data<float>(), dX.data<float>(), width});
    if (dWeight)
        addColumnSums(TimesNormed{dOut.data<float>(), x.data<float>(), statistics.data<float>()},
                      nRows, width, dWeight);
    if (dBias) addColumnSums(Itself{dOut.data<float>()}, nRows, width, dBias);
}

void DeviceBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           const Tensor& out) {
    const Index nIn = weight.size(0), nOut = weight.size(1);
    if (bias)
        forEach(out.count(), RepeatRow{bias.data<float>(), out.data<float>(), nOut});
    else if (nIn == 0)
        zero(out);
    Product product{.m = rowsOf(out), .n = nOut, .k = nIn};
    product.a = matrix(x, nIn);
    product.b = matrix(weight, nOut);
    product.c = out.data<float>();
    product.leadC = nOut;
    product.add = bias || nIn == 0;
    multiply(product);
}

void DeviceBackend::linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                   const Tensor& dX, const Tensor& dWeight, const Tensor& dBias) {
    const Index nIn = weight.size(0), nOut = weight.size(1), nRows = rowsOf(dOut);
    if (dX) {
        Product product{.m = nRows, .n = nIn, .k = nOut};
        product.a = matrix(dOut, nOut);
        product.b = matrix(weight, nOut, true);
        product.c = dX.data<float>();
        product.leadC = nIn;
        product.add = true;
        multiply(product);
    }
    if (dWeight) {
        Product product{.m = nIn, .n = nOut, .k = nRows};
        product.a = matrix(x, nIn, true);
        product.b = matrix(dOut, nOut);
        product.c = dWeight.data<float>();
        product.leadC = nOut;
        product.add = true;
        multiply(product);
    }
    if (dBias) addColumnSums(Itself{dOut.data<float>()}, nRows, nOut, dBias);
}

void DeviceBackend::linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                     const Tensor& out) {
    const Index nOut = weight.size(0), nIn = weight.size(1);
    if (bias)
        forEach(out.count(), RepeatRow{bias.data<float>(), out.data<float>(), nOut});
    else if (nIn == 0)
        zero(out);
    Product product{.m = rowsOf(out), .n = nOut, .k = nIn};
    product.a = matrix(x, nIn);
    product.b = matrix(weight, nIn, true);
    product.c = out.data<float>();
    product.leadC = nOut;
    product.add = bias || nIn == 0;
    multiply(product);
}

void DeviceBackend::topK(const Tensor& x, const Tensor& values, const Tensor& ids) {
    launch({x.size(0), 256, 2 * lanes * sizeof(Rank)},
           LargestOfRow{x.data<float>(), values.data<float>(), ids.data<std::int32_t>(), x.size(1),
                        values.size(1)});
}

void DeviceBackend::linearTransposedBackward(const Tensor& x, const Tensor& weight,
                                             const Tensor& dOut, const Tensor& dX,
                                             const Tensor& dWeight, const Tensor& dBias) {
    const Index nOut = weight.size(0), nIn = weight.size(1), nRows = rowsOf(dOut);
    if (dX) {
        Product product{.m = nRows, .n = nIn, .k = nOut};
        product.a = matrix(dOut, nOut);
        product.b = matrix(weight, nIn);
        product.c = dX.data<float>();
        product.leadC = nIn;
        product.add = true;
        multiply(product);
    }
    if (dWeight) {
        Product product{.m = nOut, .n = nIn, .k = nRows};
        product.a = matrix(dOut, nOut, true);
        product.b = matrix(x, nIn);
        product.c = dWeight.data<float>();
        product.leadC = nIn;
        product.add = true;
        multiply(product);
    }
    if (dBias) addColumnSums(Itself{dOut.data<float>()}, nRows, nOut, dBias);
}

}  // namespace headloom::gpu
