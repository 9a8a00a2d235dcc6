// How a HeatmapView answers pointer and keyboard.
#include "views/heatmap/heatmap_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {
namespace {

/// The window or a menu takes the focus for a while and gives it back.
bool isOnlyAway(Qt::FocusReason reason) {
    return reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason ||
           reason == Qt::MenuBarFocusReason;
}

}  // namespace

bool HeatmapView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (!showToolTip(help->pos(), help->globalPos())) {
            QToolTip::hideText();
            event->ignore();
        }
        return true;
    }
    return QWidget::event(event);
}

bool HeatmapView::showToolTip(const QPoint& position, const QPoint& global) {
    const QPointF pixel = toDevice(position);
    const std::optional<int> tile = mapping_.tileAt(pixel);
    if (!tile || sheet_.isEmpty()) return false;
    QStringList lines;
    const QString about = sheet_.tiles[static_cast<std::size_t>(*tile)].toolTip;
    if (!about.isEmpty()) lines << about;
    const std::optional<MapCell> cell = mapping_.cellAt(pixel);
    if (cell && !preview_) lines << describeCell(sheet_, *cell);
    if (lines.isEmpty()) return false;
    const QRect spot = preview_ ? mapping_.tileRect(*tile)
                                : mapping_.cellRect(cell.value_or(MapCell{*tile, 0, 0}));
    const double ratio = devicePixelRatioF();
    const QRect logical(QPointF(spot.x() / ratio, spot.y() / ratio).toPoint(),
                        QSize(std::max(1, qRound(spot.width() / ratio)),
                              std::max(1, qRound(spot.height() / ratio))));
    QToolTip::showText(global, lines.join(QLatin1Char('\n')), this, logical);
    return true;
}

void HeatmapView::moveCursor(std::optional<MapCell> cell, bool byKeys) {
    cursorByKeys_ = byKeys && cell.has_value();
    if (cell == sheet_.cursor) return;
    setCursorCell(cell);
    if (!cell) {
        emit cellLeft();
        return;
    }
    const CellReading reading = readCell(sheet_, *cell);
    const bool hasValue = reading.kind == CellKind::value || reading.kind == CellKind::notFinite;
    emit cellHovered(cell->tile, cell->query, cell->key,
                     hasValue ? reading.value : std::numeric_limits<float>::quiet_NaN());
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (pressed_ && !preview_) {
        if (!dragging_ &&
            (at - pressedAt_).manhattanLength() >= QApplication::startDragDistance()) {
            dragging_ = true;
            draggedTo_ = pressedAt_;
            setCursor(Qt::ClosedHandCursor);
        }
        if (dragging_) {
            const QPointF moved = toDevice(at - draggedTo_);
            mapping_.panBy(moved.x(), moved.y());
            draggedTo_ = at;
            refresh();
            return;
        }
    }
    if (!preview_) moveCursor(mapping_.cellAt(toDevice(at)), false);
}

void HeatmapView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        event->ignore();
        return;
    }
    if (focusRing_) {
        focusRing_ = false;
        refresh();
    }
    pressed_ = true;
    dragging_ = false;
    pressedAt_ = event->position();
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    pressed_ = false;
    if (dragging_) {
        dragging_ = false;
        unsetCursor();
        return;
    }
    const QPointF pixel = toDevice(event->position());
    const std::optional<int> tile = mapping_.tileAt(pixel);
    if (!tile || sheet_.isEmpty()) return;
    emit tileClicked(*tile);
    const std::optional<MapCell> cell = mapping_.cellAt(pixel);
    if (cell && !preview_) emit cellClicked(cell->tile, cell->query, cell->key);
}

void HeatmapView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && !preview_) resetZoom();
}

void HeatmapView::wheelEvent(QWheelEvent* event) {
    const double turned = event->angleDelta().y() / 120.0;
    if (preview_ || sheet_.isEmpty() || turned == 0) {
        event->ignore();  // a scroll area around may want it
        return;
    }
    zoomAt(toDevice(event->position()), std::pow(1.25, turned));
    moveCursor(mapping_.cellAt(toDevice(event->position())), false);
}

void HeatmapView::zoomAt(const QPointF& devicePixel, double factor) {
    mapping_.zoomAt(devicePixel, factor, largestCell());
    refresh();
}

void HeatmapView::leaveEvent(QEvent*) {
    if (!cursorByKeys_) moveCursor(std::nullopt, false);
}

MapCell HeatmapView::keyboardCell() const {
    if (sheet_.cursor) return *sheet_.cursor;
    return {std::max(0, sheet_.selectedTile), std::max(0, sheet_.currentRow), 0};
}

void HeatmapView::keyPressEvent(QKeyEvent* event) {
    if (sheet_.isEmpty() || preview_) {
        const bool click = event->key() == Qt::Key_Return || event->key() == Qt::Key_Space;
        if (click && preview_ && !sheet_.isEmpty())
            emit tileClicked(std::max(0, sheet_.selectedTile));
        else
            QWidget::keyPressEvent(event);
        return;
    }
    if (!focusRing_) {
        focusRing_ = true;
        refresh();
    }
    const MapCell cell = keyboardCell();
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus: {
            const QRect spot = mapping_.cellRect(cell);
            zoomAt(QRectF(spot).center(), event->key() == Qt::Key_Minus ? 0.8 : 1.25);
            return;
        }
        case Qt::Key_0:
            resetZoom();
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit tileClicked(cell.tile);
            emit cellClicked(cell.tile, cell.query, cell.key);
            return;
        case Qt::Key_Escape:
            if (!sheet_.cursor) break;
            moveCursor(std::nullopt, true);
            return;
        default:
            if (walk(event)) return;
    }
    QWidget::keyPressEvent(event);
}

bool HeatmapView::walk(QKeyEvent* event) {
    MapCell cell = keyboardCell();
    const bool control = event->modifiers() & Qt::ControlModifier;
    const int lastRow = sheet_.knownRows() - 1;
    if (!sheet_.cursor) {
        // the first press shows where one stands
        const bool isArrow = event->key() >= Qt::Key_Left && event->key() <= Qt::Key_Down;
        if (isArrow && !control) {
            moveCursor(cell, true);
            return true;
        }
    }
    switch (event->key()) {
        case Qt::Key_Left:
            cell.key -= 1;
            break;
        case Qt::Key_Right:
            cell.key += 1;
            break;
        case Qt::Key_Up:
            cell.query -= 1;
            break;
        case Qt::Key_Down:
            cell.query += 1;
            break;
        case Qt::Key_PageUp:
            cell.query -= 10;
            break;
        case Qt::Key_PageDown:
            cell.query += 10;
            break;
        case Qt::Key_Home:
            cell.key = 0;
            if (control) cell.query = 0;
            break;
        case Qt::Key_End:
            if (control) cell.query = lastRow;
            cell.key = sheet_.keys - 1;
            break;
        default:
            return false;
    }
    if (control && event->key() != Qt::Key_Home && event->key() != Qt::Key_End) return false;
    cell.query = std::clamp(cell.query, 0, std::max(0, lastRow));
    // keys walk over what can have a value, not over the masked triangle
    const MapTile& tile = sheet_.tiles[static_cast<std::size_t>(cell.tile)];
    int last = std::clamp(cell.key, 0, sheet_.keys - 1);
    const int first = tile.window > 0 ? std::max(0, cell.query - tile.window + 1) : 0;
    while (last > first && tile.isMasked(cell.query, last)) --last;
    cell.key = std::max(last, std::min(first, sheet_.keys - 1));
    moveCursor(cell, true);
    mapping_.reveal(cell);
    refresh();
    return true;
}

void HeatmapView::focusInEvent(QFocusEvent* event) {
    const Qt::FocusReason reason = event->reason();
    if (isOnlyAway(reason)) return;
    focusRing_ = reason != Qt::MouseFocusReason;
    if (!sheet_.isEmpty() && !preview_) {
        MapCell cell = keyboardCell();
        if (reason == Qt::TabFocusReason) cell.tile = 0;
        if (reason == Qt::BacktabFocusReason) cell.tile = sheet_.tileCount() - 1;
        if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason) {
            moveCursor(cell, true);
        }
    }
    refresh();
}

void HeatmapView::focusOutEvent(QFocusEvent* event) {
    if (isOnlyAway(event->reason())) return;
    focusRing_ = false;
    if (cursorByKeys_) moveCursor(std::nullopt, true);
    refresh();
}

bool HeatmapView::focusNextPrevChild(bool next) {
    if (!sheet_.isEmpty() && !preview_ && hasFocus()) {
        MapCell cell = keyboardCell();
        cell.tile += next ? 1 : -1;
        if (sheet_.contains(cell)) {
            moveCursor(cell, true);
            mapping_.reveal(cell);
            refresh();
            return true;
        }
    }
    return QWidget::focusNextPrevChild(next);
}

}  // namespace headloom
