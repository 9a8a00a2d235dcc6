#pragma once

#include "core/analysis/logit_attribution.h"
#include "core/analysis/logit_lens.h"
#include "core/analysis/score_split.h"
#include "core/models/model_part.h"
#include "core/session/ablation_effect.h"
#include "views/viewmodels/job_backend.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"

#include <QString>

#include <memory>
#include <optional>

namespace headloom {

class ExploreViewModel;

/// Why two tokens attend to each other: a score term by term.
struct CellWhy {
    Side side = Side::right;
    ModelPart part;  ///< the cell
    ScoreSplit split;
    double share = 0;                     ///< cross-head share of this score
    std::optional<double> evidenceShare;  ///< over the evidence of the query; none where none is
    QString from, to;                     ///< its tokens
};

/// Why a token is answered: what every part adds to its logit, and what the model would answer if
/// it ended earlier.
struct LogitWhy {
    Side side = Side::right;
    AnswerAt at;
    QString token;
    LogitAttribution attribution;
    std::vector<LensPoint> lens;
    std::vector<QString> lensTop;  ///< the most probable token of each point
};

/// Explains the cell that was pointed at last and the answer of the current step, on a worker,
/// while somebody looks.
class WhyModel : public QObject {
    Q_OBJECT
  public:
    explicit WhyModel(ExploreViewModel& model, QObject* parent = nullptr);
    ~WhyModel() override;

    void setWanted(bool wanted);
    /// None: nothing pointed at yet, and `cellText` says what to do, or why there is no such
    /// answer.
    const std::optional<CellWhy>& cell() const { return cell_; }
    QString cellText() const { return cellText_; }
    const std::optional<LogitWhy>& logit() const { return logit_; }
    QString logitText() const { return logitText_; }
    /// Whose answer is explained.
    Side side() const { return side_; }
    void setSide(Side side);

  signals:
    void cellChanged();
    void logitChanged();

  private:
    struct Residual;  ///< what went into a layer, as the worker last had it
    struct FoundCell {
        std::optional<CellWhy> why;
        QString text;
    };
    struct FoundLogit {
        std::optional<LogitWhy> why;
        QString text;
    };
    void startCell();
    void startLogit();
    void startAll();
    static FoundCell explainCell(const std::shared_ptr<const ChainRun>& run, Side side,
                                 const ModelPart& part, Residual& kept,
                                 const JobBackend::Turn& backend,
                                 const LatestJob::Cancelled& cancelled);
    static FoundLogit explainLogit(const ChainRun& run, Side side, int row,
                                   const JobBackend::Turn& backend,
                                   const LatestJob::Cancelled& cancelled);

    ExploreViewModel& model_;
    bool wanted_ = false;
    Side side_ = Side::right;
    std::optional<CellWhy> cell_;
    std::optional<LogitWhy> logit_;
    QString cellText_, logitText_;
    std::shared_ptr<Residual> residual_;  ///< of the worker alone
    JobBackend cellBackend_, logitBackend_;
    LatestJob cellJob_, logitJob_;
};

}  // namespace headloom
