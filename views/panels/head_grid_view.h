#pragma once

#include "views/heatmap/colour_scale.h"
#include "views/theme/theme.h"
#include "views/viewmodels/display_options.h"
#include "views/viewmodels/head_grid.h"
#include "views/viewmodels/map_ref.h"

#include <QImage>
#include <QWidget>

#include <optional>
#include <vector>

namespace headloom {

class ExploreViewModel;

/// Every head of a column's model in small, layers down and heads across: its map, or one number of
/// it as a colour. Arrow keys walk the heads, Return or a click opens one. Cells are drawn once
/// into an image, layer by layer as they come.
class HeadGridView : public QWidget {
    Q_OBJECT
  public:
    HeadGridView(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// What the cells show: maps only where they are large enough for them.
    DisplayOptions::Measure measure() const;
    /// Shares to places of the colour table, the same for every head.
    static ValueMapping mapping(const DisplayOptions::Values& shown);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Place {
        int layer = 0, head = 0;
        bool operator==(const Place&) const = default;
    };
    void forget();
    void layOut();
    void drawMissing();
    void drawCell(QPainter& painter, int layer, int head) const;
    QRgb colourOf(double share) const;
    QRectF rectOf(const Place& place) const;
    std::optional<Place> placeAt(const QPointF& point) const;
    void point(std::optional<Place> place);
    void open(const Place& place);
    void drawLabels(QPainter& painter) const;
    QString caption() const;

    ExploreViewModel* model_;
    Side side_;
    const Theme* theme_;
    double left_ = 0, top_ = 0, cell_ = 0;  ///< logical pixels
    QImage image_;                          ///< of all cells
    std::vector<bool> drawn_;               ///< layers that are in it
    std::optional<Place> pointed_;
};

}  // namespace headloom
