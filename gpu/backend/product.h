#pragma once

#include "gpu/kernels/block.h"

namespace headloom::gpu {

/// C = op(A) op(B) + (add ? C : 0), times `scale` on the product, `count` times: float32,
/// row-major, on the device. op(A) [m, k], op(B) [k, n], C [m, n]; a step is the distance between
/// the matrices of two products, 0 to use one again. `lead` is the distance between stored rows.
struct Product {
    struct Matrix {
        const float* numbers = nullptr;
        Index lead = 0;
        Index step = 0;
        bool transposed = false;
    };
    Index m = 0, n = 0, k = 0, count = 1;
    Matrix a{}, b{};
    float* c = nullptr;
    Index leadC = 0, stepC = 0;
    float scale = 1;
    bool add = false;
};

}  // namespace headloom::gpu
