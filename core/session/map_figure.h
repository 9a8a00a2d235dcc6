#pragma once

#include "core/models/model_part.h"
#include "core/session/chain_run.h"
#include "core/session/figure.h"

namespace headloom {

/// The maps of a part of a run as a figure: all tiles of a layer or of a head, or one tile. With
/// `effective` the maps M[g, m] of a layer or of a target head instead. The scale ends at the
/// largest value. Errors: a part without maps, maps that the run did not keep, effective maps that
/// a layer does not have.
Result<Figure> mapFigure(const ChainRun& run, const ModelPart& part, bool effective,
                         const std::filesystem::path& assets);

/// What a figure is of: "model NAME (weights crc32 1A2B3C4D)", the prompt, the row's step, cuts.
std::vector<std::string> provenanceOf(const ChainRun& run, const std::string& model);

}  // namespace headloom
