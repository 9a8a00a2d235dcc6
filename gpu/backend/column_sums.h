#pragma once

#include "gpu/backend/device_backend.h"
#include "gpu/kernels/rows.h"

namespace headloom::gpu {

template <class Value>
void DeviceBackend::addColumnSums(const Value& value, Index nRows, Index width,
                                  const Tensor& sums) {
    constexpr int threads = 256;
    // Enough rows a block that the second pass is short, few enough that all of a GPU has work.
    constexpr Index rowsEach = 256;
    const std::size_t shared = threads * sizeof(float);
    const Index chunks = divideUp(nRows, rowsEach), tiles = divideUp(width, lanes);
    float* to = sums.data<float>();
    if (chunks <= 1)
        return launch({tiles, threads, shared},
                      ColumnSums<Value>{value, to, nRows, width, nRows, true});
    const Tensor partial = temporary(chunks * width);
    launch({chunks * tiles, threads, shared},
           ColumnSums<Value>{value, partial.data<float>(), nRows, width, rowsEach, false});
    launch({tiles, threads, shared},
           ColumnSums<Itself>{{partial.data<float>()}, to, chunks, width, chunks, true});
}

}  // namespace headloom::gpu
