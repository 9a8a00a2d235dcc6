#pragma once

#include "views/viewmodels/map_ref.h"

#include <QObject>

#include <array>
#include <optional>

namespace headloom {

/// What the user looks at: one shared object that every panel watches. Setters that change nothing
/// signal nothing.
class Selection : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    int layer() const { return layer_; }
    /// The step as a row of the maps: the token that is being fed.
    int step() const { return step_; }
    /// The chosen map of a column: its head is the open head, its (p, r) the open tile.
    const MapRef& open(Side side) const { return open_[static_cast<std::size_t>(indexOf(side))]; }
    /// The cell under the pointer or walked to; both columns show its query and key.
    const std::optional<CellRef>& cell() const { return cell_; }
    /// The token whose column and row are lit in every map; -1: none.
    int hoveredToken() const { return hoveredToken_; }
    /// The mixing weight that was clicked last; none while a tile is what is followed.
    const std::optional<WeightRef>& weight() const { return weight_; }

    void setLayer(int layer);
    void setStep(int row);
    /// Also lets go of a clicked weight: the tile is followed now.
    void setOpen(Side side, const MapRef& map);
    void setCell(const std::optional<CellRef>& cell);
    void setHoveredToken(int token);
    void setWeight(const std::optional<WeightRef>& weight);

  signals:
    void layerChanged();
    void stepChanged();
    void openChanged(headloom::Side side);
    void cellChanged();
    void hoveredTokenChanged();
    void weightChanged();

  private:
    int layer_ = 0;
    int step_ = 0;
    std::array<MapRef, 2> open_;
    std::optional<CellRef> cell_;
    int hoveredToken_ = -1;
    std::optional<WeightRef> weight_;
};

}  // namespace headloom
