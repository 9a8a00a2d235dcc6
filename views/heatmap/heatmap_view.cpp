#include "views/heatmap/heatmap_view.h"

#include "views/heatmap/gl_canvas.h"
#include "views/heatmap/gl_support.h"
#include "views/heatmap/map_axes.h"
#include "views/heatmap/map_overlay.h"
#include "views/heatmap/raster_renderer.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

constexpr double smallestMap = 72;  // design pixels
constexpr double smallestPreview = 36;

}  // namespace

HeatmapView::HeatmapView(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      emptyHint_(tr("No maps yet")),
      raster_(std::make_unique<RasterRenderer>()) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Attention maps"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme_, &Theme::changed, this, [this] {
        layOut();
        touch();
        updateGeometry();
    });
    chooseRenderer();
}

HeatmapView::~HeatmapView() = default;

void HeatmapView::setSheet(MapSheet sheet) {
    Q_ASSERT(static_cast<int>(sheet.tiles.size()) == sheet.tileCount());
    const bool sameShape = sheet.tileRows == sheet_.tileRows &&
                           sheet.tileColumns == sheet_.tileColumns &&
                           sheet.queries == sheet_.queries && sheet.keys == sheet_.keys;
    const std::optional<MapCell> cursor = sheet.cursor ? sheet.cursor : sheet_.cursor;
    sheet.cursor = cursor;
    if (sheet == sheet_) return;
    sheet_ = std::move(sheet);
    sheet_.cursor = cursor && sheet_.contains(*cursor) ? cursor : std::nullopt;
    layOut();
    if (!sameShape) {
        mapping_.fit();
        updateGeometry();
    }
    if (sheet_.cursor) setAccessibleDescription(describeCell(sheet_, *sheet_.cursor));
    touch();
}

void HeatmapView::setScale(const ColourScale& scale) {
    if (scale == scale_) return;
    scale_ = scale;
    touch();
}

void HeatmapView::setCursorCell(std::optional<MapCell> cell) {
    if (cell && !sheet_.contains(*cell)) cell = std::nullopt;
    if (cell == sheet_.cursor) return;
    sheet_.cursor = cell;
    setAccessibleDescription(cell ? describeCell(sheet_, *cell) : QString());
    refresh();
}

void HeatmapView::setSelectedTile(int tile) {
    if (tile == sheet_.selectedTile) return;
    sheet_.selectedTile = tile;
    refresh();
}

void HeatmapView::setLinkedTiles(std::vector<int> tiles) {
    if (tiles == sheet_.linkedTiles) return;
    sheet_.linkedTiles = std::move(tiles);
    refresh();
}

void HeatmapView::setLinkedToken(int token) {
    if (token == sheet_.linkedToken) return;
    sheet_.linkedToken = token;
    refresh();
}

void HeatmapView::setAxesShown(bool shown) {
    axesShown_ = shown;
    layOut();
    updateGeometry();
    refresh();
}

void HeatmapView::setPreview(bool preview) {
    preview_ = preview;
    chooseRenderer();
    layOut();
    mapping_.fit();
    updateGeometry();
    refresh();
}

void HeatmapView::setOnPage(bool onPage) {
    onPage_ = onPage;
    touch();
}

void HeatmapView::setEmptyHint(const QString& hint) {
    emptyHint_ = hint;
    refresh();
}

void HeatmapView::setRendererChoice(RendererChoice choice) {
    choice_ = choice;
    chooseRenderer();
}

void HeatmapView::chooseRenderer() {
    bool wanted = false;
    if (choice_ == RendererChoice::openGl) wanted = glSupport().usable;
    // previews are many and small: one surface each would cost more than it gains
    if (choice_ == RendererChoice::automatic && !preview_) {
        wanted = glSupport().usable && !glSupport().software;
    }
    if (wanted == isOpenGl()) return;
    if (wanted) {
        canvas_ = std::make_unique<GlCanvas>(
            this,
            [this](QPainter& painter, MapRenderer& renderer) {
                paintScene(painter, renderer, devicePixelRatioF());
            },
            [this] { return ground(); });
        canvas_->setGeometry(rect());
        canvas_->show();
    } else {
        canvas_.reset();
    }
    refresh();
}

ValueMapping HeatmapView::valueMapping(int tile) const {
    if (tile < 0 || tile >= sheet_.tileCount()) return {0, scale_.curve, sheet_.isSigned};
    return mappings()[static_cast<std::size_t>(tile)];
}

const std::vector<ValueMapping>& HeatmapView::mappings() const {
    if (mappedGeneration_ != generation_) {
        mappings_ = valueMappingsOf(sheet_, scale_);
        mappedGeneration_ = generation_;
    }
    return mappings_;
}

void HeatmapView::resetZoom() {
    mapping_.fit();
    refresh();
}

void HeatmapView::touch() {
    ++generation_;
    refresh();
}

void HeatmapView::refresh() {
    if (canvas_)
        canvas_->update();
    else
        update();
}

void HeatmapView::layOut() {
    const double ratio = pixelRatio();
    const bool wasFitted = std::fabs(mapping_.cell - mapping_.fittedCell()) < 1e-9;
    laidOutRatio_ = devicePixelRatioF();
    mapping_.takeShape(sheet_);
    const int edge = static_cast<int>(std::ceil((preview_ ? 1 : 3) * ratio));
    QMargins margins(edge, edge, edge, edge);
    if (axesShown_ && !preview_ && !sheet_.isEmpty()) {
        margins += MapAxes(theme_, sheet_, ratio).room();
    }
    const QRect whole(0, 0, qRound(width() * devicePixelRatioF()),
                      qRound(height() * devicePixelRatioF()));
    mapping_.area = whole.marginsRemoved(margins);
    if (mapping_.area.width() < 1 || mapping_.area.height() < 1) mapping_.area = QRect(0, 0, 1, 1);
    mapping_.gap = std::max(1, static_cast<int>((preview_ ? 1.5 : 5) * ratio));
    mapping_.band = 0;
    if (sheet_.captions == CaptionPlacement::above && !preview_) {
        mapping_.band = static_cast<int>(19 * ratio);
    }
    if (wasFitted)
        mapping_.fit();
    else
        mapping_.zoomAt(QPointF(mapping_.area.center()), 1, largestCell());
}

QRgb HeatmapView::ground() const {
    return (onPage_ ? theme_.colours().window : theme_.colours().panel).rgb();
}

CellColours HeatmapView::cellColours() const {
    const ThemeColours& c = theme_.colours();
    return {sheet_.isSigned ? theme_.diverging() : theme_.shares(),
            ground(),
            c.masked.rgb(),
            c.sink.rgb(),
            c.notANumber.rgb(),
            c.hatchGround.rgb(),
            c.hatchLine.rgb(),
            c.cellLine.rgb()};
}

void HeatmapView::resizeEvent(QResizeEvent*) {
    layOut();
    if (canvas_) canvas_->setGeometry(rect());
}

void HeatmapView::paintEvent(QPaintEvent*) {
    if (canvas_) return;
    QPainter painter(this);
    paintScene(painter, *raster_, devicePixelRatioF());
}

QImage HeatmapView::picture(double pixelRatio) {
    QImage image((QSizeF(size()) * pixelRatio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(pixelRatio);
    image.fill(ground());
    RasterRenderer renderer;
    QPainter painter(&image);
    paintScene(painter, renderer, pixelRatio);
    return image;
}

void HeatmapView::paintScene(QPainter& painter, MapRenderer& renderer, double deviceRatio) {
    if (laidOutRatio_ != devicePixelRatioF()) layOut();  // moved to another screen
    painter.scale(1 / deviceRatio, 1 / deviceRatio);
    if (sheet_.isEmpty()) {
        paintEmpty(painter, deviceRatio);
        return;
    }
    // A picture for a file may have another pixel ratio than the screen.
    const double extra = deviceRatio / laidOutRatio_;
    const PixelMapping mapping = extra == 1 ? mapping_ : mapping_.scaledBy(extra);
    const CellColours colours = cellColours();
    const double ratio = deviceRatio * theme_.scale();
    const MapScene scene{sheet_, scale_, mapping, colours, mappings(), ratio, generation_};
    renderer.draw(painter, scene);
    const MapOverlay overlay(theme_, scene, texts_);
    if (onPage_) overlay.drawOutlines(painter);
    overlay.draw(painter, preview_);
    if (axesShown_ && !preview_) MapAxes(theme_, sheet_, ratio).draw(painter, mapping);
    if (hasFocus() && focusRing_) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme_.colours().accent, 1.5 * ratio));
        painter.setBrush(Qt::NoBrush);
        const double inset = 0.75 * ratio;
        painter.drawRoundedRect(QRectF(0, 0, width() * deviceRatio, height() * deviceRatio)
                                    .adjusted(inset, inset, -inset, -inset),
                                3 * ratio, 3 * ratio);
    }
}

void HeatmapView::paintEmpty(QPainter& painter, double deviceRatio) {
    painter.scale(deviceRatio, deviceRatio);
    painter.setFont(theme_.font(TextRole::body));
    painter.setPen(theme_.colours().textFaint);
    painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, emptyHint_);
}

double HeatmapView::largestCell() const {
    return 96 * pixelRatio();
}

QSize HeatmapView::minimumSizeHint() const {
    const int side = theme_.pixels(preview_ ? smallestPreview : smallestMap);
    return QSize(side, side);
}

QSize HeatmapView::sizeHint() const {
    const int side = theme_.pixels(preview_ ? 120 : 360);
    return QSize(side, sheet_.isEmpty() ? side : heightForWidth(side));
}

int HeatmapView::heightForWidth(int width) const {
    if (sheet_.isEmpty()) return width;
    const double ratio = devicePixelRatioF();
    PixelMapping mapping = mapping_;
    const int around = qRound(this->width() * ratio) - mapping_.area.width();
    const int above = qRound(height() * ratio) - mapping_.area.height();
    mapping.area = QRect(0, 0, std::max(1, qRound(width * ratio) - around), 1 << 20);
    mapping.cell = mapping.fittedCell();
    return static_cast<int>(std::ceil((mapping.height() + above) / ratio));
}

}  // namespace headloom
