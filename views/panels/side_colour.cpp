#include "views/panels/side_colour.h"

#include "views/theme/style.h"
#include "views/viewmodels/explore_view_model.h"

#include <QLabel>
#include <QVariant>

namespace headloom {

QColor sideColour(const ExploreViewModel& model, const Theme& theme, Side side) {
    return model.interleaves(side) ? theme.colours().iha : theme.colours().mha;
}

void colourLabel(QLabel* label, const ExploreViewModel& model, Side side) {
    const QString role = model.interleaves(side) ? QStringLiteral("iha") : QStringLiteral("mha");
    if (label->property("role") == role) return;
    label->setProperty("role", role);
    repolish(label);
}

QString sideMark(Side side) {
    return side == Side::left ? QStringLiteral("■") : QStringLiteral("◆");
}

}  // namespace headloom
