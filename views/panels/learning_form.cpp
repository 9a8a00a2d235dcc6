#include "views/panels/learning_form.h"

#include "views/viewmodels/comparison_setup.h"

#include <QComboBox>
#include <QDoubleValidator>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>

namespace headloom {

LearningForm::LearningForm(ComparisonSetup& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      grid_(new QGridLayout(this)),
      start_(new QComboBox) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setColumnStretch(1, 1);
    grid_->setColumnStretch(3, 1);
    addNumber(tr("Learning rate"), tr("At the end of the warm-up; it then falls along a cosine"),
              &LearningChanges::learningRate);
    addNumber(tr("Batch"), tr("Fresh samples of every step"), &LearningChanges::batch);
    start_->addItem(tr("each arm's own"));
    for (const std::string& name : mixingStartNames())
        start_->addItem(QString::fromStdString(name));
    connect(start_, &QComboBox::activated, this, &LearningForm::write);
    place(tr("Mixing starts"),
          tr("Where alpha and R of IHA start; exact copies of pseudo-heads stay copies"), start_);
    addNumber(tr("Noise"), tr("Deviation of the noise that alpha and R start with"),
              &LearningChanges::noise);
    addNumber(tr("Rate of alpha"), tr("A factor on the learning rate of the mixing weights"),
              &LearningChanges::mixingRate);
    addNumber(tr("Rate of R"), tr("A factor on the learning rate of the collapse"),
              &LearningChanges::collapseRate);
    addNumber(tr("Goal"),
              tr("A run stops when this share of held-out examples is exact, such as 0.99"),
              &LearningChanges::goal);
    connect(&model, &ComparisonSetup::changed, this, &LearningForm::refresh);
    connect(&theme, &Theme::changed, this, &LearningForm::restyle);
    refresh();
    restyle();
}

void LearningForm::place(const QString& title, const QString& tip, QWidget* editor) {
    auto* caption = new QLabel(title);
    caption->setProperty("role", "soft");
    caption->setToolTip(tip);
    editor->setAccessibleName(title);
    editor->setToolTip(tip);
    const int at = grid_->count() / 2;
    grid_->addWidget(caption, at / 2, 2 * (at % 2));
    grid_->addWidget(editor, at / 2, 2 * (at % 2) + 1);
}

void LearningForm::addNumber(const QString& title, const QString& tip,
                             std::optional<double> LearningChanges::*number) {
    auto* line = new QLineEdit;
    auto* numbers = new QDoubleValidator(0, 1e9, 12, line);
    numbers->setLocale(QLocale::c());
    line->setValidator(numbers);
    line->setPlaceholderText(number == &LearningChanges::goal ? tr("none") : tr("each arm's own"));
    connect(line, &QLineEdit::editingFinished, this, &LearningForm::write);
    place(title, tip, line);
    fields_.push_back({line, number});
}

void LearningForm::write() {
    LearningChanges changes;
    for (const Field& field : fields_) {
        bool isNumber = false;
        const double value = QLocale::c().toDouble(field.line->text(), &isNumber);
        if (isNumber) changes.*field.number = value;
    }
    if (start_->currentIndex() > 0)
        if (const auto start = mixingStartFrom(start_->currentText().toStdString()))
            changes.start = *start;
    model_->setLearning(changes);
}

void LearningForm::refresh() {
    const LearningChanges& changes = model_->learning();
    for (const Field& field : fields_) {
        const std::optional<double>& value = changes.*field.number;
        field.line->setText(value ? QLocale::c().toString(*value, 'g', 12) : QString());
        if (field.number == &LearningChanges::goal) field.line->setEnabled(!model_->filters());
    }
    start_->setCurrentIndex(changes.start ? start_->findText(QString::fromStdString(
                                                std::string(nameOf(*changes.start))))
                                          : 0);
}

void LearningForm::restyle() {
    grid_->setHorizontalSpacing(theme_->pixels(8));
    grid_->setVerticalSpacing(theme_->pixels(4));
}

}  // namespace headloom
