#include "views/panels/mass_grid.h"

#include "views/viewmodels/words.h"

#include <QFontMetricsF>
#include <QPainter>

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
    const bool fits =
        QFontMetricsF(painter.font()).horizontalAdvance(QStringLiteral("0.00")) <= across;
    if (!fits) return;
    for (int tile = 0; tile < static_cast<int>(masses_.size()); ++tile) {
        const QRectF box((tile % pseudos_) * across, top + (tile / pseudos_) * along, across,
                         along);
        painter.setPen(tile == marked_ ? colours.accent : colours.textSoft);
        painter.drawText(box, Qt::AlignCenter, shareText(masses_[static_cast<std::size_t>(tile)]));
    }
}

}  // namespace headloom
