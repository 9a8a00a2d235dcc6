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
    using QObject::QObject;

    /// The report of another checkpoint; what is being found out of the one before is dropped.
    void setReport(const LoadReport& report);
    /// Looks at the numbers of a model, and at its attention where that takes a moment only.
    /// `bytes`: of its weights.
    void examine(std::shared_ptr<const Model> model, std::uint64_t bytes);
    /// Another program's logits (core/session/doctor.h) against the model's.
    void compareWithLogits(std::shared_ptr<const Model> model, const QString& path);

    ReportTree& tree() { return tree_; }
    /// The report as lines of text, with what was found since.
    QString text() const;

  signals:
    /// The report says more.
    void found();
    void told(const QString& sentence);
    void failed(const QString& sentence);

  private:
    void note(const std::vector<std::string>& notes, const std::vector<std::string>& warnings);

    LoadReport report_;  ///< with what was found since
    ReportTree tree_;
    LatestJob job_;
};

}  // namespace headloom
