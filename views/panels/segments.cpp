#include "views/panels/segments.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace headloom {

QToolButton* segmentButton(const QString& text, const QString& tip) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(text);
    made->setAccessibleDescription(tip);
    made->setCheckable(true);
    made->setProperty("look", "segment");
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

QWidget* segmentRow(const std::vector<QToolButton*>& segments) {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    auto* group = new QButtonGroup(row);
    for (QToolButton* segment : segments) {
        line->addWidget(segment);
        group->addButton(segment);
    }
    return row;
}

}  // namespace headloom
