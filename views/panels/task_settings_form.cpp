#include "views/panels/task_settings_form.h"

#include "views/viewmodels/comparison_setup.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

namespace headloom {

namespace {

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

}  // namespace

TaskSettingsForm::TaskSettingsForm(ComparisonSetup& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(&model), theme_(&theme), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setColumnStretch(1, 1);
    grid_->setColumnStretch(3, 1);
    connect(&model, &ComparisonSetup::changed, this, &TaskSettingsForm::refresh);
    connect(&theme, &Theme::changed, this, &TaskSettingsForm::restyle);
    refresh();
    restyle();
}

void TaskSettingsForm::rebuild() {
    while (QLayoutItem* item = grid_->takeAt(0)) {
        // The sender of a change may be among them.
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    fields_.clear();
    task_ = model_->task();
    const TaskChoices choices = model_->taskChoices();
    int place = 0;
    const auto add = [&](const QString& name, const QString& title, const QString& tip,
                         QWidget* editor) {
        auto* caption = new QLabel(title);
        caption->setProperty("role", "soft");
        caption->setToolTip(tip);
        editor->setAccessibleName(title);
        editor->setToolTip(tip);
        grid_->addWidget(caption, place / 2, 2 * (place % 2));
        grid_->addWidget(editor, place / 2, 2 * (place % 2) + 1);
        fields_.push_back({name, editor});
        ++place;
    };
    if (!choices.presets.empty()) {
        auto* presets = new QComboBox;
        presets->addItem(tr("as below"), QString());
        for (const TaskPreset& preset : choices.presets)
            presets->addItem(text(preset.title), text(preset.name));
        connect(presets, &QComboBox::activated, this, [this, presets] {
            model_->setTaskSetting(QStringLiteral("preset"), presets->currentData().toString());
        });
        add(QStringLiteral("preset"), tr("Preset"), tr("Sizes that belong together"), presets);
    }
    for (const TaskSetting& setting : choices.settings) {
        const QString name = text(setting.name);
        QWidget* editor = nullptr;
        if (setting.kind == TaskSetting::Kind::wholeNumber) {
            auto* number = new QSpinBox;
            number->setRange(static_cast<int>(setting.least), static_cast<int>(setting.most));
            number->setKeyboardTracking(false);
            connect(number, &QSpinBox::valueChanged, this, [this, name](int value) {
                if (!refreshing_) model_->setTaskSetting(name, QString::number(value));
            });
            editor = number;
        } else {
            auto* line = new QLineEdit;
            connect(line, &QLineEdit::editingFinished, this,
                    [this, name, line] { model_->setTaskSetting(name, line->text()); });
            editor = line;
        }
        add(name, text(setting.title),
            QStringLiteral("%1 (%2)").arg(text(setting.sentence), text(setting.range())), editor);
    }
}

void TaskSettingsForm::refresh() {
    refreshing_ = true;
    if (task_ != model_->task()) rebuild();
    for (const Field& field : fields_) {
        const QString value = model_->taskSetting(field.name);
        if (auto* number = qobject_cast<QSpinBox*>(field.editor))
            number->setValue(value.toInt());
        else if (auto* line = qobject_cast<QLineEdit*>(field.editor))
            line->setText(value);
        else if (auto* presets = qobject_cast<QComboBox*>(field.editor))
            presets->setCurrentIndex(std::max(0, presets->findData(value)));
    }
    setVisible(!model_->locked() && !fields_.empty());
    refreshing_ = false;
}

void TaskSettingsForm::restyle() {
    grid_->setHorizontalSpacing(theme_->pixels(8));
    grid_->setVerticalSpacing(theme_->pixels(4));
}

}  // namespace headloom
