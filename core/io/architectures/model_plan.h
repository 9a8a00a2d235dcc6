#pragma once

#include "core/io/architectures/config_values.h"
#include "core/io/architectures/load_report.h"
#include "core/io/architectures/matched_tensors.h"
#include "core/models/config.h"

#include <string>
#include <vector>

namespace headloom {

/// A configuration, and how the file has what it does not show.
struct ModelPlan {
    ModelConfig config;
    bool interleavedRotary = false;
    /// What the axes of a mixing are as stored: "source", "target" and, of three, "pseudo". Empty:
    /// as ours.
    std::vector<std::string> mixingAxes;
    /// P where every head has P pseudo-heads that attend each on its own and are averaged: as many
    /// ordinary heads, whose matrices are mixed as they are read. Head h's are hP to hP + P - 1.
    int foldedPseudo = 0;
    bool foldedNorms = false;      ///< the scales of the norms are in the matrices that follow them
    bool normedEmbedding = false;  ///< rows of the embedding are normed before anything reads them
    bool backwardsRotary = false;
    double qkNormFactor = 0;  ///< what normed queries and keys are multiplied by; 0: a tensor says
};

/// The configuration that a checkpoint's tensors and its own words together make. Sizes come from
/// the tensors, everything else from the configuration; the report gets both, and what had to be
/// assumed. Error: the reason why this checkpoint does not run here.
Result<ModelPlan> planModel(const ArchitectureMap& map, const ConfigValues& values,
                            const TensorSource& source, const MatchedTensors& tensors,
                            LoadReport& report);

}  // namespace headloom
