#pragma once

#include "core/session/ablation_effect.h"
#include "views/viewmodels/job_backend.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"

#include <QString>
#include <QTimer>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace headloom {

class ExploreViewModel;

/// Which part of a model matters most for what it says: each switched off alone, exhaustively, on a
/// worker. It starts from the model as it is changed.
class PartRanking : public QObject {
    Q_OBJECT
  public:
    explicit PartRanking(ExploreViewModel& model, QObject* parent = nullptr);
    ~PartRanking() override;

    struct Question {
        Side side = Side::right;
        ModelPart::Kind kind = ModelPart::Kind::tile;
        bool layerOnly = false;  ///< parts of the current layer, else of all
        bool stepOnly = false;   ///< answers of the current step, else of the whole chain
        Instead instead = Instead::zero;
    };
    void start(const Question& question);
    void cancel() { job_.cancel(); }
    bool running() const { return job_.busy(); }
    double progress() const;

    /// The one that costs most first; empty before the first answer and where it is stale.
    const std::vector<PartEffect>& effects() const { return effects_; }
    Side side() const { return side_; }
    /// What the effects are of, or why there are none.
    QString text() const { return text_; }

  signals:
    void changed();

  private:
    struct Answer {
        std::vector<PartEffect> effects;
        QString text;
    };
    static Answer rank(ChainRequest request, RankRequest ranking, std::optional<int> step,
                       const std::vector<int>& otherPrompt, const JobBackend::Turn& backend);
    void forget();

    ExploreViewModel& model_;
    std::vector<PartEffect> effects_;
    Side side_ = Side::right;
    QString text_;
    std::shared_ptr<const ChainRun> asked_;
    std::shared_ptr<std::atomic<double>> progress_;
    JobBackend backend_;
    QTimer beat_;
    LatestJob job_;
};

}  // namespace headloom
