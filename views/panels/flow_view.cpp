#include "views/panels/flow_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {
constexpr int outerEdge = 6;    ///< design pixels around everything
constexpr int tokenWidth = 64;  ///< of a column of tokens
constexpr int namesWidth = 72;  ///< right of the keys, for the names of the strongest lines
}  // namespace

QColor sourceColour(const Theme& theme, int number) {
    // far apart one after the other, and none of them the accent's
    constexpr int hues[] = {175, 320, 265, 110, 5, 205, 290, 75};
    const bool dark = theme.kind() == ThemeKind::dark;
    return QColor::fromHsl(hues[static_cast<std::size_t>(number) % std::size(hues)],
                           dark ? 150 : 190, dark ? 165 : 95);
}

FlowView::FlowView(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(&theme) {
    setAccessibleName(tr("Lines from queries to keys"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void FlowView::show(FlowShown shown) {
    const bool other = shown.tokens.size() != shown_.tokens.size();
    shown_ = std::move(shown);
    largest_ = 0;
    for (const FlowLine& line : shown_.lines) largest_ = std::max(largest_, std::abs(line.weight));
    setAccessibleDescription(strongestWords());
    if (other) updateGeometry();
    update();
}

int FlowView::lineHeight() const {
    const int count = std::max(1, static_cast<int>(shown_.tokens.size()));
    return std::clamp((room_ - 2 * theme_->pixels(outerEdge)) / count, theme_->pixels(10),
                      theme_->pixels(18));
}

void FlowView::setRoom(int height) {
    if (height == room_) return;
    room_ = height;
    updateGeometry();
    update();
}

int FlowView::rowCentre(int row) const {
    return theme_->pixels(outerEdge) + lineHeight() * row + lineHeight() / 2;
}

int FlowView::rowAt(int y) const {
    const int row = (y - theme_->pixels(outerEdge)) / std::max(1, lineHeight());
    return row >= 0 && row < shown_.tokens.size() ? row : -1;
}

QSize FlowView::minimumSizeHint() const {
    return {theme_->pixels(2 * tokenWidth + namesWidth + 90),
            2 * theme_->pixels(outerEdge) + lineHeight() * static_cast<int>(shown_.tokens.size())};
}

QSize FlowView::sizeHint() const {
    return minimumSizeHint();
}

QString FlowView::words(int key) const {
    QStringList parts;
    for (auto line = shown_.lines.rbegin(); line != shown_.lines.rend(); ++line)
        if (line->to == key && line->from == shown_.row)
            parts << tr("%1: %2")
                         .arg(shown_.sources[static_cast<std::size_t>(line->source)].name)
                         .arg(line->weight, 0, 'f', 3);
    return parts.join(QStringLiteral("\n"));
}

QString FlowView::strongestWords() const {
    if (shown_.lines.empty()) return shown_.hint;
    const FlowLine& line = shown_.lines.back();
    return tr("Strongest: %1 from “%2” (%3) to “%4” (%5), %6")
        .arg(shown_.sources[static_cast<std::size_t>(line.source)].name, shown_.tokens[line.from])
        .arg(line.from)
        .arg(shown_.tokens[line.to])
        .arg(line.to)
        .arg(line.weight, 0, 'f', 3);
}

void FlowView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLines(painter);
    paintTokens(painter);
    paintNames(painter);
}

void FlowView::paintTokens(QPainter& painter) const {
    const ThemeColours& colours = theme_->colours();
    QFont font = theme_->font(TextRole::tokenSmall);
    font.setPixelSize(std::min(font.pixelSize(), lineHeight()));
    painter.setFont(font);
    const int space = theme_->pixels(outerEdge), width = theme_->pixels(tokenWidth);
    const int right = this->width() - space - theme_->pixels(namesWidth) - width;
    for (int row = 0; row < shown_.tokens.size(); ++row) {
        const QRect box(0, rowCentre(row) - lineHeight() / 2, width, lineHeight());
        const QString text = painter.fontMetrics().elidedText(
            QStringLiteral("%1 %2").arg(row).arg(shown_.tokens[row]), Qt::ElideRight, width);
        const bool marked =
            std::find(shown_.evidence.begin(), shown_.evidence.end(), row) != shown_.evidence.end();
        const QColor later = row > shown_.row ? colours.textFaint : colours.textSoft;
        painter.setPen(row == shown_.row ? colours.text : later);
        painter.drawText(box.translated(space, 0), Qt::AlignRight | Qt::AlignVCenter, text);
        painter.setPen(marked ? colours.accent : later);
        painter.drawText(box.translated(right + space, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void FlowView::paintLines(QPainter& painter) const {
    const int space = theme_->pixels(outerEdge), width = theme_->pixels(tokenWidth),
              gap = theme_->pixels(4);
    const double left = space + width + gap, right = this->width() - space -
                                                     theme_->pixels(namesWidth) - width - gap +
                                                     theme_->pixels(outerEdge);
    painter.setBrush(Qt::NoBrush);
    for (const FlowLine& line : shown_.lines) {
        const double strength = largest_ > 0 ? std::abs(line.weight) / largest_ : 0;
        QColor colour =
            sourceColour(*theme_, shown_.sources[static_cast<std::size_t>(line.source)].colour);
        // lines of earlier rows stay behind those of the current one
        colour.setAlphaF(
            static_cast<float>((0.2 + 0.8 * strength) * (line.from == shown_.row ? 1 : 0.35)));
        QPen pen(colour, theme_->px(0.75 + 3.5 * strength));
        if (line.weight < 0) pen.setStyle(Qt::DashLine);
        painter.setPen(pen);
        // lines of several sources between the same tokens part ways in the middle, and stay
        // between their tokens however many they are
        const double others = static_cast<double>(shown_.sources.size()) - 1,
                     apart = std::min(theme_->px(12), 0.8 * (right - left) / std::max(1.0, others)),
                     from = rowCentre(line.from), to = rowCentre(line.to),
                     middle = (left + right) / 2 + (line.source - others / 2) * apart;
        QPainterPath path({left, from});
        path.cubicTo(middle, from, middle, to, right, to);
        painter.drawPath(path);
    }
}

/// Beside the key of each source's strongest line of the current row.
void FlowView::paintNames(QPainter& painter) const {
    painter.setFont(theme_->font(TextRole::tiny));
    const int height = lineHeight(),
              left = width() - theme_->pixels(outerEdge) - theme_->pixels(namesWidth);
    std::vector<bool> named(shown_.sources.size());
    std::vector<int> used(static_cast<std::size_t>(shown_.tokens.size()));  // by names so far
    for (auto line = shown_.lines.rbegin(); line != shown_.lines.rend(); ++line) {
        const auto source = static_cast<std::size_t>(line->source);
        if (line->from != shown_.row || named[source]) continue;
        named[source] = true;
        int& at = used[static_cast<std::size_t>(line->to)];
        const QString text =
            QStringLiteral("%1 %2").arg(shown_.sources[source].name).arg(line->weight, 0, 'f', 2);
        // names of one key stand below one another, over the keys that follow
        painter.setPen(sourceColour(*theme_, shown_.sources[source].colour));
        painter.drawText(QRect(left, rowCentre(line->to) - height / 2 + at * theme_->pixels(12),
                               theme_->pixels(namesWidth), height),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        ++at;
    }
}

void FlowView::mousePressEvent(QMouseEvent* event) {
    const int row = rowAt(event->position().toPoint().y());
    if (row >= 0) emit rowChosen(row);
}

void FlowView::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
    const int row = shown_.row + step;
    if (step == 0 || event->modifiers() != Qt::NoModifier) return QWidget::keyPressEvent(event);
    if (row >= 0 && row < shown_.tokens.size()) emit rowChosen(row);
}

bool FlowView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int key = rowAt(help->pos().y());
    const QString text = key < 0 ? QString() : words(key);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, this);
    return true;
}

}  // namespace headloom
