#pragma once

#include "core/session/live_training.h"
#include "views/viewmodels/comparison_setup.h"
#include "views/viewmodels/explore_view_model.h"

#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <memory>
#include <vector>

namespace headloom {

/// The Train page as data: a comparison is set up, started, stopped, continued and taken back to
/// kept moments, while its models stand in the columns of the Explore page and move.
class TrainViewModel : public QObject {
    Q_OBJECT
  public:
    explicit TrainViewModel(ExploreViewModel& explore, QObject* parent = nullptr);
    ~TrainViewModel() override;

    ComparisonSetup& setup() { return setup_; }
    const ComparisonSetup& setup() const { return setup_; }

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
    void refresh();
    void sayNotice();
    void schedule();
    void watch();
    void showLive();
    std::shared_ptr<const Model> standIn(int run) const;
    int runOf(const QString& id) const;
    /// The step of the chosen moment, or of the newest one.
    Result<std::int64_t> chosenStep() const;

    ExploreViewModel& explore_;
    ComparisonSetup setup_;
    std::vector<QString> names_;  ///< of the arms in training
    int run_ = 0;
    std::int64_t moment_ = -1;
    bool showsMoment_ = false;  ///< the run's column is held at the chosen moment
    LivePicture picture_;
    bool noticeSaid_ = false;  ///< why runs compute on the processor now
    std::vector<std::shared_ptr<const Model>> published_;  ///< newest weights shown, one a run
    std::atomic<bool> news_{false};
    QTimer frame_;
    QElapsedTimer sinceFrame_;
    // Last, since their workers call back.
    QThreadPool ending_;  ///< where dropped comparisons end
    std::unique_ptr<LiveTraining> training_;
};

}  // namespace headloom
