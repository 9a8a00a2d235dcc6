#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/theory_look_back_model.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QLabel;

namespace headloom {

class HeatmapView;
class OffsetBars;

/// An arm of the look-back bank: what it is and can do, and its maps in two rows, each with what it
/// takes from how far back.
class TheoryLookBackColumn : public QWidget {
    Q_OBJECT
  public:
    explicit TheoryLookBackColumn(const Theme& theme, QWidget* parent = nullptr);

    /// `model` for what all columns share.
    void show(const LookBackColumn& column, const TheoryLookBackModel& model,
              const LookBackScale& scale);
    /// Maps side by side, so that columns can be given widths at which all maps are of one size.
    int mapsAcross() const { return across_; }
    HeatmapView& map(int index) { return *cells_.at(static_cast<std::size_t>(index)).map; }
    OffsetBars& bars(int index) { return *cells_.at(static_cast<std::size_t>(index)).bars; }

  signals:
    void pointed(const QString& words);

  private:
    struct Cell {
        HeatmapView* map;
        OffsetBars* bars;
    };
    Cell makeCell();
    void arrange(int count);
    void describe(const LookBackColumn& column, int reach);

    const Theme* theme_;
    QLabel *title_, *facts_, *mixes_;
    QGridLayout* grid_;
    std::vector<Cell> cells_;  ///< those in view, and after them some that are hidden
    int shown_ = -1, across_ = 1;
};

}  // namespace headloom
