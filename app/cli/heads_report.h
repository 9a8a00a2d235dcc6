#pragma once

#include "core/session/head_survey.h"

#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// What `heads` found, and how it is to be told.
struct HeadsReport {
    std::string model;  ///< as it was named
    int tokens = 0;     ///< of what it read
    std::vector<LayerSurvey> layers;
    PatternKind maps = PatternKind::tiles;
    RedundancyThresholds thresholds;
    std::optional<HeadMeasure> sort;  ///< none: in the order of the model
    bool ascending = false;
    bool headsOnly = false;  ///< without their tiles
    int top = 0;             ///< lines to print; 0: all
};

/// The table of heads and tiles, and a paragraph a layer on how alike its patterns are.
std::string headsAsText(const HeadsReport& report);
/// The JSON object of `heads --json`; all heads, whatever `top`.
std::string headsAsJson(const HeadsReport& report);
/// "part,layer,head,query_pseudo,key_pseudo,induction,...": a line a head or tile, all digits; what
/// there is no value for is empty.
std::string headsAsCsv(const HeadsReport& report);

}  // namespace headloom::cli
