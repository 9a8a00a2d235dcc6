#pragma once

#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"

#include <functional>

namespace headloom {

class ExploreSession;
struct Model;

/// Lets an IHA stand beside a model of ordinary heads in the columns: it waits until that model
/// stands in one, so that both know the tokens, and makes the IHA on a worker.
class IhaBeside : public QObject {
    Q_OBJECT
  public:
    /// The model in a column if it is the one that is meant; else null.
    using InColumn = std::function<std::shared_ptr<const Model>(Side)>;
    IhaBeside(ExploreSession& session, InColumn inColumn, QObject* parent = nullptr);

    /// The model has to be in a column, or on its way into one.
    void make(int nPseudo);
    void giveUp() { wanted_ = 0; }

  signals:
    void made();
    void failed(const QString& sentence);

  private:
    void goOn();

    ExploreSession& session_;
    InColumn inColumn_;
    int wanted_ = 0;  ///< nPseudo, while the model is on its way into a column; 0: none
    LatestJob job_;
};

}  // namespace headloom
