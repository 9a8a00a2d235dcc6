#pragma once

#include "core/session/many_prompts.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/many_table.h"
#include "views/viewmodels/map_ref.h"
#include "views/viewmodels/run_key.h"
#include "views/viewmodels/similarity_shown.h"

#include <QStringList>
#include <QTimer>

#include <atomic>
#include <memory>
#include <optional>

namespace headloom {

class ExploreViewModel;

/// The Many instrument as data: what the other instruments say of one prompt, averaged over many,
/// by a worker. The model of a column is asked as it is changed.
class ManyModel : public QObject {
    Q_OBJECT
  public:
    explicit ManyModel(ExploreViewModel& explore, QObject* parent = nullptr);
    ~ManyModel() override;

    /// What is averaged.
    enum class What {
        heads,       ///< every head and tile by what it does
        patterns,    ///< how many of a layer's tiles are distinct
        cuts,        ///< what the answers lose without each part
        shares,      ///< what each part adds to the answers' logits
        crossHeads,  ///< cross-head shares, of all scores and of those on the evidence
        lens,        ///< what the answers would be if the model ended earlier
        similarity,  ///< cosine of every two tiles of a layer
        rollout,     ///< what the answers take from other tokens, as attention rollout
        flow         ///< the same, and as attention flow
    };
    struct Asking {
        Side side = Side::right;
        What what = What::heads;
        ModelPart::Kind parts = ModelPart::Kind::tile;  ///< that are switched off
        int examples = 200;                             ///< of the task, from the first on
        QString file;  ///< prompts, one a line, instead of examples; empty: examples
    };
    /// What cannot be asked is said by `hint`.
    void start(const Asking& asking);
    /// Ends with the prompts that are done.
    void stop();
    bool running() const { return job_.busy(); }
    double progress() const;

    /// What is shown, or being worked out; null: nothing.
    const Asking* asked() const { return asked_ ? &asked_->asking : nullptr; }

    /// Whether there are examples to average over: a model from elsewhere has none.
    bool hasTask() const;

    /// What to do, or what went wrong, where there is nothing to show; empty: there is.
    QString hint() const;
    /// What was averaged: the model with what is changed in it, the prompts, its answers; and
    /// whether the column is another one by now.
    QString about() const;
    /// Numbers to choose from, and what each is.
    QStringList measures() const;
    QString measureTip(int measure) const;
    int measure() const { return measure_; }
    void setMeasure(int measure);
    ManyOrder& list() { return list_; }
    const ManyTable& table() const { return table_; }
    /// How alike the tiles of the layer in view are on average; without values where that was not
    /// asked.
    SimilarityShown similarity() const;
    /// Opens the map of a row; false where no map shows it.
    bool open(int row);
    /// Opens the map of a tile or head.
    void open(int layer, const Pattern& map);
    /// All tables as CSV. Error: a file that cannot be written.
    Result<void> exportTo(const QString& path) const;

  signals:
    void changed();

  private:
    /// Whose averages are shown.
    struct Asked {
        Asking asking;
        int seat = 0;
        RunKey run;
        QString name;  ///< of the model with its changes
        QString over;
    };

    Result<ManyPromptsRequest> requestFor(const Asking& asking) const;
    void refuse(const QString& sentence);
    void forgetOthers();
    bool stale() const;
    void publish(Result<ManyAverages> averages);
    const AveragedTable* shownTable() const;

    ExploreViewModel* explore_;
    std::optional<Asked> asked_;
    std::optional<ManyAverages> averages_;
    QString problem_;
    int measure_ = 0;
    ManyTable table_;
    ManyOrder list_;
    std::shared_ptr<std::atomic<double>> progress_;
    std::shared_ptr<std::atomic<bool>> stopped_;
    QTimer beat_;
    LatestJob job_;
};

}  // namespace headloom
