#pragma once

// The kernels, to be compiled once for every processor generation: see kernels.h.

#include "core/backend/cpu/activations_impl.h"
#include "core/backend/cpu/attention_backward_impl.h"
#include "core/backend/cpu/attention_impl.h"
#include "core/backend/cpu/gemm_impl.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/rows_impl.h"
#include "core/backend/cpu/simd.h"

namespace headloom::cpu {
namespace {

constexpr Kernels tableOf(const char* name) {
    Kernels table{};
    table.name = name;
    table.panelWidth = panelWidth;
    table.tileRows = tileRows;
    table.multiply = multiply;
    table.multiplyRows = multiplyRows;
    table.packTransposed = packTransposed;
    table.multiplyPacked = multiplyPacked;
    table.moveRows = moveRows;
    table.transpose = transpose;
    table.attention = attention;
    table.attentionRows = attentionRows;
    table.attentionScratch = attentionScratch;
    table.attentionBackward = attentionBackward;
    table.attentionBackwardScratch = attentionBackwardScratch;
    table.norm = norm;
    table.normBackward = normBackward;
    table.normBackwardWeights = normBackwardWeights;
    table.addColumns = addColumns;
    table.activate = activate;
    table.activateBackward = activateBackward;
    table.times = times;
    table.addTimes = addTimes;
    table.add = add;
    table.sum = sum;
    table.rotate = rotate;
    table.exponential = exponentialOf;
    table.errorFunction = errorFunction;
    table.normaliser = normaliser;
    table.shares = shares;
    table.sumOfSquares = sumOfSquares;
    table.adamw = adamw;
    return table;
}

}  // namespace
}  // namespace headloom::cpu
