#pragma once

#include "core/session/arm_changes.h"
#include "core/session/blind_guess.h"
#include "core/session/live_training.h"
#include "core/tasks/settings.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/learning_series.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <atomic>
#include <memory>
#include <vector>

namespace headloom {

/// One line of the set-up: an arm of the task and what is changed in it.
struct ArmSetup {
    QString base;  ///< arm id, "iha"
    ArmChanges changes;
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
    std::int64_t parameters = 0;
    QString problem;  ///< why it cannot be built; the numbers are then what was asked for
};

/// Something drawn across a plot, with its name.
struct ReferenceLine {
    double value = 0;
    QString name;
};

/// The Train page as data: a comparison is set up, started, stopped, continued and taken back to
/// kept moments, while its models stand in the columns of the Explore page and move.
class TrainViewModel : public QObject {
    Q_OBJECT
  public:
    static constexpr int mostArms = 4, mostSeeds = 16;

    explicit TrainViewModel(ExploreViewModel& explore, QObject* parent = nullptr);
    ~TrainViewModel() override;

    // ---- set-up; refused while a comparison stands -------------------------------------------
    /// Ids and titles of the tasks.
    std::vector<std::pair<QString, QString>> tasks() const;
    QString taskExplanation() const;
    QString task() const { return task_; }
    void setTask(const QString& task);
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

    // ---- the comparison ----------------------------------------------------------------------
    bool stands() const { return training_ != nullptr; }
    bool running() const { return picture_.running; }
    /// Every run has come to its end.
    bool ended() const;
    /// Sets the comparison up if none stands, and goes on.
    void start();
    void stop();
    /// Drops the comparison; the set-up can be changed again.
    void reset();
    const LivePicture& picture() const { return picture_; }
    QString statusText() const;
    QString verdictText() const;
    std::vector<ReferenceLine> referenceLines(CurveValue value) const;
    /// "IHA, 2 heads × 2, seed 0".
    QString runTitle(int run) const;

    // ---- the run in view ---------------------------------------------------------------------
    int run() const { return run_; }
    void setRun(int run);
    /// The kept moment that is chosen; -1: the newest weights.
    std::int64_t moment() const { return moment_; }
    /// Chooses the kept moment nearest to a step.
    void chooseMoment(std::int64_t step);
    void rewind();
    /// Steps of the kept moments of the run in view, rising.
    std::vector<std::int64_t> moments() const;
    /// Lets the column that the run stands in show a kept moment, and marks it; the run itself
    /// stays where it is. False: no such moment.
    bool showMoment(std::int64_t step);
    /// Back to the newest weights.
    void showNewest();
    /// Lets the chosen moment stand in a column of the Explore page.
    void openMoment();
    void saveMoment(const QString& path);

  signals:
    void setupChanged();
    void pictureChanged();
    void failed(const QString& sentence);
    /// What the pointer shows in the curves, in words; empty: nothing.
    void pointed(const QString& words);

  private:
    Result<Recipe> recipeOf(const ArmSetup& setup) const;
    void chooseDefaults();
    void refresh();
    void schedule();
    void watch();
    void showLive();
    int runOf(const QString& id) const;
    Result<Model> chosenModel() const;

    ExploreViewModel& explore_;
    QString task_;
    // The blind guess and what it was counted for.
    mutable BlindGuess guess_;
    mutable QString guessTask_;
    mutable TaskSettings guessSettings_;
    TaskSettings taskSettings_;  ///< what differs from the defaults
    std::vector<ArmSetup> arms_;
    std::vector<QString> names_;  ///< of the arms in training
    int seeds_ = 3, steps_ = 0;
    int run_ = 0;
    std::int64_t moment_ = -1;
    bool showsMoment_ = false;  ///< the run's column is held at the chosen moment
    LivePicture picture_;
    std::vector<std::shared_ptr<const Model>> published_;  ///< newest weights shown, one a run
    std::atomic<bool> news_{false};
    QTimer frame_;
    QElapsedTimer sinceFrame_;
    std::unique_ptr<LiveTraining> training_;  ///< last: its workers call back
};

}  // namespace headloom
