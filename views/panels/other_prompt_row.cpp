#include "views/panels/other_prompt_row.h"

#include "views/viewmodels/explore_view_model.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>

namespace headloom {

OtherPromptRow::OtherPromptRow(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      example_(new QSpinBox),
      text_(new QLineEdit),
      problem_(new QLabel),
      gesture_(model.edits().newGesture()) {
    example_->setAccessibleName(tr("Example to patch from"));
    example_->setToolTip(tr("Held-out example whose activations take the part's place"));
    example_->setRange(0, 999'999);
    example_->setPrefix(tr("example "));
    example_->setKeyboardTracking(false);
    text_->setAccessibleName(tr("Prompt to patch from"));
    text_->setToolTip(
        tr("A prompt of as many tokens, whose activations take the part's place; Return takes it"));
    problem_->setProperty("role", "danger");
    problem_->setWordWrap(true);
    problem_->hide();
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(example_, 0, 0);
    grid->addWidget(text_, 0, 1);
    grid->addWidget(problem_, 1, 0, 1, 2);
    grid->setColumnStretch(1, 1);
    connect(example_, &QSpinBox::valueChanged, this, [this](int value) { choose(value, {}); });
    connect(text_, &QLineEdit::returnPressed, this,
            [this] { choose(example_->value(), text_->text().trimmed()); });
    connect(text_, &QLineEdit::textEdited, problem_, &QWidget::hide);
    connect(&model.edits(), &ColumnEdits::changed, this, &OtherPromptRow::refresh);
    connect(&model.session(), &ExploreSession::stateChanged, this, &OtherPromptRow::refresh);
    connect(&theme, &Theme::changed, this, &OtherPromptRow::restyle);
    restyle();
    refresh();
}

void OtherPromptRow::choose(int example, const QString& text) {
    const QString problem = model_->edits().setOtherPrompt({example, text}, gesture_);
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
}

/// What was typed and not taken stays to be mended.
void OtherPromptRow::refresh() {
    const bool free = model_->session().freeText();
    example_->setVisible(!free);
    text_->setPlaceholderText(free ? tr("a prompt as long") : tr("or a prompt"));
    const ColumnEdits::OtherPrompt& other = model_->edits().otherPrompt();
    const QSignalBlocker quiet(example_);
    example_->setValue(other.example);
    if (!text_->hasFocus() && problem_->isHidden()) text_->setText(other.text);
}

void OtherPromptRow::restyle() {
    auto* grid = static_cast<QGridLayout*>(layout());
    grid->setHorizontalSpacing(theme_->pixels(6));
    grid->setVerticalSpacing(theme_->pixels(6));
}

}  // namespace headloom
