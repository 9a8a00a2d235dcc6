#include "views/panels/segments.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace headloom {

QToolButton* textButton(const QString& text, const QString& tip) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(text);
    made->setAccessibleDescription(tip);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

QToolButton* segmentButton(const QString& text, const QString& tip) {
    QToolButton* made = textButton(text, tip);
    made->setCheckable(true);
    made->setProperty("look", "segment");
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
