#pragma once

#include "core/analysis/row_trace.h"
#include "core/models/sampling.h"
#include "core/models/weights.h"

#include <string>
#include <vector>

namespace headloom {

/// What a row would answer if the model ended here: the residual stream through the final norm,
/// with the scale of that point, and the head (nostalgebraist 2020).
struct LensPoint {
    enum class Place { residPre, residMid, residPost };
    int layer = 0;
    Place place = Place::residPre;
    std::vector<Candidate> top;  ///< the most probable tokens, best first
    double logit = 0;            ///< of the token asked about
    double probability = 0;
    int rank = 0;  ///< of that token, from 0
};
/// "resid_pre" and so on.
std::string_view nameOf(LensPoint::Place place);

/// Before every layer, between attention and MLP (where there is one), and after the last layer.
std::vector<LensPoint> logitLens(const ModelConfig& config, const Weights& weights,
                                 const RowTrace& trace, int slot, int token, int count);

}  // namespace headloom
