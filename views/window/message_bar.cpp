#include "views/window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

namespace headloom {

MessageBar::MessageBar(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(&theme), label_(new QLabel), close_(new QToolButton) {
    setProperty("bar", "line");
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    close_->setText(tr("Close"));
    close_->setAccessibleName(tr("Close the message"));
    close_->setProperty("look", "quiet");
    auto* line = new QHBoxLayout(this);
    line->addWidget(label_, 1);
    line->addWidget(close_);
    connect(close_, &QToolButton::clicked, this, &QWidget::hide);
    connect(&theme, &Theme::changed, this, &MessageBar::restyle);
    restyle();
    hide();
}

void MessageBar::say(const QString& sentence) {
    show(sentence, "danger");
}

void MessageBar::tell(const QString& sentence) {
    show(sentence, "soft");
}

void MessageBar::show(const QString& sentence, const char* role) {
    label_->setProperty("role", role);
    label_->style()->unpolish(label_);  // the sheet looks at a property once
    label_->style()->polish(label_);
    label_->setText(sentence);
    setAccessibleName(sentence);
    QFrame::show();
}

QString MessageBar::text() const {
    return isVisibleTo(parentWidget()) ? label_->text() : QString();
}

void MessageBar::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(4), edge, theme_->pixels(4));
}

}  // namespace headloom
