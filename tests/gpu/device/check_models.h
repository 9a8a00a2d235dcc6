#pragma once

#include "core/backend/backend.h"
#include "tests/gpu/device/model_cases.h"
#include "tests/gpu/device/report.h"

namespace headloom::device {

/// Runs a model on `tested` and on `reference` in float64, from the same float32 weights and
/// tokens, and reports:
/// - a captured pass, every tensor of its trace;
/// - a pass that keeps no maps, and one with a third of the tiles switched off, their logits;
/// - decoding token by token from an empty cache, the logits of every token;
/// - the gradient of every parameter;
/// - the losses of its AdamW steps;
/// - a training step repeated, which must give the same bits.
///
/// An error is the largest difference of a tensor over its largest entry; of a gradient at least
/// over a thousandth of the largest of all, since some are 0 but for rounding (a bias of k under
/// softmax). Tolerances: 5e-6 for what a forward pass makes (sums of some hundred numbers, each
/// rounded by 6e-8, through two layers), 2e-5 for gradients, which go through it twice, 1e-4 for
/// losses after steps, which add up. TF32 products, with their 10 bits, are a hundred times off.
void checkModel(const ModelCase& model, Backend& tested, Report& report);

}  // namespace headloom::device
