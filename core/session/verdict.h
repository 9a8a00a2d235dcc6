#pragma once

#include <string>
#include <vector>

namespace headloom {

/// What one arm of a comparison came to.
struct ArmResult {
    std::string name;
    std::vector<double> scores;   ///< one a seed
    std::vector<double> seconds;  ///< CPU seconds, one a seed
};

/// What the scores are: the share of whole chains (or rows) that are right, or the relative squared
/// error of a filter, of which less is better.
enum class ScoreMeaning { exact, error };

/// What a comparison shows, a sentence a line. A difference is claimed only where every seed of one
/// arm beats every seed of the other; where they overlap, that is said; one seed is no evidence.
/// The cost in seconds stands beside it. Empty: fewer than two arms have a result.
std::string verdictOn(const std::vector<ArmResult>& arms,
                      ScoreMeaning meaning = ScoreMeaning::exact);

}  // namespace headloom
