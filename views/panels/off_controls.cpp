#include "views/panels/off_controls.h"

#include "views/panels/elided_combo.h"
#include "views/panels/other_prompt_row.h"
#include "views/panels/segments.h"
#include "views/viewmodels/explore_view_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace headloom {

namespace {
constexpr int mostOffLines = 6;
constexpr int everyToken = -1;
}  // namespace

OffControls::OffControls(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      part_(new QLineEdit),
      instead_(ElidedCombo::narrow(tr("What takes its place"))),
      row_(new QSpinBox),
      renormalise_(new QCheckBox(tr("Renormalise"))),
      other_(new OtherPromptRow(model, theme)),
      list_(new QListWidget),
      problem_(new QLabel) {
    part_->setAccessibleName(tr("Part to switch off"));
    part_->setPlaceholderText(tr("L0H1.q0k1"));
    part_->setToolTip(
        tr("A layer L1, L1.attn, L1.mlp, a head L1H3, a pseudo-head L1H3.q0 (as query), .k0 (as "
           "key) or .p0 (both), a tile L1H3.q0k1, a cell L1H3.q0k1[18,12], or a weight "
           "L1.alphaQ[2,1,0]"));
    instead_->addItem(tr("zero"), static_cast<int>(Instead::zero));
    instead_->addItem(tr("mean"), static_cast<int>(Instead::mean));
    instead_->addItem(tr("self only"), static_cast<int>(Instead::self));
    instead_->addItem(tr("other"), static_cast<int>(Instead::other));
    instead_->setToolTip(
        tr("Nothing, its mean over the positions of this prompt, attention to the own token "
           "alone, or what stands there in another prompt (patching)"));
    row_->setAccessibleName(tr("At which token"));
    row_->setToolTip(tr("At this token only, as query or as what is written"));
    row_->setRange(everyToken, 999'999);
    row_->setValue(everyToken);
    row_->setSpecialValueText(tr("at every token"));
    row_->setPrefix(tr("at token "));
    renormalise_->setAccessibleName(tr("Renormalise"));
    renormalise_->setToolTip(
        tr("Leave a tile or a cell out before the softmax instead of multiplying it by 0 after"));
    QToolButton* off = textButton(tr("Off"), tr("Switch this part off"));
    list_->setAccessibleName(tr("Parts that are switched off"));
    list_->setToolTip(tr("Double-click or Delete switches a part on again"));
    problem_->setProperty("role", "danger");
    problem_->setWordWrap(true);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(part_, 0, 0);
    grid->addWidget(instead_, 0, 1);
    grid->addWidget(off, 0, 2);
    grid->addWidget(row_, 1, 0);
    grid->addWidget(renormalise_, 1, 1, 1, 2);
    grid->addWidget(other_, 2, 0, 1, 3);
    grid->addWidget(problem_, 3, 0, 1, 3);
    grid->addWidget(list_, 4, 0, 1, 3);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    auto* remove = new QAction(tr("Switch on again"), list_);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(remove);
    connect(remove, &QAction::triggered, this, &OffControls::switchOn);
    connect(list_, &QListWidget::itemActivated, this, &OffControls::switchOn);
    connect(off, &QToolButton::clicked, this, &OffControls::switchOff);
    connect(part_, &QLineEdit::returnPressed, this, &OffControls::switchOff);
    connect(part_, &QLineEdit::textEdited, problem_, &QWidget::hide);
    connect(instead_, &QComboBox::currentIndexChanged, this, [this] {
        other_->setVisible(instead_->currentData().toInt() == static_cast<int>(Instead::other));
    });
    connect(&model.edits(), &ColumnEdits::changed, this, &OffControls::refresh);
    connect(&theme, &Theme::changed, this, &OffControls::restyle);
    problem_->hide();
    other_->hide();
    restyle();
    refresh();
}

void OffControls::setSide(Side side) {
    side_ = side;
    refresh();
}

void OffControls::switchOff() {
    Cut how;
    how.instead = static_cast<Instead>(instead_->currentData().toInt());
    how.row = row_->value();
    how.renormalise = renormalise_->isChecked();
    const QString problem =
        model_->edits().switchOff(side_, part_->text().trimmed(), std::move(how));
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    if (problem.isEmpty()) part_->clear();
}

void OffControls::switchOn() {
    const int row = list_->currentRow();
    const std::vector<Cut>& cuts = model_->edits().cuts(side_);
    if (row >= 0 && row < static_cast<int>(cuts.size()))
        model_->edits().toggle(side_, ModelPart(cuts[static_cast<std::size_t>(row)].part));
}

void OffControls::refresh() {
    const int row = list_->currentRow();
    list_->clear();
    for (const Cut& cut : model_->edits().cuts(side_))
        list_->addItem(QString::fromStdString(nameOf(cut)));
    list_->setCurrentRow(std::min(row, list_->count() - 1));
    list_->setVisible(list_->count() > 0);
    const int lines = std::clamp(list_->count(), 1, mostOffLines);
    list_->setFixedHeight(lines * theme_->pixels(24) + theme_->pixels(8));
}

void OffControls::restyle() {
    auto* grid = static_cast<QGridLayout*>(layout());
    grid->setHorizontalSpacing(theme_->pixels(6));
    grid->setVerticalSpacing(theme_->pixels(6));
    refresh();
}

}  // namespace headloom
