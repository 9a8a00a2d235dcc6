#pragma once

#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"

#include <QString>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

class ExploreSession;

/// What can compute on this machine, and how two of those agree on the model in view. Workers ask
/// and compute.
class ComputeModel : public QObject {
    Q_OBJECT
  public:
    explicit ComputeModel(ExploreSession& session, QObject* parent = nullptr);
    ~ComputeModel() override;

    /// Names of backends, as ExploreSession::setBackend takes them.
    static std::vector<std::string> names();
    /// "CUDA, products in TF32".
    static QString titleOf(const std::string& backend);

    /// Asks once what every backend lacks here: opening a GPU takes a while.
    void probe();
    /// What a backend lacks, a sentence; empty: nothing, or nobody has asked yet.
    QString missing(const std::string& backend) const;

    /// One pass of the model of a column over the tokens on screen, on two backends.
    void compare(Side side, const std::string& tested, const std::string& against);
    void cancel() { comparer_.cancel(); }
    bool busy() const { return comparer_.busy(); }

    struct Row {
        QString tensor, shape, absolute, relative, tolerance;
        bool within = true;
    };
    struct Comparison {
        std::vector<Row> rows;  ///< a tensor each, in the order in which they are computed
        QString times;          ///< a line a backend: what it is, milliseconds, passes
        QString verdict, reason, problem;
        QString csv;
        bool agrees = false;
    };
    /// The last one, empty before the first.
    const Comparison& comparison() const { return comparison_; }

  signals:
    void probed();
    void compared();
    void busyChanged();

  private:
    ExploreSession& session_;
    std::map<std::string, QString> missing_;
    bool asked_ = false;
    Comparison comparison_;
    LatestJob prober_, comparer_;
};

}  // namespace headloom
