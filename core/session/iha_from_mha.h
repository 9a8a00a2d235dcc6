#pragma once

#include "core/base/error.h"
#include "core/models/model.h"

#include <memory>

namespace headloom {

/// The same function with interleaved heads: every layer of a model of ordinary heads gets nPseudo
/// pseudo-heads, alpha[m, h, p] = 1(m = h) and R = 1/P on the own pseudo-heads, so that the logits
/// stay what they are up to rounding while every weight of the mixing can be edited from there.
/// Masks and rotary positions become those of whole tokens, without which the two are not equal
/// (iha.md 3). Grouped keys and values are written out, one copy a head. All other weights are
/// shared with `mha`, and so are its vocabulary and recipe. Errors: layers of another kind, a model
/// that reads no tokens, nPseudo out of range.
Result<std::shared_ptr<const Model>> ihaFromMha(const Model& mha, int nPseudo);

}  // namespace headloom
