#pragma once

#include "core/backend/backend.h"
#include "core/models/ablation.h"
#include "core/models/model.h"

#include <functional>
#include <memory>
#include <span>

namespace headloom {

/// The whole pass over another prompt that parts are patched from: its first `rows` tokens, so that
/// every token lies on one of the prompt that is patched. Later ones could not be seen by them.
/// Precondition: there are as many. Errors: tokens that the model does not read, a failing backend.
Result<std::shared_ptr<const ActivationTrace>> donorOver(
    int rows, std::span<const int> otherPrompt, const std::shared_ptr<const Model>& model,
    Backend& backend, const std::function<bool()>& cancelled = {});

/// The ablation with a donor over so many tokens, where it takes something from its other prompt
/// and has none yet. Errors: those of checkAblation and donorOver.
Result<Ablation> withDonor(const Ablation& ablation, int rows,
                           const std::shared_ptr<const Model>& model, Backend& backend,
                           const std::function<bool()>& cancelled = {});

}  // namespace headloom
