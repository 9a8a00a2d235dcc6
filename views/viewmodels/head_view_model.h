#pragma once

#include "core/analysis/head_circuits.h"
#include "core/models/model.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/matrix_shown.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace headloom {

/// One circuit, small enough to be drawn.
struct CircuitShown {
    MatrixShown picture;
    std::vector<double> singularValues;  ///< largest first; empty of numbers that are not finite
};

/// The head of a model whose circuits are looked at; a worker multiplies them out.
class HeadViewModel : public QObject {
    Q_OBJECT
  public:
    explicit HeadViewModel(QObject* parent = nullptr);

    /// Null: none. A model with as many layers and heads keeps the choice.
    void setModel(std::shared_ptr<const Model> model);
    const Model* model() const { return model_.get(); }
    int layers() const;
    int heads() const;
    /// Pseudo-heads of the chosen layer; 0 where heads are not interleaved. IHA-lite has 1.
    int pseudos() const;

    int layer() const { return layer_; }
    int head() const { return head_; }
    /// None: the circuit before mixing.
    std::optional<PseudoPair> tile() const { return tile_; }
    /// What is out of range is brought into it.
    void choose(int layer, int head, std::optional<PseudoPair> tile);

    /// None while they are computed, and where there is no such circuit.
    const std::optional<CircuitShown>& circuit(Circuit which) const;
    /// What the circuits are of in words, or why there are none.
    QString text() const;
    bool working() const { return job_.busy(); }
    /// Ends the computation of the circuits.
    void stop();
    bool stopped() const { return stopped_; }
    /// Computes them again, after a stop.
    void computeAgain() { start(); }

  signals:
    /// Another model, layer, head or tile.
    void chosen();
    void computed();

  private:
    void start();

    std::shared_ptr<const Model> model_;
    int layer_ = 0, head_ = 0;
    std::optional<PseudoPair> tile_;
    std::optional<CircuitShown> qk_, ov_;
    QString problem_;
    bool stopped_ = false;
    LatestJob job_;
};

}  // namespace headloom
