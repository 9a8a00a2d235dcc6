#pragma once

#include "core/analysis/token_flow.h"
#include "views/viewmodels/job_backend.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/map_ref.h"
#include "views/viewmodels/run_key.h"

#include <QStringList>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace headloom {

class ExploreViewModel;
struct ColumnRun;

/// A map whose lines are drawn, or could be.
struct FlowSource {
    QString name;    ///< "head 1", "q0 k1", "M[0, 1]"; of the whole model: "rollout"
    int colour = 0;  ///< a number a colour is chosen by: of a head, the same everywhere
    bool shown = true;
};

/// A line from a query to a key, above the threshold.
struct FlowLine {
    int source = 0;
    int from = 0, to = 0;
    double weight = 0;
};

/// Queries on the left, keys on the right, and the lines between them.
struct FlowShown {
    QStringList tokens;
    int row = 0;  ///< the current one
    std::vector<int> evidence;
    std::vector<FlowSource> sources;
    std::vector<FlowLine> lines;  ///< the weakest first, to be painted over
    QString formula;              ///< of rollout and flow
    QString hint;                 ///< what to do, where there is nothing to draw
};

/// The Flow instrument as data: what tokens take from one another, in any maps of the layer in view
/// or through all layers. Rollout and flow are worked out by a worker, and only while wanted.
class FlowModel : public QObject {
    Q_OBJECT
  public:
    /// What lines are drawn of.
    enum class Maps {
        heads,  ///< of the layer: the mean over the pseudo-queries of the sum over key families
        tiles,  ///< of the open head
        layerTiles,      ///< of all heads of the layer
        effective,       ///< M[open head, m]
        layerEffective,  ///< all of the layer
        rollout,         ///< through all layers
        flow             ///< the same, as the most that can flow
    };

    explicit FlowModel(ExploreViewModel& explore, QObject* parent = nullptr);

    /// Nothing is worked out while nobody looks.
    void setWanted(bool wanted);
    Side side() const { return side_; }
    void setSide(Side side);
    Maps maps() const { return maps_; }
    void setMaps(Maps maps);
    double threshold() const { return threshold_; }
    void setThreshold(double weight);
    /// Lines of all rows up to the current one, or of that alone; of maps of the layer.
    bool allRows() const { return allRows_; }
    void setAllRows(bool all);
    /// Draws a source's lines or not.
    void setShown(int source, bool shown);
    /// The same for all of them at once.
    void setAllShown(bool shown);

    FlowShown shown() const;

  signals:
    void changed();

  private:
    bool ofEffectiveMaps() const {
        return maps_ == Maps::effective || maps_ == Maps::layerEffective;
    }
    bool throughLayers() const { return maps_ == Maps::rollout || maps_ == Maps::flow; }
    const ColumnRun* column() const;
    void refresh();
    void start(std::shared_ptr<const ChainRun> run, int row);
    void addMaps(const ColumnRun& column, FlowShown& shown) const;
    void addThroughLayers(FlowShown& shown) const;

    ExploreViewModel* explore_;
    bool wanted_ = false, allRows_ = false;
    Side side_ = Side::right;
    Maps maps_ = Maps::heads;
    double threshold_ = 0.1;
    std::set<int> hidden_;  ///< sources that are not drawn
    std::optional<RunKey> asked_;
    std::shared_ptr<const LayeredAttention> attention_;  ///< of asked_; null: not there yet
    std::vector<double> flows_;                          ///< of flowRow_
    int flowRow_ = -1, flowAsked_ = -1;
    QString problem_;
    JobBackend backend_;
    LatestJob job_;
};

}  // namespace headloom
