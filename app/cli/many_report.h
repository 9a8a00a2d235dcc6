#pragma once

#include "core/session/many_prompts.h"

#include <optional>
#include <string>

namespace headloom::cli {

/// How averages are told.
struct AveragesShown {
    std::string model;  ///< as it was named
    std::string over;   ///< PromptSet::words
    std::string what;   ///< "heads and tiles": what the first table lists
    /// Column of the first table that orders its lines; empty: in the order of the model.
    std::string sort;
    bool ascending = false;
    bool bySize = false;     ///< the sign does not count in that order
    bool headsOnly = false;  ///< without the lines of tiles
    int top = 0;             ///< lines of the first table to print; 0: all
    bool json = false;
};

/// Every table, mean and standard deviation, and below how many prompts had the number.
std::string averagesAsText(const AveragesShown& shown, const ManyAverages& averages);
/// The JSON object of a command with --examples or --prompts, all lines.
std::string averagesAsJson(const AveragesShown& shown, const ManyAverages& averages);

}  // namespace headloom::cli
