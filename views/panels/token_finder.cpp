#include "views/panels/token_finder.h"

#include "views/panels/glyphs.h"
#include "views/viewmodels/token_search.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace headloom {

TokenFinder::TokenFinder(TokenSearch& search, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      search_(&search),
      theme_(&theme),
      field_(new QLineEdit),
      count_(new QLabel),
      back_(stepper(tr("Previous token found"), tr("Previous (Shift+Return)"), -1)),
      forward_(stepper(tr("Next token found"), tr("Next (Return)"), 1)) {
    field_->setAccessibleName(tr("Find a token"));
    field_->setToolTip(
        tr("Text in the prompt and the chain, also over several tokens, or #403 for a token's id. "
           "Return goes to the next one, Shift+Return back, Escape puts this away"));
    field_->installEventFilter(this);
    count_->setProperty("role", "soft");
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(field_);
    line->addWidget(count_);
    line->addWidget(back_);
    line->addWidget(forward_);
    connect(field_, &QLineEdit::textEdited, &search, &TokenSearch::setQuery);
    connect(&search, &TokenSearch::changed, this, &TokenFinder::refresh);
    connect(&theme, &Theme::changed, this, &TokenFinder::restyle);
    hide();
    restyle();
    refresh();
}

QToolButton* TokenFinder::stepper(const QString& name, const QString& tip, int by) {
    auto* made = new QToolButton;
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setProperty("look", "quiet");
    connect(made, &QToolButton::clicked, this, [this, by] { search_->step(by); });
    return made;
}

void TokenFinder::open() {
    show();
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

void TokenFinder::close() {
    field_->clear();
    search_->setQuery({});
    hide();
}

bool TokenFinder::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* pressed = static_cast<QKeyEvent*>(event);
    switch (pressed->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            search_->step(pressed->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_Escape:
            close();
            return true;
        default:
            return QWidget::eventFilter(watched, event);
    }
}

void TokenFinder::refresh() {
    count_->setText(search_->text());
    for (QToolButton* button : {back_, forward_}) button->setEnabled(search_->matches().size() > 1);
}

void TokenFinder::restyle() {
    layout()->setSpacing(theme_->pixels(4));
    field_->setFixedWidth(theme_->pixels(120));
    // as wide as what it says at most, so that the prompt beside it keeps its place
    count_->setFixedWidth(theme_->pixels(78));
    back_->setIcon(glyphIcon(Glyph::back, *theme_));
    forward_->setIcon(glyphIcon(Glyph::forward, *theme_));
    for (QToolButton* button : {back_, forward_})
        button->setIconSize(QSize(theme_->pixels(14), theme_->pixels(14)));
}

}  // namespace headloom
