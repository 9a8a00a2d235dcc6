#include "views/panels/head_grid_view.h"

#include "views/heatmap/colour_scale.h"
#include "views/viewmodels/explore_view_model.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr double smallestMap = 11;  // design pixels: below, a map is a smudge
constexpr double largestCell = 120;

ScaleCurve scaleCurve(DisplayOptions::Curve curve) {
    return curve == DisplayOptions::Curve::linear ? ScaleCurve::linear
           : curve == DisplayOptions::Curve::sqrt ? ScaleCurve::squareRoot
                                                  : ScaleCurve::logarithmic;
}

}  // namespace

HeadGridView::HeadGridView(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(&model), side_(side), theme_(&theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(side == Side::left ? tr("All heads of the left model")
                                         : tr("All heads of the right model"));
    const auto renew = [this] {
        forget();
        update();
    };
    connect(&model.session(), &ExploreSession::gridChanged, this, [this](Side changed) {
        if (changed != side_) return;
        if (model_->session().grid(side_).firstMissing() == 0) forget();
        update();
    });
    connect(&model.display(), &DisplayOptions::changed, this, renew);
    connect(&theme, &Theme::changed, this, renew);
    connect(&model.selection(), &Selection::stepChanged, this, [this, renew] {
        if (measure() == DisplayOptions::Measure::evidence) renew();
    });
    connect(&model.selection(), &Selection::openChanged, this, qOverload<>(&QWidget::update));
    connect(&model.selection(), &Selection::layerChanged, this, qOverload<>(&QWidget::update));
}

QSize HeadGridView::sizeHint() const {
    return {theme_->pixels(360), theme_->pixels(360)};
}

QSize HeadGridView::minimumSizeHint() const {
    return {theme_->pixels(72), theme_->pixels(72)};
}

void HeadGridView::forget() {
    drawn_.clear();
    image_ = {};
}

void HeadGridView::resizeEvent(QResizeEvent*) {
    forget();
}

void HeadGridView::layOut() {
    const HeadGrid& grid = model_->session().grid(side_);
    const QFontMetricsF metrics(theme_->font(TextRole::small));
    left_ = metrics.horizontalAdvance(tr("layer")) + theme_->px(10);
    top_ = 2 * metrics.height() + theme_->px(12);
    const double across = (width() - left_ - theme_->px(4)) / std::max(1, grid.heads);
    const double down = (height() - top_ - theme_->px(4)) / std::max(1, grid.layers);
    // whole device pixels, so that every cell is as sharp as the next
    const double ratio = devicePixelRatioF();
    cell_ = std::max(2.0, std::floor(std::min({across, down, theme_->px(largestCell)}) * ratio)) /
            ratio;
}

DisplayOptions::Measure HeadGridView::measure() const {
    const DisplayOptions::Measure wanted = model_->display().values().measure;
    return wanted == DisplayOptions::Measure::map && cell_ < theme_->px(smallestMap)
               ? DisplayOptions::Measure::distance
               : wanted;
}

QString HeadGridView::caption() const {
    const HeadGrid& grid = model_->session().grid(side_);
    QString words;
    switch (measure()) {
        case DisplayOptions::Measure::map:
            words = tr("the map of every head; strongest cell of each block");
            break;
        case DisplayOptions::Measure::distance:
            words = tr("mean attention distance, full colour at half the %1 tokens").arg(grid.rows);
            break;
        case DisplayOptions::Measure::first:
            words = tr("mass on the first token, mean of the rows after it");
            break;
        case DisplayOptions::Measure::evidence:
            words = tr("mass on the evidence of row %1").arg(model_->selection().step());
            break;
    }
    if (measure() != model_->display().values().measure)
        words = tr("cells too small for maps: %1").arg(words);
    const int missing = grid.firstMissing();
    return missing < 0 ? words
                       : tr("%1 · layer %2 of %3…").arg(words).arg(missing).arg(grid.layers);
}

QRectF HeadGridView::rectOf(const Place& place) const {
    return {left_ + place.head * cell_, top_ + place.layer * cell_, cell_, cell_};
}

std::optional<HeadGridView::Place> HeadGridView::placeAt(const QPointF& point) const {
    const HeadGrid& grid = model_->session().grid(side_);
    if (cell_ <= 0 || point.x() < left_ || point.y() < top_) return std::nullopt;
    const Place place{static_cast<int>((point.y() - top_) / cell_),
                      static_cast<int>((point.x() - left_) / cell_)};
    if (place.layer >= grid.layers || place.head >= grid.heads) return std::nullopt;
    return place;
}

ValueMapping HeadGridView::mapping(const DisplayOptions::Values& shown) {
    return {1, scaleCurve(shown.curve), false};
}

QRgb HeadGridView::colourOf(double share) const {
    const int entry = mapping(model_->display().values()).indexOf(static_cast<float>(share));
    return theme_->shares().entries[static_cast<std::size_t>(entry)];
}

void HeadGridView::drawCell(QPainter& painter, int layer, int head) const {
    const QRectF whole(head * cell_, layer * cell_, cell_, cell_);
    const double gap = cell_ >= theme_->px(smallestMap) ? theme_->px(1) : 0.5;
    const QRectF box = whole.adjusted(0, 0, -gap, -gap);
    if (measure() != DisplayOptions::Measure::map) {
        const auto share = model_->gridValue(side_, layer, head, measure());
        painter.fillRect(box, share ? QColor(colourOf(*share)) : theme_->colours().masked);
        return;
    }
    const HeadCell& cell = *model_->session().grid(side_).find(layer, head);
    const DisplayOptions::Values& shown = model_->display().values();
    float most = 1;
    if (!shown.sharedScale && !cell.thumbnail.empty())
        most = std::max(1e-6F, *std::max_element(cell.thumbnail.begin(), cell.thumbnail.end()));
    QImage map(cell.side, cell.side, QImage::Format_RGB32);
    for (int row = 0; row < cell.side; ++row)
        for (int key = 0; key < cell.side; ++key) {
            const float value = cell.thumbnail[static_cast<std::size_t>(row * cell.side + key)];
            const bool sink = shown.hideSink && key == 0;
            map.setPixel(key, row,
                         sink         ? theme_->colours().sink.rgb()
                         : value == 0 ? theme_->colours().masked.rgb()
                                      : colourOf(double{value / most}));
        }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, cell_ * devicePixelRatioF() < cell.side);
    painter.drawImage(box, map);
}

/// Layers that have come since the image was drawn last.
void HeadGridView::drawMissing() {
    const HeadGrid& grid = model_->session().grid(side_);
    const double ratio = devicePixelRatioF();
    const QSize wanted(static_cast<int>(std::ceil(grid.heads * cell_ * ratio)),
                       static_cast<int>(std::ceil(grid.layers * cell_ * ratio)));
    if (image_.size() != wanted || static_cast<int>(drawn_.size()) != grid.layers) {
        image_ = QImage(wanted, QImage::Format_RGB32);
        image_.fill(theme_->colours().border);  // what parts the cells
        drawn_.assign(static_cast<std::size_t>(grid.layers), false);
    }
    if (image_.isNull()) return;
    QPainter painter(&image_);
    painter.scale(ratio, ratio);
    for (int layer = 0; layer < grid.layers; ++layer) {
        if (drawn_[static_cast<std::size_t>(layer)] || !grid.find(layer, 0)) continue;
        for (int head = 0; head < grid.heads; ++head) drawCell(painter, layer, head);
        drawn_[static_cast<std::size_t>(layer)] = true;
    }
}

void HeadGridView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const HeadGrid& grid = model_->session().grid(side_);
    if (grid.layers == 0) {
        painter.setFont(theme_->font(TextRole::body));
        painter.setPen(theme_->colours().textFaint);
        painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No model stands here yet. Choose one above, or open a file"));
        return;
    }
    layOut();
    drawMissing();
    painter.drawImage(QRectF(QPointF(left_, top_), QSizeF(image_.size()) / devicePixelRatioF()),
                      image_);
    drawLabels(painter);
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto frame = [&](const Place& place, const QColor& colour) {
        painter.setPen(QPen(colour, theme_->px(2)));
        painter.drawRect(rectOf(place).adjusted(-1, -1, 0, 0));
    };
    frame({std::min(model_->selection().layer(), grid.layers - 1),
           std::min(model_->selection().open(side_).head, grid.heads - 1)},
          theme_->colours().accent);
    if (pointed_ && pointed_->layer < grid.layers && pointed_->head < grid.heads)
        frame(*pointed_, theme_->colours().outline);
}

void HeadGridView::drawLabels(QPainter& painter) const {
    const HeadGrid& grid = model_->session().grid(side_);
    const QFontMetricsF metrics(theme_->font(TextRole::small));
    painter.setFont(theme_->font(TextRole::small));
    painter.setPen(theme_->colours().textSoft);
    const QString words = metrics.elidedText(caption(), Qt::ElideRight, width() - theme_->px(8));
    painter.drawText(QPointF(theme_->px(4), metrics.ascent() + theme_->px(2)), words);
    const double line = top_ - theme_->px(4) - metrics.descent();
    painter.drawText(QPointF(theme_->px(2), line), tr("layer"));
    const auto every = [&](double room) {
        int step = 1;
        while (step * cell_ < room) step = step == 1 ? 2 : step == 2 ? 5 : step * 2;
        return step;
    };
    const int heads = every(metrics.horizontalAdvance(QString::number(grid.heads)) + theme_->px(6));
    for (int head = 0; head < grid.heads; head += heads)
        painter.drawText(QRectF(left_ + head * cell_ - 50, line - metrics.ascent(), cell_ + 100,
                                metrics.height()),
                         Qt::AlignCenter, QString::number(head));
    const int layers = every(metrics.height());
    for (int layer = 0; layer < grid.layers; layer += layers)
        painter.drawText(QRectF(0, top_ + layer * cell_ - 50, left_ - theme_->px(6), cell_ + 100),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(layer));
}

void HeadGridView::point(std::optional<Place> place) {
    if (place == pointed_) return;
    pointed_ = place;
    const QString words = place ? model_->gridWords(side_, place->layer, place->head) : QString();
    setAccessibleDescription(words);
    model_->setPointedText(words);
    update();
}

void HeadGridView::open(const Place& place) {
    model_->setPointedText({});
    model_->openHead(side_, place.layer, place.head);
}

void HeadGridView::mouseMoveEvent(QMouseEvent* event) {
    point(placeAt(event->position()));
}

void HeadGridView::mousePressEvent(QMouseEvent* event) {
    const auto place = placeAt(event->position());
    if (place && event->button() == Qt::LeftButton) open(*place);
}

void HeadGridView::leaveEvent(QEvent*) {
    point(std::nullopt);
}

void HeadGridView::focusOutEvent(QFocusEvent* event) {
    point(std::nullopt);
    QWidget::focusOutEvent(event);
}

void HeadGridView::keyPressEvent(QKeyEvent* event) {
    const HeadGrid& grid = model_->session().grid(side_);
    Place place =
        pointed_.value_or(Place{model_->selection().layer(), model_->selection().open(side_).head});
    const bool walks = event->modifiers() == Qt::NoModifier && grid.layers > 0;
    switch (walks ? event->key() : 0) {
        case Qt::Key_Left:
            --place.head;
            break;
        case Qt::Key_Right:
            ++place.head;
            break;
        case Qt::Key_Up:
            --place.layer;
            break;
        case Qt::Key_Down:
            ++place.layer;
            break;
        case Qt::Key_Home:
            place.head = 0;
            break;
        case Qt::Key_End:
            place.head = grid.heads - 1;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return open(place);
        default:
            return QWidget::keyPressEvent(event);
    }
    point(Place{std::clamp(place.layer, 0, grid.layers - 1),
                std::clamp(place.head, 0, grid.heads - 1)});
}

bool HeadGridView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto place = placeAt(help->pos()))
        QToolTip::showText(help->globalPos(), model_->gridWords(side_, place->layer, place->head),
                           this);
    return true;
}

}  // namespace headloom
