#include "views/heatmap/matrix_editor.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QStyleHints>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headloom {

namespace {

/// A weight is read to two places, so that is what a pixel or a notch changes; Shift is finer.
constexpr double perPixel = 0.01, perNotch = 0.05, finer = 0.1;
constexpr double notch = 120;  // eighths of a degree, QWheelEvent

/// Without the digits that float adds: a value stays what its decimals say.
float rounded(double value) {
    return static_cast<float>(std::round(value * 1e4) / 1e4);
}

}  // namespace

MatrixEditor::MatrixEditor(MatrixView& view, const Theme& theme)
    : QObject(&view), view_(view), theme_(theme) {
    view.installEventFilter(this);
    view.setCursor(Qt::SizeVerCursor);
}

QString MatrixEditor::help() {
    return tr(
        "Drag a weight up or down to change it (Shift: finer), double-click or type for a number, "
        "Shift+↑ and Shift+↓ or the wheel for steps, Delete for 0");
}

bool MatrixEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched == field_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        closeField();
        return true;
    }
    if (watched != &view_) return QObject::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::MouseButtonPress:
            return press(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseMove:
            return move(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseButtonRelease:
            return release();
        case QEvent::MouseButtonDblClick:
            if (const auto cell = view_.cellAt(static_cast<QMouseEvent*>(event)->position()))
                type(*cell, {});
            return true;
        case QEvent::Wheel:
            return wheel(*static_cast<QWheelEvent*>(event));
        case QEvent::KeyPress:
            return key(*static_cast<QKeyEvent*>(event));
        case QEvent::FocusOut:
            stepped_ = std::nullopt;
            break;
        default:
            break;
    }
    return false;
}

bool MatrixEditor::press(const QMouseEvent& event) {
    drag_ = std::nullopt;
    const auto cell = view_.cellAt(event.position());
    if (event.button() == Qt::LeftButton && cell)
        drag_ = Drag{*cell, event.position(), view_.sheet().at(*cell), false};
    return false;  // a press that moves no further is a click
}

bool MatrixEditor::move(const QMouseEvent& event) {
    if (!drag_ || !(event.buttons() & Qt::LeftButton) || !std::isfinite(drag_->value)) return false;
    const double up = drag_->from.y() - event.position().y();
    if (!drag_->moved && std::abs(up) < QApplication::styleHints()->startDragDistance())
        return true;
    const double scale = event.modifiers() & Qt::ShiftModifier ? finer : 1;
    const bool continues = std::exchange(drag_->moved, true);
    emit valueWanted(drag_->cell.row, drag_->cell.column,
                     rounded(drag_->value + up / theme_.px(1) * perPixel * scale), continues);
    return true;
}

bool MatrixEditor::release() {
    const std::optional<Drag> drag = std::exchange(drag_, std::nullopt);
    stepped_ = std::nullopt;
    return drag && drag->moved;
}

/// Only once the view was clicked or walked to: a panel that scrolls past the pointer changes
/// nothing.
bool MatrixEditor::wheel(const QWheelEvent& event) {
    const auto cell = view_.cellAt(event.position());
    if (!view_.hasFocus() || !cell || event.angleDelta().y() == 0) return false;
    const double scale = event.modifiers() & Qt::ShiftModifier ? finer : 1;
    step(*cell, event.angleDelta().y() / notch * perNotch * scale);
    return true;
}

bool MatrixEditor::key(const QKeyEvent& event) {
    const auto cell = view_.sheet().cursor;
    const bool plain = !(event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    if (!cell || !plain) return false;
    const bool shift = event.modifiers() & Qt::ShiftModifier;
    if (shift && (event.key() == Qt::Key_Up || event.key() == Qt::Key_Down)) {
        step(*cell, event.key() == Qt::Key_Up ? perNotch : -perNotch);
        return true;
    }
    stepped_ = std::nullopt;
    if (event.key() == Qt::Key_Delete) {
        emit valueWanted(cell->row, cell->column, 0, false);
        return true;
    }
    const QString text = event.text();
    if (text.isEmpty() || !QStringLiteral("0123456789.,-−+").contains(text.front())) return false;
    type(*cell, text);
    return true;
}

void MatrixEditor::step(const MatrixCell& cell, double by) {
    const float now = view_.sheet().at(cell);
    if (!std::isfinite(now)) return;
    const bool continues = stepped_ == cell;
    stepped_ = cell;
    emit valueWanted(cell.row, cell.column, rounded(now + by), continues);
}

void MatrixEditor::type(const MatrixCell& cell, const QString& text) {
    closeField();
    drag_ = std::nullopt;
    typedCell_ = cell;
    field_ = new QLineEdit(&view_);
    field_->setAccessibleName(tr("New value of %1").arg(view_.describe(cell)));
    field_->setAlignment(Qt::AlignCenter);
    field_->setFont(theme_.font(TextRole::small));
    field_->setFrame(false);
    field_->setText(text.isEmpty() ? QString::number(view_.sheet().at(cell), 'g', 6) : text);
    if (text.isEmpty()) field_->selectAll();
    QRect place = view_.cellRect(cell);
    const int wider = std::max(0, theme_.pixels(76) - place.width());
    place.adjust(-wider / 2, -theme_.pixels(3), wider - wider / 2, theme_.pixels(3));
    place.moveLeft(std::clamp(place.left(), 0, std::max(0, view_.width() - place.width())));
    field_->setGeometry(place);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::editingFinished, this, &MatrixEditor::commit);
    field_->show();
    field_->setFocus(Qt::OtherFocusReason);
}

/// What is no number stays to be mended, until the field is left.
void MatrixEditor::commit() {
    if (!field_) return;
    QString text = field_->text().trimmed();
    text.replace(QChar(u'−'), QLatin1Char('-')).replace(QLatin1Char(','), QLatin1Char('.'));
    bool good = false;
    const float value = text.toFloat(&good);
    good = good && std::isfinite(value);
    if (!good && field_->hasFocus()) {
        const QString problem = tr("“%1” is not a number, such as 0.8").arg(field_->text());
        field_->setAccessibleDescription(problem);
        QToolTip::showText(field_->mapToGlobal(QPoint(0, field_->height())), problem, field_);
        field_->selectAll();
        return;
    }
    closeField();
    if (good && view_.sheet().contains(typedCell_))
        emit valueWanted(typedCell_.row, typedCell_.column, value, false);
}

void MatrixEditor::closeField() {
    QLineEdit* field = std::exchange(field_, nullptr);  // its going ends the editing once more
    if (!field) return;
    const bool focused = field->hasFocus();
    field->hide();
    field->deleteLater();
    if (focused) view_.setFocus(Qt::OtherFocusReason);
}

}  // namespace headloom
