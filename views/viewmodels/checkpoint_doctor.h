#pragma once

#include "core/io/architectures/load_checkpoint.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/report_tree.h"

#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// The report on a checkpoint, and the worker that adds to it what only a loaded model shows.
class CheckpointDoctor : public QObject {
    Q_OBJECT
  public:
    explicit CheckpointDoctor(QObject* parent = nullptr);

    /// The report of another checkpoint; what is being found out of the one before is dropped.
    void setReport(const LoadReport& report);
    enum class Attention { lookAt, leaveOut };
    /// Looks at the numbers of a model, and at its attention, which is run for that.
    void examine(std::shared_ptr<const Model> model, Attention attention);
    /// Another program's logits (core/session/doctor.h) against the model's.
    void compareWithLogits(std::shared_ptr<const Model> model, const QString& path);
    bool working() const { return job_.busy(); }
    /// Ends what runs, between two tensors or layers; the report says that it was stopped.
    void stop();

    ReportTree& tree() { return tree_; }
    /// The report as lines of text, with what was found since.
    QString text() const;

  signals:
    /// The report says something else.
    void found();
    void workingChanged();
    void told(const QString& sentence);
    void failed(const QString& sentence);

  private:
    struct Findings {
        std::vector<std::string> notes, warnings;
    };
    /// The report of opening it with what was found since.
    LoadReport report() const;
    void show();

    LoadReport opened_;
    Findings examined_, compared_;
    bool comparing_ = false;  ///< what runs, where something does
    ReportTree tree_;
    LatestJob job_;
};

}  // namespace headloom
