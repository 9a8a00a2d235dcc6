#include "views/panels/mass_grid.h"

#include "views/viewmodels/words.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace headloom {

MassGrid::MassGrid(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(&theme) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Tile masses"));
}

void MassGrid::setMasses(std::vector<double> masses, int pseudos, int marked) {
    const bool resized = pseudos != pseudos_;
    masses_ = std::move(masses);
    pseudos_ = pseudos;
    marked_ = marked;
    if (resized) updateGeometry();
    update();
}

QSize MassGrid::sizeHint() const {
    return {pseudos_ * theme_->pixels(pseudos_ > 2 ? 27 : 34),
            pseudos_ * theme_->pixels(pseudos_ > 2 ? 14 : 17)};
}

void MassGrid::paintEvent(QPaintEvent*) {
    if (pseudos_ == 0) return;
    QPainter painter(this);
    const ThemeColours& colours = theme_->colours();
    const double across = static_cast<double>(width()) / pseudos_;
    const double along = std::min(theme_->px(20), static_cast<double>(height()) / pseudos_);
    const double top = (height() - along * pseudos_) / 2;
    painter.setFont(theme_->font(pseudos_ > 2 ? TextRole::tiny : TextRole::small));
    const QFontMetricsF letters(painter.font());
    const bool numbers = letters.horizontalAdvance(QStringLiteral("0.00")) <= across &&
                         letters.tightBoundingRect(QStringLiteral("0")).height() + 1 <= along;
    for (int tile = 0; tile < static_cast<int>(masses_.size()); ++tile) {
        const QRectF box((tile % pseudos_) * across, top + (tile / pseudos_) * along, across,
                         along);
        const QColor colour = tile == marked_ ? colours.accent : colours.textSoft;
        const double mass = masses_[static_cast<std::size_t>(tile)];
        painter.setPen(colour);
        if (numbers)
            painter.drawText(box, Qt::AlignCenter, shareText(mass));
        else
            drawBar(painter, box, mass, colour);
    }
}

void MassGrid::drawBar(QPainter& painter, const QRectF& box, double mass, QColor colour) const {
    // The longest bar is the largest share, since P x P shares may all be small.
    const double largest = *std::max_element(masses_.begin(), masses_.end());
    const double inset = std::min(2.0, box.height() / 4);
    QRectF bar = box.adjusted(inset, inset, -inset, -inset);
    painter.fillRect(bar, theme_->colours().border);
    bar.setWidth(largest > 0 ? bar.width() * std::clamp(mass / largest, 0.0, 1.0) : 0);
    painter.fillRect(bar, colour);
}

}  // namespace headloom
