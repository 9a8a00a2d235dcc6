#include "views/panels/prompt_bar.h"

#include "views/panels/glyphs.h"
#include "views/panels/token_finder.h"
#include "views/panels/token_strip.h"
#include "views/viewmodels/explore_view_model.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

PromptBar::PromptBar(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      search_(model),
      stack_(new QStackedWidget),
      strip_(new TokenStrip(model, search_, theme)),
      finder_(new TokenFinder(search_, theme)),
      edit_(new QLineEdit),
      note_(new QLabel),
      words_(tokenSwitch(tr("Words"),
                         tr("Merge the pieces of a word: attention to a word is the sum over its "
                            "pieces, attention of a word the mean over its pieces (Ctrl+Shift+W)"),
                         &DisplayOptions::Values::words)),
      ids_(tokenSwitch(tr("Ids"), tr("Show the ids of the tokens (Ctrl+Shift+I)"),
                       &DisplayOptions::Values::ids)),
      tokenizer_(new QToolButton),
      editButton_(new QToolButton),
      newButton_(new QToolButton),
      number_(new QSpinBox) {
    auto* caption = new QLabel(tr("Prompt"));
    caption->setProperty("role", "soft");
    caption->setObjectName(QStringLiteral("railCaption"));
    edit_->setAccessibleName(tr("Prompt as text"));
    edit_->installEventFilter(this);
    note_->setProperty("role", "soft");
    editButton_->setAccessibleName(tr("Edit the prompt"));
    editButton_->setToolTip(tr("Edit the prompt (Ctrl+L)"));
    editButton_->setProperty("look", "quiet");
    newButton_->setAccessibleName(tr("New example"));
    newButton_->setToolTip(tr("Next held-out example (Ctrl+N)"));
    newButton_->setProperty("look", "quiet");
    number_->setAccessibleName(tr("Example number in the held-out split"));
    number_->setToolTip(tr("Example number in the held-out split"));
    number_->setRange(0, 999'999);
    number_->setPrefix(tr("example "));
    number_->setKeyboardTracking(false);

    tokenizer_->setText(tr("Choose a tokenizer…"));
    tokenizer_->setToolTip(tr("Read prompts as text, with a tokenizer from a file (Ctrl+Shift+K)"));

    stack_->addWidget(strip_);
    stack_->addWidget(edit_);
    stack_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);

    auto* line = new QHBoxLayout;
    line->addWidget(caption);
    line->addWidget(stack_, 1);
    line->addWidget(finder_);
    line->addWidget(note_);
    line->addWidget(tokenizer_);
    line->addWidget(words_);
    line->addWidget(ids_);
    line->addWidget(editButton_);
    line->addWidget(number_);
    line->addWidget(newButton_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(line);

    connect(strip_, &TokenStrip::editRequested, this, &PromptBar::startEditing);
    connect(editButton_, &QToolButton::clicked, this, &PromptBar::startEditing);
    connect(edit_, &QLineEdit::returnPressed, this, &PromptBar::run);
    connect(newButton_, &QToolButton::clicked, this,
            [this] { model_->session().setExampleIndex(number_->value() + 1); });
    connect(number_, &QSpinBox::valueChanged, this,
            [this](int index) { model_->session().setExampleIndex(index); });
    connect(tokenizer_, &QToolButton::clicked, this, &PromptBar::tokenizerRequested);
    connect(&model.display(), &DisplayOptions::changed, this, &PromptBar::followDisplay);
    connect(&model.session(), &ExploreSession::stateChanged, this, &PromptBar::refresh);
    connect(&model.session(), &ExploreSession::answered, this, &PromptBar::refresh);
    connect(&theme, &Theme::changed, this, &PromptBar::restyle);
    restyle();
    refresh();
    followDisplay();
}

/// A switch of how tokens are shown.
QToolButton* PromptBar::tokenSwitch(const QString& text, const QString& tip,
                                    bool DisplayOptions::Values::*option) {
    auto* made = new QToolButton(this);
    made->setText(text);
    made->setToolTip(tip);
    made->setCheckable(true);
    made->setProperty("look", "quiet");
    connect(made, &QToolButton::clicked, this, [this, option](bool on) {
        DisplayOptions::Values wanted = model_->display().values();
        wanted.*option = on;
        model_->display().setValues(wanted);
    });
    return made;
}

void PromptBar::followDisplay() {
    words_->setChecked(model_->display().values().words);
    ids_->setChecked(model_->display().values().ids);
}

void PromptBar::startEditing() {
    edit_->setText(model_->session().promptText());
    stack_->setCurrentWidget(edit_);
    edit_->setFocus(Qt::ShortcutFocusReason);
    edit_->selectAll();
}

void PromptBar::stopEditing() {
    showProblem({});
    stack_->setCurrentWidget(strip_);
}

void PromptBar::find() {
    stopEditing();  // what is found is shown on the chips
    finder_->open();
}

void PromptBar::run() {
    const auto accepted = model_->session().setPrompt(edit_->text());
    if (!accepted) return showProblem(QString::fromStdString(accepted.error().sentence()));
    stopEditing();
    strip_->setFocus(Qt::OtherFocusReason);
}

bool PromptBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == edit_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        stopEditing();
        strip_->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

void PromptBar::showProblem(const QString& sentence) {
    if (!problem_) {
        // It floats over what is below, so that nothing moves while one types.
        problem_ = new QLabel(parentWidget());
        problem_->setProperty("role", "danger");
        problem_->setProperty("card", "true");
        problem_->setWordWrap(true);
        problem_->setMargin(theme_->pixels(8));
    }
    problem_->setText(sentence);
    problem_->setAccessibleName(sentence);
    problem_->setVisible(!sentence.isEmpty());
    if (sentence.isEmpty()) return;
    const QPoint below = stack_->mapTo(parentWidget(), QPoint(0, stack_->height()));
    const int width = std::min(stack_->width(), theme_->pixels(720));
    problem_->setGeometry(below.x(), below.y(), width, problem_->heightForWidth(width));
    problem_->raise();
}

void PromptBar::refresh() {
    const ExploreSession& session = model_->session();
    const bool typed = !session.state().typedPrompt.isEmpty();
    const QSignalBlocker quiet(number_);
    number_->setValue(session.state().exampleIndex);
    const QString idsOnly = session.idsOnlyReason();
    edit_->setPlaceholderText(
        !idsOnly.isEmpty()    ? tr("Ids, such as 1 403 407; Enter runs them, Escape goes back")
        : session.readsText() ? tr("Any text; Enter runs it, Escape goes back")
                              : tr("Tokens of this example; Enter runs them, Escape goes back"));
    tokenizer_->setVisible(!idsOnly.isEmpty());
    words_->setVisible(session.readsText());
    ids_->setVisible(session.readsText());
    number_->setVisible(!session.freeText());
    newButton_->setVisible(!session.freeText());
    QString note;
    if (!idsOnly.isEmpty())
        note = tr("ids only: %1").arg(idsOnly);
    else if (typed && !session.freeText())
        note = session.freePromptReason().isEmpty() ? tr("your prompt")
                                                    : tr("your prompt, no true chain");
    note_->setText(note);
    note_->setToolTip(session.freePromptReason());
    note_->setVisible(!note.isEmpty());
}

void PromptBar::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(2));
    layout()->setSpacing(theme_->pixels(4));
    edit_->setFont(theme_->font(TextRole::token));
    stack_->setFixedHeight(theme_->pixels(34));
    editButton_->setIcon(glyphIcon(Glyph::edit, *theme_));
    newButton_->setIcon(glyphIcon(Glyph::fresh, *theme_));
    for (QToolButton* button : {editButton_, newButton_})
        button->setIconSize(QSize(theme_->pixels(16), theme_->pixels(16)));
    findChild<QLabel*>(QStringLiteral("railCaption"))->setFixedWidth(theme_->pixels(84));
}

}  // namespace headloom
