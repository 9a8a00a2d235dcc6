#pragma once

#include "core/session/arm_changes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headloom {

/// One training of a sweep; independent of all others.
struct SweepJob {
    std::string arm;  ///< as the specification calls it, "iha"
    /// What makes it differ from that arm, key and value, in the order of the grid.
    std::vector<std::pair<std::string, std::string>> changes;
    Recipe recipe;

    /// "four-witnesses iha heads=4": the same for every seed.
    std::string group() const;
    /// The group with the seed, "four-witnesses iha heads=4, seed 0".
    std::string name() const;
};

/// The jobs of a specification in their order: arms, then the grid (later keys vary faster), then
/// seeds. The JSON object has
///   task            a task's id
///   task_settings   what is set in it: {"hops": 3}
///   base            arms: "iha", or a list of ids and of {"arm", "name", "changes"}; all if
///   missing grid            {key: [values]} over the keys of ArmChanges and "task.SETTING";
///   crossed settings        ArmChanges for every job seeds           how many (0, 1, ...), or a
///   list; 3 if missing evaluate        {"every": steps, "examples": n, "goal": share}
/// Errors: an unknown key (the sentence lists the known ones), a value of the wrong kind, an
/// impossible arm (the sentence names the job), two jobs that are the same, too many jobs.
Result<std::vector<SweepJob>> sweepFromJson(std::string_view text);

}  // namespace headloom
