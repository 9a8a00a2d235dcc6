#include "views/panels/theory_choice.h"

#include "views/panels/segments.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>

namespace headloom {

TheoryChoice::TheoryChoice(const QString& title, const QString& tip, const QStringList& names,
                           const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(&theme), caption_(new QLabel(title)) {
    caption_->setProperty("role", "soft");
    caption_->setToolTip(tip);
    for (const QString& name : names) {
        const int index = static_cast<int>(names_.size());
        QToolButton* button = segmentButton(name, tip);
        button->setAccessibleName(tr("%1: %2").arg(title, name));
        // also what the arrow keys choose
        connect(button, &QToolButton::toggled, this, [this, index](bool chosen) {
            if (chosen) emit changed(index);
        });
        names_.push_back(button);
    }
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(caption_);
    line->addWidget(segmentRow(names_));
    setValue(0);
    connect(&theme, &Theme::changed, this, &TheoryChoice::restyle);
    restyle();
}

QString TheoryChoice::title() const {
    return caption_->text();
}

QString TheoryChoice::valueText() const {
    return value() < 0 ? QString() : names_[static_cast<std::size_t>(value())]->text();
}

int TheoryChoice::value() const {
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (names_[i]->isChecked()) return static_cast<int>(i);
    return -1;
}

void TheoryChoice::setValue(int index) {
    QToolButton* button = names_.at(static_cast<std::size_t>(index));
    const QSignalBlocker quiet(this);
    button->setChecked(true);
}

void TheoryChoice::restyle() {
    layout()->setSpacing(theme_->pixels(8));
}

}  // namespace headloom
