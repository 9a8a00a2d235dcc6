#include "views/panels/train_setup.h"

#include "views/panels/elided_combo.h"
#include "views/panels/learning_form.h"
#include "views/panels/line_sample.h"
#include "views/panels/task_settings_form.h"
#include "views/viewmodels/comparison_setup.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace headloom {

namespace {

/// Which field of the changes a size is.
std::optional<int>& sizeOf(ArmChanges& changes, int which) {
    switch (which) {
        case 0:
            return changes.heads;
        case 1:
            return changes.pseudo;
        case 2:
            return changes.layers;
        case 3:
            return changes.width;
        default:
            return changes.mlp;
    }
}

int shownSize(const ArmShown& shown, int which) {
    const int all[] = {shown.heads, shown.pseudo, shown.layers, shown.width, shown.mlp};
    return all[which];
}

QLabel* caption(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "soft");
    return label;
}

}  // namespace

TrainSetup::TrainSetup(ComparisonSetup& model, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      task_(new QComboBox),
      settings_(new TaskSettingsForm(model, theme)),
      look_(new QLabel),
      problem_(new QLabel),
      grid_(new QGridLayout),
      lines_(),
      add_(new QToolButton),
      more_(new QToolButton),
      learning_(new LearningForm(model, theme)),
      counts_(new QWidget),
      seeds_(new QSpinBox),
      steps_(new QSpinBox) {
    task_->setAccessibleName(tr("Task"));
    look_->setProperty("role", "soft");
    look_->setWordWrap(true);
    problem_->setProperty("role", "danger");
    problem_->setWordWrap(true);

    const std::pair<QString, QString> heads[sizes] = {
        {tr("H"), tr("Heads")},
        {tr("P"), tr("Pseudo-heads of each head (IHA)")},
        {tr("L"), tr("Layers")},
        {tr("D"), tr("Width of the model; H must divide it")},
        {tr("MLP"), tr("Hidden width of the MLP as a multiple of D; 0: no MLP")}};
    for (int which = 0; which < sizes; ++which) {
        QLabel* head = caption(heads[which].first);
        head->setToolTip(heads[which].second);
        head->setAlignment(Qt::AlignCenter);
        grid_->addWidget(head, 0, 2 + which);
    }
    grid_->addWidget(caption(tr("arm")), 0, 1);
    grid_->setColumnStretch(1, 1);
    for (int arm = 0; arm < arms; ++arm) lines_[static_cast<std::size_t>(arm)] = makeLine(arm);

    add_->setText(tr("Add an arm"));
    add_->setAccessibleName(add_->text());
    add_->setProperty("look", "quiet");
    add_->setFocusPolicy(Qt::TabFocus);
    more_->setText(tr("Learning"));
    more_->setToolTip(
        tr("Learning rate, batch, how the mixing starts, a goal: for all arms alike"));
    more_->setAccessibleName(more_->text());
    more_->setAccessibleDescription(more_->toolTip());
    more_->setProperty("look", "quiet");
    more_->setCheckable(true);
    more_->setFocusPolicy(Qt::TabFocus);
    seeds_->setRange(1, ComparisonSetup::mostSeeds);
    seeds_->setAccessibleName(tr("Seeds"));
    seeds_->setToolTip(tr("How many times each arm is trained, from other weights and samples"));
    steps_->setRange(1, 1'000'000);
    steps_->setSingleStep(100);
    steps_->setAccessibleName(tr("Steps"));
    steps_->setToolTip(tr("Updates of every run"));

    auto* taskLine = new QHBoxLayout;
    taskLine->addWidget(caption(tr("Task")));
    taskLine->addWidget(task_, 1);
    auto* counts = new QHBoxLayout(counts_);
    counts->setContentsMargins(0, 0, 0, 0);
    counts->addWidget(add_);
    counts->addWidget(more_);
    counts->addStretch(1);
    counts->addWidget(caption(tr("seeds")));
    counts->addWidget(seeds_);
    counts->addWidget(caption(tr("steps")));
    counts->addWidget(steps_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(taskLine);
    all->addWidget(look_);
    all->addWidget(settings_);
    all->addLayout(grid_);
    all->addWidget(counts_);
    all->addWidget(learning_);
    all->addWidget(problem_);

    connect(task_, &QComboBox::activated, this,
            [this] { model_->setTask(task_->currentData().toString()); });
    connect(more_, &QToolButton::toggled, this, &TrainSetup::refresh);
    connect(add_, &QToolButton::clicked, &model, &ComparisonSetup::addArm);
    connect(seeds_, &QSpinBox::valueChanged, &model, &ComparisonSetup::setSeeds);
    connect(steps_, &QSpinBox::valueChanged, &model, &ComparisonSetup::setSteps);
    connect(&model, &ComparisonSetup::changed, this, &TrainSetup::refresh);
    connect(&theme, &Theme::changed, this, &TrainSetup::restyle);
    fillTasks();
    restyle();
    refresh();
}

TrainSetup::Line TrainSetup::makeLine(int arm) {
    Line line{new LineSample(*theme_), new ElidedCombo, {}, new QToolButton};
    line.base->setAccessibleName(tr("Arm %1").arg(arm + 1));
    line.base->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    line.base->setMinimumContentsLength(9);
    const QString names[sizes] = {tr("heads"), tr("pseudo-heads"), tr("layers"), tr("width"),
                                  tr("MLP")};
    const int highest[sizes] = {64, 16, 16, 1024, 8};
    const int lowest[sizes] = {1, 1, 1, 1, 0};
    for (int which = 0; which < sizes; ++which) {
        auto* field = new QSpinBox;
        field->setRange(lowest[which], highest[which]);
        field->setSingleStep(which == 3 ? 8 : 1);
        field->setButtonSymbols(QAbstractSpinBox::NoButtons);
        field->setProperty("look", "small");
        field->setAlignment(Qt::AlignCenter);
        field->setAccessibleName(tr("Arm %1: %2").arg(arm + 1).arg(names[which]));
        field->setToolTip(tr("%1: type it, or turn the wheel").arg(names[which]));
        field->setKeyboardTracking(false);
        connect(field, &QSpinBox::valueChanged, this,
                [this, arm, which](int value) { writeSize(arm, which, value); });
        line.size[static_cast<std::size_t>(which)] = field;
        grid_->addWidget(field, arm + 1, 2 + which);
    }
    line.remove->setText(QStringLiteral("×"));
    line.remove->setAccessibleName(tr("Remove arm %1").arg(arm + 1));
    line.remove->setToolTip(line.remove->accessibleName());
    line.remove->setProperty("look", "quiet");
    line.remove->setFocusPolicy(Qt::TabFocus);
    grid_->addWidget(line.mark, arm + 1, 0);
    grid_->addWidget(line.base, arm + 1, 1);
    grid_->addWidget(line.remove, arm + 1, 2 + sizes);
    connect(line.base, &QComboBox::activated, this, [this, arm](int choice) {
        model_->setArm(arm, model_->armChoices()[static_cast<std::size_t>(choice)].setup);
    });
    connect(line.remove, &QToolButton::clicked, this, [this, arm] { model_->removeArm(arm); });
    return line;
}

void TrainSetup::fillTasks() {
    task_->clear();
    for (const auto& [id, title] : model_->tasks()) task_->addItem(title, id);
}

void TrainSetup::writeSize(int arm, int which, int value) {
    if (refreshing_) return;
    ArmSetup setup = model_->arms()[static_cast<std::size_t>(arm)];
    sizeOf(setup.changes, which) = value;
    model_->setArm(arm, setup);
}

void TrainSetup::refresh() {
    refreshing_ = true;
    task_->setCurrentIndex(task_->findData(model_->task()));
    task_->setEnabled(!model_->locked());
    look_->setText(model_->taskExplanation());
    // Once models learn, the room belongs to their curves.
    look_->setVisible(!model_->locked());
    counts_->setVisible(!model_->locked());
    learning_->setVisible(!model_->locked() && more_->isChecked());
    task_->setToolTip(model_->taskExplanation());
    const int count = static_cast<int>(model_->arms().size());
    QString problem = model_->taskProblem();
    for (int arm = 0; arm < arms; ++arm) {
        Line& line = lines_[static_cast<std::size_t>(arm)];
        line.mark->setVisible(arm < count);
        line.base->setVisible(arm < count);
        line.remove->setVisible(arm < count);
        for (QSpinBox* field : line.size) field->setVisible(arm < count);
        if (arm >= count) continue;
        refreshLine(arm);
        if (problem.isEmpty()) problem = model_->shown(arm).problem;
    }
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    add_->setEnabled(!model_->locked() && count < arms);
    seeds_->setValue(model_->seeds());
    steps_->setValue(model_->steps());
    seeds_->setEnabled(!model_->locked());
    steps_->setEnabled(!model_->locked());
    refreshing_ = false;
}

void TrainSetup::refreshLine(int arm) {
    const Line& line = lines_[static_cast<std::size_t>(arm)];
    const ArmShown shown = model_->shown(arm);
    line.mark->setLine(shown.interleaved, model_->dash(arm));
    line.base->clear();
    for (const ArmChoice& choice : model_->armChoices()) line.base->addItem(choice.title);
    line.base->setCurrentIndex(model_->armChoice(arm));
    line.base->setToolTip(shown.problem.isEmpty()
                              ? tr("%1: %L2 parameters").arg(shown.title).arg(shown.parameters)
                              : shown.problem);
    line.base->setEnabled(!model_->locked());
    line.remove->setEnabled(!model_->locked() && model_->arms().size() > 1);
    for (int which = 0; which < sizes; ++which) {
        QSpinBox* field = line.size[static_cast<std::size_t>(which)];
        field->setValue(shownSize(shown, which));
        const bool given = (which == 1 && !shown.interleaved) || (which > 1 && shown.oneLayer);
        field->setEnabled(!model_->locked() && !given);
    }
}

void TrainSetup::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(4));
    layout()->setSpacing(theme_->pixels(6));
    grid_->setHorizontalSpacing(theme_->pixels(4));
    grid_->setVerticalSpacing(theme_->pixels(4));
    for (const Line& line : lines_)
        for (int which = 0; which < sizes; ++which)
            line.size[static_cast<std::size_t>(which)]->setFixedWidth(
                theme_->pixels(which == 3 ? 48 : 34));
    seeds_->setFixedWidth(theme_->pixels(64));
    steps_->setFixedWidth(theme_->pixels(86));
}

}  // namespace headloom
