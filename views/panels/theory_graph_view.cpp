#include "views/panels/theory_graph_view.h"

#include "views/theme/focus_ring.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headloom {

TheoryGraphView::TheoryGraphView(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(&theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph and signal"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void TheoryGraphView::setGraph(GraphShown graph) {
    graph_ = std::move(graph);
    update();
}

QString TheoryGraphView::describe(int node) const {
    const QString name = tr("node %1").arg(node);
    if (node < 0 || node >= static_cast<int>(graph_.values.size())) return name;
    return tr("%1: %2").arg(name).arg(
        static_cast<double>(graph_.values[static_cast<std::size_t>(node)]), 0, 'g', 4);
}

QSize TheoryGraphView::sizeHint() const {
    return {theme_->pixels(260), theme_->pixels(260)};
}

QSize TheoryGraphView::minimumSizeHint() const {
    return {theme_->pixels(150), theme_->pixels(150)};
}

double TheoryGraphView::nodeRadius() const {
    const double side = std::min(width(), height());
    return std::clamp(0.8 * side / std::max(1, graph_.nNodes), theme_->px(2.5), theme_->px(13));
}

QPointF TheoryGraphView::place(int node) const {
    const double side = std::min(width(), height());
    const double radius = side / 2 - nodeRadius() - theme_->px(6);
    const double angle =
        2 * std::numbers::pi * node / std::max(1, graph_.nNodes) - std::numbers::pi / 2;
    return {width() / 2.0 + radius * std::cos(angle), height() / 2.0 + radius * std::sin(angle)};
}

int TheoryGraphView::nodeAt(const QPointF& point) const {
    int best = -1;
    double nearest = std::max(nodeRadius(), theme_->px(7));
    for (int node = 0; node < graph_.nNodes; ++node) {
        const QPointF away = place(node) - point;
        const double distance = std::hypot(away.x(), away.y());
        if (distance > nearest) continue;
        nearest = distance;
        best = node;
    }
    return best;
}

void TheoryGraphView::paintEdges(QPainter& painter) const {
    QColor line = theme_->colours().borderStrong;
    if (graph_.edges.size() > 500) line.setAlphaF(0.35F);
    painter.setPen(QPen(line, theme_->px(1)));
    painter.setBrush(line);
    for (const GraphShown::Edge& edge : graph_.edges) {
        const QPointF from = place(edge.from), to = place(edge.to), way = to - from;
        const double length = std::hypot(way.x(), way.y());
        if (length < 1) continue;
        painter.drawLine(from, to);
        if (!edge.oneWay) continue;
        const QPointF along = way / length, across(-along.y(), along.x());
        const double head = std::min(theme_->px(6), length / 4);
        const QPointF middle = from + way / 2 + along * (head / 2);
        painter.drawPolygon(QPolygonF({middle, middle - along * head + across * (head / 2),
                                       middle - along * head - across * (head / 2)}));
    }
}

void TheoryGraphView::paintNode(QPainter& painter, int node, float largest) const {
    const ThemeColours& colours = theme_->colours();
    const auto at = static_cast<std::size_t>(node);
    const float value = at < graph_.values.size() ? graph_.values[at] : 0;
    QColor fill = colours.raised;
    if (value != 0 && largest > 0) {
        const int step = static_cast<int>(127 * std::sqrt(std::abs(value) / largest) + 0.5F);
        fill = QColor::fromRgba(
            theme_->diverging()
                .entries[static_cast<std::size_t>(value < 0 ? 128 - step : 128 + step)]);
    }
    const double radius = nodeRadius();
    const bool start = node == graph_.start;
    painter.setPen(
        QPen(start ? colours.accent : colours.borderStrong, theme_->px(start ? 2.5 : 1)));
    painter.setBrush(fill);
    painter.drawEllipse(place(node), radius, radius);
    if (radius < theme_->px(9)) return;
    painter.setPen(readableOn(fill));
    const QPointF corner(radius, radius);
    painter.drawText(QRectF(place(node) - corner, place(node) + corner), Qt::AlignCenter,
                     QString::number(node));
}

void TheoryGraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme_->font(TextRole::tiny));
    paintEdges(painter);
    float largest = 0;
    for (const float value : graph_.values) largest = std::max(largest, std::abs(value));
    for (int node = 0; node < graph_.nNodes; ++node) paintNode(painter, node, largest);
    paintFocusRing(painter, *this, *theme_);
}

void TheoryGraphView::mouseMoveEvent(QMouseEvent* event) {
    const int node = nodeAt(event->position());
    emit pointed(node < 0 ? QString() : describe(node));
}

void TheoryGraphView::mousePressEvent(QMouseEvent* event) {
    const int node = nodeAt(event->position());
    if (event->button() == Qt::LeftButton && node >= 0) emit nodeChosen(node);
}

void TheoryGraphView::leaveEvent(QEvent*) {
    emit pointed({});
}

void TheoryGraphView::keyPressEvent(QKeyEvent* event) {
    const int nodes = std::max(1, graph_.nNodes);
    if (event->modifiers() != Qt::NoModifier) return QWidget::keyPressEvent(event);
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        return emit nodeChosen((graph_.start + 1) % nodes);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        return emit nodeChosen((graph_.start + nodes - 1) % nodes);
    QWidget::keyPressEvent(event);
}

bool TheoryGraphView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int node = nodeAt(help->pos());
    if (node >= 0)
        QToolTip::showText(help->globalPos(), describe(node), this);
    else
        QToolTip::hideText();
    return true;
}

}  // namespace headloom
