#pragma once

#include "core/backend/backend.h"
#include "core/base/thread_pool.h"
#include "core/models/config.h"
#include "core/models/weights.h"
#include "core/tasks/task.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

struct Score {
    double accuracy = 0;  ///< share of single predictions that are right
    double exact = 0;     ///< share of whole samples (TaskInfo::exactRows: rows) that are
};

/// A model on held-out examples, always the most probable token.
struct Evaluation {
    int examples = 0;
    double loss = 0;      ///< mean cross-entropy, fed the true tokens
    Score teacherForced;  ///< fed the true tokens
    /// The model feeding itself from the prompt on; none where nothing is generated or where it was
    /// not asked for. Its `exact` is by necessity that of `teacherForced`: a chain without a wrong
    /// symbol has fed itself the true tokens. Its accuracy counts what follows a wrong symbol too.
    std::optional<Score> freeRunning;
};

/// Refuses a model whose tokens, answer slots or context are not those of the task.
Result<void> checkFits(const TaskInfo& task, const ModelConfig& config);

/// Measures models on the first held-out examples of a task, several examples a pass and one pass a
/// thread. Drawn once, so that evaluating during training costs forward passes only.
class Evaluator {
  public:
    /// Errors: no examples, an unknown backend.
    static Result<std::unique_ptr<Evaluator>> make(const Task& task, int examples,
                                                   const std::string& backend, int threads);

    /// Errors: a model that does not fit the task, a failing backend.
    Result<Evaluation> evaluate(const ModelConfig& config, const Weights& weights,
                                bool freeRunning);

  private:
    struct Chunk {
        Batch batch;
        int promptLength = 0;
        std::vector<std::vector<int>> truth;  ///< what a model should write, an example each
    };
    struct Tally {
        double loss = 0;
        std::int64_t right = 0, predictions = 0, whole = 0, units = 0;
        std::int64_t freeRight = 0, freeWhole = 0;
    };
    Evaluator(const Task& task, int examples, std::vector<std::unique_ptr<Backend>> backends);
    Result<Tally> score(const Chunk& chunk, const ModelConfig& config, const Weights& weights,
                        bool freeRunning, Backend& backend) const;

    TaskInfo info_;
    int examples_ = 0;
    std::vector<Chunk> chunks_;
    std::vector<std::unique_ptr<Backend>> backends_;
    ThreadPool pool_;
};

}  // namespace headloom
