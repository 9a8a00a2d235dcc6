#pragma once

#include "core/session/ablation_effect.h"
#include "core/session/mha_difference.h"
#include "views/viewmodels/job_backend.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"

#include <QString>

#include <memory>
#include <vector>

namespace headloom {

class ExploreViewModel;

/// What the changes in one column's model do to its answers: against the same model as it was
/// opened, over the same tokens. And how far it is from MHA. A worker measures, while somebody
/// looks.
class ChangeEffect : public QObject {
    Q_OBJECT
  public:
    explicit ChangeEffect(ExploreViewModel& model, QObject* parent = nullptr);
    ~ChangeEffect() override;

    /// Whether anybody looks.
    void setWanted(bool wanted);
    Side side() const { return side_; }
    void setSide(Side side);

    /// Newer numbers of the same model on the same tokens are on their way: what is shown stays
    /// until then, so that nothing flickers while a weight is dragged.
    bool followsSoon() const;

    struct Row {
        QString token;
        double before = 0, after = 0;  ///< probabilities
        int rankBefore = 0, rankAfter = 0;
        bool right = false;  ///< the token that counts as the answer here
    };
    /// The most probable tokens of the current step, before or after, and its answer; empty where
    /// nothing is changed or measured yet.
    std::vector<Row> rows(int count) const;
    /// "9 of 16 answers are other ones; the right ones had 0.98 on average, now 0.41"; or why there
    /// is nothing to say.
    QString chainText() const;
    /// How far the model is from MHA and why; empty for a model that mixes no heads.
    QString mhaText() const;

  signals:
    void changed();

  private:
    struct Measured {
        std::shared_ptr<const ChainRun> run, whole;  ///< changed, and as it was opened
        std::vector<AnswerAt> answers;
        AnswersEffect effect;
        std::optional<MhaDifference> mha;
        QString problem;
    };
    void start();
    static Measured measure(const std::shared_ptr<const ChainRun>& run,
                            const std::shared_ptr<const Model>& opened,
                            const JobBackend::Turn& backend, const LatestJob::Cancelled& cancelled);

    ExploreViewModel& model_;
    Side side_ = Side::right;
    bool wanted_ = false;
    Measured measured_;
    std::shared_ptr<const ChainRun> asked_;
    JobBackend backend_;
    LatestJob job_;
};

}  // namespace headloom
