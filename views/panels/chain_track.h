#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/chain_steps.h"

#include <QWidget>

#include <vector>

namespace headloom {

class ExploreViewModel;

/// The chain as a table: a column a step, the true token over what each model says and how sure it
/// is. A wrong token is red, what follows from it dim.
class ChainTrack : public QWidget {
    Q_OBJECT
  public:
    ChainTrack(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void refresh();
    void follow();
    void layOut();
    void scrollToCurrent();
    int stepAt(const QPointF& point) const;
    QRectF place(int step) const;
    double rowHeight() const { return theme_->px(22); }
    void drawStep(QPainter& painter, int index) const;
    void drawMark(QPainter& painter, const ChainMark& mark, const QRectF& box,
                  const QColor& colour) const;

    ExploreViewModel* model_;
    const Theme* theme_;
    int hovered_ = -1;
    int current_ = -1;  ///< the step that is drawn as the current one
    double cellWidth_ = 0, tokenWidth_ = 0;
    double scroll_ = 0;
};

}  // namespace headloom
