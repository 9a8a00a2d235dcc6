#include "views/heatmap/matrix_view.h"

#include "views/heatmap/colour_scale.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headloom {
namespace {

QString numberText(float value, int decimals, bool leadingZero) {
    if (!std::isfinite(value)) return leadingZero ? QStringLiteral("NaN") : QStringLiteral("?");
    QString text = QString::number(value, 'f', decimals);
    // a rounded zero has no sign
    if (text.startsWith(QLatin1Char('-')) && text.toDouble() == 0) text.remove(0, 1);
    if (!leadingZero && std::fabs(value) < 0.95) text.remove(text.indexOf(QLatin1Char('0')), 1);
    return text.replace(QLatin1Char('-'), QStringLiteral("−"));
}

int widest(const QFontMetrics& metrics, const QStringList& labels) {
    int width = 0;
    for (const QString& label : labels) width = std::max(width, metrics.horizontalAdvance(label));
    return width;
}

/// The window or a menu takes the focus for a while and gives it back.
bool isOnlyAway(Qt::FocusReason reason) {
    return reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason ||
           reason == Qt::MenuBarFocusReason;
}

}  // namespace

MatrixView::MatrixView(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void MatrixView::setSheet(MatrixSheet sheet) {
    Q_ASSERT(static_cast<int>(sheet.values.size()) == sheet.rows * sheet.columns);
    const bool sameShape = sheet.rows == sheet_.rows && sheet.columns == sheet_.columns &&
                           sheet.rowLabels == sheet_.rowLabels;
    const std::optional<MatrixCell> cursor = sheet.cursor ? sheet.cursor : sheet_.cursor;
    sheet.cursor = cursor;
    if (sheet == sheet_) return;
    sheet_ = std::move(sheet);
    sheet_.cursor = cursor && sheet_.contains(*cursor) ? cursor : std::nullopt;
    if (accessibleName().isEmpty()) setAccessibleName(sheet_.title);
    if (!sameShape) updateGeometry();
    update();
}

void MatrixView::setCursorCell(std::optional<MatrixCell> cell) {
    if (cell && !sheet_.contains(*cell)) cell = std::nullopt;
    if (cell == sheet_.cursor) return;
    sheet_.cursor = cell;
    setAccessibleDescription(cell ? describe(*cell) : QString());
    update();
}

QString MatrixView::describe(const MatrixCell& cell) const {
    if (!sheet_.contains(cell)) return {};
    const auto name = [](const QStringList& labels, int index) {
        return index < labels.size() ? labels[index] : QString::number(index);
    };
    return (sheet_.title.isEmpty() ? QString() : sheet_.title + QStringLiteral(" · ")) +
           QStringLiteral("%1, %2: %3")
               .arg(name(sheet_.rowLabels, cell.row), name(sheet_.columnLabels, cell.column),
                    numberText(sheet_.at(cell), sheet_.wholeNumbers ? 0 : 4, true));
}

MatrixView::Layout MatrixView::layout(const QSize& size) const {
    const QFontMetrics small(theme_.font(TextRole::small));
    Layout out;
    const int pad = theme_.pixels(5);
    out.left = pad + widest(small, sheet_.rowLabels) + (sheet_.rowLabels.isEmpty() ? 0 : pad);
    out.top = pad + (sheet_.title.isEmpty() ? 0 : small.height() + pad) +
              (sheet_.columnLabels.isEmpty() ? 0 : small.height() + pad);
    if (sheet_.isEmpty()) return out;
    const double across = (size.width() - out.left - pad) / static_cast<double>(sheet_.columns);
    const double down = (size.height() - out.top - pad) / static_cast<double>(sheet_.rows);
    out.cellWidth = std::clamp(across, 4.0, theme_.px(60));
    out.cellHeight = std::clamp(down, 4.0, theme_.px(32));
    return out;
}

QSize MatrixView::sizeFor(double cellWidth, double cellHeight) const {
    const Layout origin = layout(QSize(0, 0));
    const int pad = theme_.pixels(5);
    int width = static_cast<int>(std::ceil(sheet_.columns * cellWidth)) + origin.left + pad;
    const QFontMetrics small(theme_.font(TextRole::small));
    width = std::max(width, small.horizontalAdvance(sheet_.title) + 2 * pad);
    return QSize(width, static_cast<int>(std::ceil(sheet_.rows * cellHeight)) + origin.top + pad);
}

QSize MatrixView::sizeHint() const {
    return sizeFor(theme_.px(38), theme_.px(25));
}

QSize MatrixView::minimumSizeHint() const {
    return sizeFor(theme_.px(9), theme_.px(9));
}

QRect MatrixView::cellRect(const MatrixCell& cell) const {
    const Layout at = layout(size());
    const int x0 = at.left + qRound(cell.column * at.cellWidth);
    const int x1 = at.left + qRound((cell.column + 1) * at.cellWidth);
    const int y0 = at.top + qRound(cell.row * at.cellHeight);
    const int y1 = at.top + qRound((cell.row + 1) * at.cellHeight);
    return QRect(x0, y0, x1 - x0, y1 - y0);
}

std::optional<MatrixCell> MatrixView::cellAt(const QPointF& point) const {
    for (int row = 0; row < sheet_.rows; ++row) {
        for (int column = 0; column < sheet_.columns; ++column) {
            if (cellRect({row, column}).contains(point.toPoint())) return MatrixCell{row, column};
        }
    }
    return std::nullopt;
}

void MatrixView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (sheet_.isEmpty()) return;
    float maximum = sheet_.maximum;
    if (!(maximum > 0)) {
        for (float value : sheet_.values) {
            if (std::isfinite(value)) maximum = std::max(maximum, std::fabs(value));
        }
    }
    paintLabels(painter);
    const NumberStyle style = numberStyle();
    for (int row = 0; row < sheet_.rows; ++row) {
        for (int column = 0; column < sheet_.columns; ++column) {
            paintCell(painter, {row, column}, maximum, style);
        }
    }
    paintHighlights(painter);
    if (hasFocus() && focusRing_) {
        painter.setPen(QPen(theme_.colours().accent, theme_.px(1.5)));
        painter.setBrush(Qt::NoBrush);
        const double inset = theme_.px(0.75);
        painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), theme_.px(4),
                                theme_.px(4));
    }
}

void MatrixView::paintLabels(QPainter& painter) const {
    const Layout at = layout(size());
    const int pad = theme_.pixels(5);
    painter.setFont(theme_.font(TextRole::small));
    const int lineHeight = painter.fontMetrics().height();
    if (!sheet_.title.isEmpty()) {
        painter.setPen(theme_.colours().text);
        painter.drawText(QRect(pad, pad, width() - 2 * pad, lineHeight),
                         Qt::AlignLeft | Qt::AlignVCenter, sheet_.title);
    }
    const auto colour = [this](bool here) {
        return here ? theme_.colours().text : theme_.colours().textSoft;
    };
    for (int row = 0; row < std::min<int>(sheet_.rows, static_cast<int>(sheet_.rowLabels.size()));
         ++row) {
        const QRect cell = cellRect({row, 0});
        painter.setPen(colour(sheet_.cursor && sheet_.cursor->row == row));
        painter.drawText(QRect(0, cell.top(), at.left - pad - 1, cell.height()),
                         Qt::AlignRight | Qt::AlignVCenter, sheet_.rowLabels[row]);
    }
    for (int column = 0;
         column < std::min<int>(sheet_.columns, static_cast<int>(sheet_.columnLabels.size()));
         ++column) {
        const QRect cell = cellRect({0, column});
        if (painter.fontMetrics().horizontalAdvance(sheet_.columnLabels[column]) > cell.width()) {
            continue;
        }
        const auto& lit = sheet_.highlightedColumns;
        const bool isLit = std::find(lit.begin(), lit.end(), column) != lit.end();
        painter.setPen(isLit ? theme_.colours().accent
                             : colour(sheet_.cursor && sheet_.cursor->column == column));
        painter.drawText(QRect(cell.left() - cell.width(), cell.top() - lineHeight - pad / 2,
                               3 * cell.width(), lineHeight),
                         Qt::AlignHCenter | Qt::AlignVCenter, sheet_.columnLabels[column]);
    }
}

void MatrixView::paintCell(QPainter& painter, const MatrixCell& cell, float maximum,
                           const NumberStyle& style) const {
    const float value = sheet_.at(cell);
    QColor ground = theme_.colours().notANumber;
    if (std::isfinite(value)) {
        const ValueMapping mapping{maximum, ScaleCurve::linear, true};
        ground =
            QColor(theme_.diverging().entries[static_cast<std::size_t>(mapping.indexOf(value))]);
    }
    const QRect rect = cellRect(cell);
    const int gap = cellGap();
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    const double radius = gap > 0 ? theme_.px(2) : 0;
    painter.drawRoundedRect(QRectF(rect).adjusted(0, 0, -gap, -gap), radius, radius);
    if (!style.shown) return;
    painter.setFont(theme_.font(style.role));
    painter.setPen(readableOn(ground));
    painter.drawText(rect.adjusted(0, 0, -gap, -gap), Qt::AlignCenter,
                     numberText(value, style.decimals, style.leadingZero));
}

int MatrixView::cellGap() const {
    return cellRect({0, 0}).width() > theme_.pixels(12) ? std::max(1, theme_.pixels(1)) : 0;
}

MatrixView::NumberStyle MatrixView::numberStyle() const {
    const NumberStyle styles[] = {{TextRole::small, 2, true, true},
                                  {TextRole::tiny, 2, true, true},
                                  {TextRole::tiny, 1, true, true},
                                  {TextRole::tiny, 1, false, true}};
    const QRect cell = cellRect({0, 0});
    for (NumberStyle style : styles) {
        if (sheet_.wholeNumbers) {
            style.decimals = 0;
            style.leadingZero = true;  // of a 0 it is all
        }
        const QFontMetrics metrics(theme_.font(style.role));
        if (metrics.ascent() > cell.height()) continue;
        int width = 0;
        for (float value : sheet_.values) {
            const QString text = numberText(value, style.decimals, style.leadingZero);
            width = std::max(width, metrics.horizontalAdvance(text));
        }
        if (width + theme_.pixels(3) <= cell.width()) return style;
    }
    return {TextRole::tiny, 1, true, false};
}

void MatrixView::paintHighlights(QPainter& painter) const {
    const double wide = std::max(1.0, theme_.px(2));
    const int gap = cellGap();
    const auto frame = [&](const QRectF& around, const QColor& colour, double width) {
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(around.adjusted(0, 0, -gap, -gap), theme_.px(2), theme_.px(2));
    };
    for (int column : sheet_.highlightedColumns) {
        if (!sheet_.contains({0, column})) continue;
        frame(QRectF(cellRect({0, column})).united(QRectF(cellRect({sheet_.rows - 1, column}))),
              theme_.colours().accent, wide);
    }
    for (int row : sheet_.highlightedRows) {
        if (!sheet_.contains({row, 0})) continue;
        frame(QRectF(cellRect({row, 0})).united(QRectF(cellRect({row, sheet_.columns - 1}))),
              theme_.colours().accent, wide);
    }
    for (const MatrixCell& cell : sheet_.highlightedCells) {
        if (sheet_.contains(cell)) {
            frame(QRectF(cellRect(cell)), theme_.colours().accent, wide);
        }
    }
    if (sheet_.cursor) {
        frame(QRectF(cellRect(*sheet_.cursor)), theme_.colours().outline, wide);
    }
}

bool MatrixView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::optional<MatrixCell> cell = cellAt(help->pos());
    if (cell)
        QToolTip::showText(help->globalPos(), describe(*cell), this, cellRect(*cell));
    else
        QToolTip::hideText();
    return true;
}

void MatrixView::moveCursor(std::optional<MatrixCell> cell) {
    if (cell == sheet_.cursor) return;
    setCursorCell(cell);
    if (cell)
        emit cellHovered(cell->row, cell->column, sheet_.at(*cell));
    else
        emit cellLeft();
}

void MatrixView::mouseMoveEvent(QMouseEvent* event) {
    moveCursor(cellAt(event->position()));
}

void MatrixView::mousePressEvent(QMouseEvent* event) {
    focusRing_ = false;
    const std::optional<MatrixCell> cell = cellAt(event->position());
    if (event->button() != Qt::LeftButton || !cell) {
        event->ignore();
        return;
    }
    moveCursor(cell);
    pressed_ = cell;
}

void MatrixView::mouseReleaseEvent(QMouseEvent* event) {
    const std::optional<MatrixCell> pressed = std::exchange(pressed_, std::nullopt);
    if (event->button() == Qt::LeftButton && pressed && cellAt(event->position()) == pressed)
        emit cellClicked(pressed->row, pressed->column);
}

void MatrixView::leaveEvent(QEvent*) {
    if (!focusRing_) moveCursor(std::nullopt);
}

void MatrixView::keyPressEvent(QKeyEvent* event) {
    if (sheet_.isEmpty() || event->modifiers() & Qt::ControlModifier) {
        QWidget::keyPressEvent(event);
        return;
    }
    MatrixCell cell = sheet_.cursor.value_or(MatrixCell{});
    const MatrixCell before = cell;
    switch (event->key()) {
        case Qt::Key_Left:
            --cell.column;
            break;
        case Qt::Key_Right:
            ++cell.column;
            break;
        case Qt::Key_Up:
            --cell.row;
            break;
        case Qt::Key_Down:
            ++cell.row;
            break;
        case Qt::Key_Home:
            cell.column = 0;
            break;
        case Qt::Key_End:
            cell.column = sheet_.columns - 1;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            emit cellClicked(cell.row, cell.column);
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    focusRing_ = true;
    if (!sheet_.cursor) cell = before;  // the first press shows where one stands
    cell.row = std::clamp(cell.row, 0, sheet_.rows - 1);
    cell.column = std::clamp(cell.column, 0, sheet_.columns - 1);
    moveCursor(cell);
    update();
}

void MatrixView::focusInEvent(QFocusEvent* event) {
    const Qt::FocusReason reason = event->reason();
    if (isOnlyAway(reason)) return;
    focusRing_ = reason != Qt::MouseFocusReason;
    const bool byTab = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
    if (byTab && !sheet_.isEmpty()) moveCursor(sheet_.cursor.value_or(MatrixCell{}));
    update();
}

void MatrixView::focusOutEvent(QFocusEvent* event) {
    if (isOnlyAway(event->reason())) return;
    if (focusRing_) moveCursor(std::nullopt);
    focusRing_ = false;
    update();
}

}  // namespace headloom
