#pragma once

#include "core/analysis/offset_mixes.h"
#include "core/session/evaluate.h"
#include "core/session/offset_maps.h"
#include "core/session/recipe.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// Id of the task that all of this is about.
constexpr const char* lookBackTask = "look-back-bank";

/// The lesson "two heads, four jobs": arms trained on the look-back bank, side by side.
struct LookBackArm {
    std::string name;  ///< as it was named: "look-back-bank-iha", or a file
    std::shared_ptr<const Model> model;
    Recipe recipe;
    std::int64_t parameters = 0;
};

/// Arms of one task, so that all read the same examples.
struct LookBackArms {
    std::shared_ptr<const Task> task;
    std::vector<LookBackArm> arms;  ///< never empty

    /// How many tokens the task looks back: its answer slots.
    int reach() const { return task->info().nSlots; }
};

/// Opens models by bundled name or file; no names: all bundled arms of the task, in its order.
/// Errors: no bundled arm is there; a file that is no model, of another task, or of more than one
/// layer, where tokens are no longer where they stood; arms whose tasks are set differently.
Result<LookBackArms> openLookBackArms(const std::vector<std::string>& names = {});

/// Held-out example `number` as an arm reads it, with all maps and effective maps.
Result<ChainRun> readLookBack(const LookBackArms& arms, const LookBackArm& arm,
                              std::uint64_t number, Backend& backend,
                              const std::function<bool()>& cancelled = {});

/// What the maps of an arm take from how far back, in the rows that have a target, over all
/// examples that were read.
class OffsetReading {
  public:
    /// reach: LookBackArms::reach.
    OffsetReading(OffsetMaps kind, int reach) : kind_(kind), reach_(reach) {}
    /// Reads another example of the same arm.
    void add(const ChainRun& run);

    const std::vector<OffsetMap>& maps() const { return maps_; }  ///< of the last example
    const std::vector<OffsetProfile>& profiles() const { return profiles_; }  ///< one a map
    std::vector<int> carried(const OffsetRule& rule = {}) const;
    /// What weighted sums of the maps give of offsets 1..reach.
    std::vector<OffsetMix> mixes() const;

  private:
    OffsetMaps kind_;
    int reach_;
    std::vector<OffsetMap> maps_;
    std::vector<OffsetProfile> profiles_;
    std::optional<OffsetMixes> mixes_;
};
/// Held-out examples first .. first + count - 1. Errors: none to read; interrupted.
Result<OffsetReading> offsetsOver(const LookBackArms& arms, const LookBackArm& arm, OffsetMaps kind,
                                  std::uint64_t first, int count, Backend& backend,
                                  const std::function<bool()>& cancelled = {});
/// The values of some maps, for OffsetMixes.
std::vector<Tensor> valuesOf(const std::vector<OffsetMap>& maps);

/// All arms on the same held-out examples, in their order.
Result<std::vector<Evaluation>> evaluateLookBack(const LookBackArms& arms, int examples,
                                                 const std::string& backend, int threads);

/// What may be said of their difference (verdictOn): rows exact, with the seconds of training.
std::string lookBackVerdict(const LookBackArms& arms, const std::vector<Evaluation>& evaluations);

}  // namespace headloom
