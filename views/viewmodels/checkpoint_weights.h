#pragma once

#include "views/viewmodels/checkpoint_shown.h"
#include "views/viewmodels/latest_job.h"

#include <QTimer>

namespace headloom {

/// Loads the model of a listed checkpoint on a worker, with its progress.
class CheckpointWeights : public QObject {
    Q_OBJECT
  public:
    explicit CheckpointWeights(QObject* parent = nullptr);
    ~CheckpointWeights() override;

    /// Takes the place of a load on its way.
    void load(const CheckpointShown& shown);
    void cancel() { job_.cancel(); }
    bool loading() const { return job_.busy(); }
    /// Share of the load that is done, 0 to 1.
    double share() const;

  signals:
    void loaded(const std::shared_ptr<const Model>& model);
    void failed(const QString& sentence);
    /// Began, ended, or came further: at most ten times a second.
    void progressed();

  private:
    struct Reached;
    std::shared_ptr<Reached> reached_;
    QTimer beat_;  ///< while a model is loaded
    LatestJob job_;
};

}  // namespace headloom
