#pragma once

#include "views/heatmap/heatmap_view.h"
#include "views/viewmodels/map_ref.h"

#include <QFrame>

class QToolButton;

namespace headloom {

class ExploreViewModel;
class MassGrid;

/// One head of an IHA layer in small: its tiles and their masses. A click opens it.
class HeadCard : public QFrame {
    Q_OBJECT
  public:
    HeadCard(ExploreViewModel& model, Side side, int head, const Theme& theme,
             QWidget* parent = nullptr);

    /// Shows the present step.
    void refresh();
    void setScale(const ColourScale& scale) { picture_->setScale(scale); }
    const MapSheet& sheet() const { return picture_->sheet(); }
    /// Places picture and numbers one above the other or side by side, whatever the size allows.
    void fit(const QSize& size);

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void open();
    void followOpen();

    ExploreViewModel* model_;
    Side side_;
    int head_;
    const Theme* theme_;
    QToolButton* title_;
    HeatmapView* picture_;
    MassGrid* masses_;
};

}  // namespace headloom
