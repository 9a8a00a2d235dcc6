#include "views/heatmap/map_axes.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>
#include <QSet>

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

constexpr int longestLabel = 9;  // characters; a longer token is cut, the tool tip has it whole

QString shortened(const QString& label) {
    return label.size() <= longestLabel ? label
                                        : label.left(longestLabel - 1) + QStringLiteral("…");
}

bool contains(const std::vector<int>& indices, int index) {
    return std::find(indices.begin(), indices.end(), index) != indices.end();
}

/// Labels that are in question come first, so that of two that would overlap they win.
std::vector<int> order(int count, bool all, const std::vector<int>& marked) {
    std::vector<int> out = marked;
    for (int i = 0; all && i < count; ++i) {
        if (!contains(marked, i)) out.push_back(i);
    }
    return out;
}

/// Width of the widest label. Sequences repeat their tokens, and measuring text costs more than
/// drawing the cells, so every text is measured once.
int widest(const QStringList& labels, const QFontMetrics& metrics) {
    int most = 0;
    QSet<QString> measured;
    for (const QString& label : labels) {
        if (measured.contains(label)) continue;
        measured.insert(label);
        most = std::max(most, metrics.horizontalAdvance(shortened(label)));
    }
    return most;
}

}  // namespace

MapAxes::MapAxes(const Theme& theme, const MapSheet& sheet, double pixelRatio)
    : theme_(theme), sheet_(sheet), ratio_(pixelRatio) {
    const QFontMetrics labels(font(TextRole::tokenSmall)), titles(font(TextRole::small));
    lineHeight_ = labels.height();
    capHeight_ = labels.capHeight();
    titleHeight_ = titles.height();
    queryWidth_ = widest(sheet.queryLabels, labels);
    keyWidth_ =
        sheet.keyLabels == sheet.queryLabels ? queryWidth_ : widest(sheet.keyLabels, labels);
}

QFont MapAxes::font(TextRole role) const {
    QFont font = theme_.font(role);
    font.setPixelSize(
        std::max(1, static_cast<int>(std::lround(font.pixelSize() * ratio_ / theme_.scale()))));
    return font;
}

QMargins MapAxes::room() const {
    const int pad = static_cast<int>(6 * ratio_);
    // short tokens stand upright above their column, longer ones lie on their side
    const int keyHeight = keyWidth_ <= lineHeight_ ? lineHeight_ : keyWidth_;
    return QMargins(titleHeight_ + queryWidth_ + 2 * pad, titleHeight_ + keyHeight + pad, 0, 0);
}

std::vector<int> MapAxes::marked(bool query) const {
    std::vector<int> out;
    const auto add = [&](int index) {
        const int count = query ? sheet_.queries : sheet_.keys;
        if (index >= 0 && index < count && !contains(out, index)) out.push_back(index);
    };
    if (sheet_.cursor) add(query ? sheet_.cursor->query : sheet_.cursor->key);
    if (query) add(sheet_.currentRow);
    add(sheet_.linkedToken);
    return out;
}

void MapAxes::draw(QPainter& painter, const PixelMapping& mapping) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QMargins margins = room();
    const QRect area = mapping.area;
    painter.setFont(font(TextRole::small));
    painter.setPen(theme_.colours().textSoft);
    const double start = std::max<double>(area.left(), mapping.left);
    const double top = std::max<double>(area.top(), mapping.top);
    painter.drawText(QRectF(start, top - margins.top(), area.right() - start, titleHeight_),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QCoreApplication::translate("MapAxes", "to token →"));
    painter.save();
    painter.translate(start - margins.left(), top);
    painter.rotate(90);
    painter.drawText(QRectF(0, -titleHeight_, area.height(), titleHeight_),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QCoreApplication::translate("MapAxes", "from token →"));
    painter.restore();
    drawQueries(painter, mapping);
    drawKeys(painter, mapping);
    painter.restore();
}

void MapAxes::drawQueries(QPainter& painter, const PixelMapping& mapping) const {
    const QRect area = mapping.area;
    painter.save();
    // labels keep to the tiles, whether these fill the area or stand in its middle
    const int edge = std::max(area.left(), static_cast<int>(mapping.left));
    painter.setClipRect(QRect(0, area.top(), edge, area.height()));
    const int right = edge - static_cast<int>(5 * ratio_);
    const std::vector<int> marks = marked(true);
    const bool all = mapping.cell >= capHeight_ + 2 * ratio_;
    const std::vector<int> labels = order(sheet_.queries, all, marks);
    for (int row = 0; row < mapping.tileRows; ++row) {
        std::vector<QRect> taken;
        for (int query : labels) {
            if (query >= sheet_.queryLabels.size()) continue;
            const QRect cell = mapping.cellRect({row * mapping.tileColumns, query, 0});
            const QRect box(0, cell.center().y() - lineHeight_ / 2, right, lineHeight_);
            const QRect core = box.adjusted(0, lineHeight_ / 8, 0, -lineHeight_ / 8);
            if (!core.intersects(area.adjusted(-area.left(), 0, 0, 0))) continue;
            if (!all && std::any_of(taken.begin(), taken.end(),
                                    [&](const QRect& other) { return other.intersects(core); })) {
                continue;
            }
            taken.push_back(core);
            painter.setFont(font(TextRole::tokenSmall));
            painter.setPen(contains(marks, query) ? theme_.colours().text
                                                  : theme_.colours().textSoft);
            painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                             shortened(sheet_.queryLabels[query]));
        }
    }
    painter.restore();
}

void MapAxes::drawKeys(QPainter& painter, const PixelMapping& mapping) const {
    const QRect area = mapping.area;
    const bool upright = keyWidth_ <= std::max<double>(lineHeight_, mapping.cell * 0.9);
    const int step = upright ? std::max(keyWidth_, 1) : lineHeight_;
    painter.save();
    const int edge = std::max(area.top(), static_cast<int>(mapping.top));
    painter.setClipRect(QRect(area.left(), 0, area.width(), edge));
    painter.setFont(font(TextRole::tokenSmall));
    const std::vector<int> marks = marked(false);
    const std::vector<int> labels = order(sheet_.keys, mapping.cell >= step * 0.9, marks);
    const int bottom = edge - static_cast<int>(3 * ratio_);
    for (int column = 0; column < mapping.tileColumns; ++column) {
        std::vector<QRect> taken;
        for (int key : labels) {
            if (key >= sheet_.keyLabels.size()) continue;
            const QRect cell = mapping.cellRect({column, 0, key});
            const QRect core(cell.center().x() - step / 2, 0, std::max(1, step - 1), 1);
            if (core.right() < area.left() || core.left() > area.right()) continue;
            if (std::any_of(taken.begin(), taken.end(),
                            [&](const QRect& other) { return other.intersects(core); })) {
                continue;
            }
            taken.push_back(core);
            const bool isEvidence = contains(sheet_.evidence, key);
            painter.setPen(isEvidence             ? theme_.colours().accent
                           : contains(marks, key) ? theme_.colours().text
                                                  : theme_.colours().textSoft);
            const QString text = shortened(sheet_.keyLabels[key]);
            if (upright) {
                painter.drawText(
                    QRect(cell.center().x() - step, bottom - lineHeight_, 2 * step, lineHeight_),
                    Qt::AlignCenter, text);
            } else {
                painter.save();
                painter.translate(cell.center().x() - lineHeight_ / 2.0, bottom);
                painter.rotate(-90);
                painter.drawText(QRectF(0, 0, keyWidth_ + 4 * ratio_, lineHeight_),
                                 Qt::AlignLeft | Qt::AlignVCenter, text);
                painter.restore();
            }
        }
    }
    painter.restore();
}

}  // namespace headloom
