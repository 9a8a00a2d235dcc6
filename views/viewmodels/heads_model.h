#pragma once

#include "core/session/head_survey.h"
#include "views/viewmodels/heads_table.h"
#include "views/viewmodels/job_backend.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"
#include "views/viewmodels/run_key.h"
#include "views/viewmodels/similarity_shown.h"

#include <memory>
#include <optional>
#include <vector>

namespace headloom {

class ExploreViewModel;

/// The Heads instrument as data: all heads and tiles of a column's model by what they do, and how
/// alike the patterns of the layer in view are. A worker looks at the heads, and only while they
/// are wanted.
class HeadsModel : public QObject {
    Q_OBJECT
  public:
    explicit HeadsModel(ExploreViewModel& explore, QObject* parent = nullptr);

    /// Nothing is worked out while nobody looks.
    void setWanted(bool wanted);

    Side side() const { return side_; }
    void setSide(Side side);
    PatternKind kind() const { return kind_; }
    void setKind(PatternKind kind);
    double similar() const { return thresholds_.similar; }
    void setSimilar(double cosine);

    bool busy() const { return job_.busy(); }
    /// What to do, or what went wrong, where there is no list; empty: there is one.
    QString hint() const;
    HeadsOrder& list() { return list_; }
    SimilarityShown similarity() const;
    /// Of a figure of it, for any thread.
    std::function<std::vector<std::string>()> provenance() const;

    /// Opens a map of the column.
    void open(int layer, const Pattern& pattern);

  signals:
    void changed();

  private:
    /// What decides the answer: a run of the same is not looked at again.
    struct Asked {
        RunKey run;
        PatternKind kind = PatternKind::tiles;
        bool operator==(const Asked&) const = default;
        /// The same heads over the same tokens, if with other numbers.
        bool sameHeads(const Asked& other) const;
    };

    void refresh();
    void start(std::shared_ptr<const ChainRun> run);
    void publish(std::vector<LayerSurvey> surveys, const QString& problem);
    const LayerSurvey* surveyInView() const;

    ExploreViewModel* explore_;
    bool wanted_ = false;
    Side side_ = Side::right;
    PatternKind kind_ = PatternKind::tiles;
    RedundancyThresholds thresholds_;
    std::optional<Asked> asked_;
    std::vector<LayerSurvey> surveys_;  ///< a layer each; empty: none yet
    QString problem_;
    HeadsTable table_;
    HeadsOrder list_;
    JobBackend backend_;
    LatestJob job_;
};

}  // namespace headloom
