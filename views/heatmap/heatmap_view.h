#pragma once

#include "views/heatmap/map_renderer.h"
#include "views/heatmap/tile_texts.h"
#include "views/theme/theme.h"

#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>

namespace headloom {

class GlCanvas;

enum class RendererChoice {
    automatic,  ///< OpenGL on a real graphics card, else raster
    raster,
    openGl  ///< software OpenGL too; raster where OpenGL cannot be used at all
};

/// Shows a MapSheet: hover and arrow keys read cells, a click selects, the wheel zooms, dragging
/// pans, a double click or 0 shows the whole sheet again.
///
/// Keys: arrows walk cells, Home and End go to the ends of a row, Page Up and Page Down move ten
/// rows, with Ctrl+Home and Ctrl+End to the corners; Tab and Shift+Tab move between tiles; Return
/// clicks; + and - zoom; 0 resets. Ctrl with left or right is left to the window, which steps the
/// chain.
class HeatmapView : public QWidget {
    Q_OBJECT
  public:
    explicit HeatmapView(const Theme& theme, QWidget* parent = nullptr);
    ~HeatmapView() override;

    /// Replaces everything but zoom and pan, which start anew only where the shape differs. A sheet
    /// without a cursor keeps the one there is, as far as it still exists.
    void setSheet(MapSheet sheet);
    const MapSheet& sheet() const { return sheet_; }
    void setScale(const ColourScale& scale);
    const ColourScale& scale() const { return scale_; }

    /// Marks that change more often than the data. None of these emits a signal.
    void setCursorCell(std::optional<MapCell> cell);
    void setSelectedTile(int tile);
    void setLinkedTiles(std::vector<int> tiles);
    void setLinkedToken(int token);

    /// Token labels along the edges. Off by default.
    void setAxesShown(bool shown);
    /// A small picture of a sheet: no text, no cells, no zoom, narrow gaps. A click selects.
    void setPreview(bool preview);
    /// Tiles stand on the page itself, whose colour is between them, and not on a panel.
    void setOnPage(bool onPage);
    /// What stands there while there is nothing to show.
    void setEmptyHint(const QString& hint);

    void setRendererChoice(RendererChoice choice);
    /// Whether OpenGL draws at present.
    bool isOpenGl() const { return canvas_ != nullptr; }

    /// The view as it stands, for a file or the clipboard: always by the raster renderer, sharp at
    /// any ratio of image pixels to logical pixels.
    QImage picture(double pixelRatio);

    /// For a colour bar: how values of this tile (of the selected one, where scales differ) become
    /// colours.
    ValueMapping valueMapping(int tile) const;
    const PixelMapping& mapping() const { return mapping_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Height at which sheet and axes fill this width exactly. Layouts ask for it only where the
    /// size policy says so, which by default it does not: maps shrink to the room there is.
    int heightForWidth(int width) const override;

  public slots:
    void resetZoom();

  signals:
    /// The pointer or the arrow keys are on this cell. The value is NaN where the cell has none;
    /// describeCell says why.
    void cellHovered(int tile, int query, int key, float value);
    void cellLeft();
    void cellClicked(int tile, int query, int key);
    void tileClicked(int tile);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool focusNextPrevChild(bool next) override;

  private:
    void layOut();
    void paintScene(QPainter& painter, MapRenderer& renderer, double deviceRatio);
    void chooseRenderer();
    void paintEmpty(QPainter& painter, double deviceRatio);
    void touch();    ///< the cells look different
    void refresh();  ///< what lies over the cells looks different
    void zoomAt(const QPointF& devicePixel, double factor);
    void moveCursor(std::optional<MapCell> cell, bool byKeys);
    bool walk(QKeyEvent* event);
    double largestCell() const;  ///< device pixels: where zooming in ends
    MapCell keyboardCell() const;
    bool showToolTip(const QPoint& position, const QPoint& global);
    CellColours cellColours() const;
    QRgb ground() const;  ///< between the tiles
    const std::vector<ValueMapping>& mappings() const;
    QPointF toDevice(const QPointF& logical) const { return logical * devicePixelRatioF(); }
    double pixelRatio() const { return devicePixelRatioF() * theme_.scale(); }

    const Theme& theme_;
    MapSheet sheet_;
    ColourScale scale_;
    PixelMapping mapping_;
    QString emptyHint_;
    bool axesShown_ = false, preview_ = false, onPage_ = false;
    bool focusRing_ = false;     // the focus came by keyboard
    bool cursorByKeys_ = false;  // so the pointer's leaving does not take the cursor away
    double laidOutRatio_ = 0;    // device-pixel ratio of mapping_
    std::uint64_t generation_ = 1;
    // made when first asked for, so that a hidden view looks at no data
    mutable std::vector<ValueMapping> mappings_;
    mutable std::uint64_t mappedGeneration_ = 0;
    TileTexts texts_;
    RendererChoice choice_ = RendererChoice::automatic;
    std::unique_ptr<MapRenderer> raster_;
    std::unique_ptr<GlCanvas> canvas_;  // covers the widget while OpenGL draws
    QPointF pressedAt_, draggedTo_;
    bool pressed_ = false, dragging_ = false;
};

}  // namespace headloom
