#pragma once

#include "core/models/rank_floor.h"
#include "core/session/arm_changes.h"
#include "core/session/blind_guess.h"
#include "core/session/learning_run.h"
#include "core/tasks/settings.h"
#include "views/viewmodels/learning_series.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headloom {

class Task;

/// One line of the set-up: an arm of the task and what is changed in it.
struct ArmSetup {
    QString base;  ///< arm id, "iha"
    ArmChanges changes;
};

/// How every arm learns; what is not set is each arm's own. Numbers as typed: a recipe that cannot
/// be is said as the arm's problem.
struct LearningChanges {
    std::optional<double> learningRate, batch, noise, mixingRate, collapseRate;
    std::optional<double> goal;  ///< of token tasks: share of examples that are exact
    std::optional<MixingStart> start;
    friend bool operator==(const LearningChanges&, const LearningChanges&) = default;
};

/// Something to begin an arm with: one of the task's own, or its plain MHA with another kind of
/// attention.
struct ArmChoice {
    QString title;
    ArmSetup setup;
};

/// An arm as it would be trained, for the set-up's fields and the legend.
struct ArmShown {
    QString title;
    bool interleaved = false;
    int heads = 0, pseudo = 1, layers = 0, width = 0, mlp = 0;  ///< mlp as a multiple of the width
    bool oneLayer = false;  ///< a filter: layers, width and MLP are not for changing
    std::int64_t parameters = 0;
    QString problem;  ///< why it cannot be built; the numbers are then what was asked for
};

/// Something drawn across a plot, with its name.
struct ReferenceLine {
    double value = 0;
    QString name;
    /// Where a measurement of this value may well fall by chance; equal: no band.
    double low = 0, high = 0;
};

/// What a comparison is made of: a task and how hard it is, up to four arms, seeds and steps. While
/// it is locked, as long as a comparison stands, every change is refused.
class ComparisonSetup : public QObject {
    Q_OBJECT
  public:
    static constexpr int mostArms = 4, mostSeeds = 16;

    explicit ComparisonSetup(QObject* parent = nullptr);

    bool locked() const { return locked_; }
    void setLocked(bool locked);

    /// Ids and titles of the tasks.
    std::vector<std::pair<QString, QString>> tasks() const;
    QString taskExplanation() const;
    QString task() const { return task_; }
    void setTask(const QString& task);
    /// A bank of graph filters: numbers instead of tokens, errors instead of shares that are right.
    bool filters() const;
    /// What can be set in the task, and what is: its difficulty, for the most part.
    TaskChoices taskChoices() const;
    QString taskSetting(const QString& name) const;
    void setTaskSetting(const QString& name, const QString& value);
    /// Why the task cannot be made as it is set; empty: it can.
    QString taskProblem() const;
    std::vector<ArmChoice> armChoices() const;
    /// Which of the choices an arm began with; -1: none.
    int armChoice(int arm) const;
    const std::vector<ArmSetup>& arms() const { return arms_; }
    void setArm(int arm, const ArmSetup& setup);
    void addArm();
    void removeArm(int arm);
    ArmShown shown(int arm) const;
    /// Which of the arms of its kind this is, from 0: arms of one kind share its colour, so the
    /// dash of their lines tells them apart.
    int dash(int arm) const;
    int seeds() const { return seeds_; }
    void setSeeds(int seeds);
    /// Updates of every run.
    int steps() const { return steps_; }
    void setSteps(int steps);

    const LearningChanges& learning() const { return learning_; }
    void setLearning(const LearningChanges& learning);

    // ---- what is made of it ------------------------------------------------------------------
    /// Errors: an impossible task or arm.
    Result<std::unique_ptr<Task>> makeTask() const;
    Result<LearningRecipe> recipe(int arm) const;
    /// Levels that a curve starts from.
    std::vector<ReferenceLine> referenceLines(CurveValue value) const;

  signals:
    void changed();

  private:
    std::vector<ArmInfo> armInfos() const;
    Result<LearningRecipe> recipeOf(const ArmSetup& setup) const;
    std::vector<ReferenceLine> filterLines() const;
    void chooseDefaults();

    bool locked_ = false;
    QString task_;
    TaskSettings taskSettings_;  ///< what differs from the defaults
    std::vector<ArmSetup> arms_;
    int seeds_ = 3, steps_ = 0;
    LearningChanges learning_;
    // The blind guess and what it was counted for.
    mutable BlindGuess guess_;
    mutable QString guessTask_;
    mutable TaskSettings guessSettings_;
    // Rank floors by the number of heads, and what they were worked out for.
    mutable std::map<int, RankFloor> floors_;
    mutable TaskSettings floorSettings_;
};

}  // namespace headloom
