#include "views/panels/mixing_controls.h"

#include "views/panels/elided_combo.h"
#include "views/panels/segments.h"
#include "views/viewmodels/explore_view_model.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

namespace {

using Kind = MixingPreset::Kind;
constexpr int allLayers = 1;

QComboBox* presetBox(Kind chosen, const QString& name) {
    auto* box = ElidedCombo::narrow(name);
    const auto add = [box](const QString& title, Kind kind, const QString& tip) {
        box->addItem(title, static_cast<int>(kind));
        box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
    };
    add(MixingControls::tr("Trained"), Kind::trained, MixingControls::tr("As it was opened"));
    add(MixingControls::tr("Identity"), Kind::identity,
        MixingControls::tr("Every pseudo-head a copy of its head; R reads its own last one"));
    add(MixingControls::tr("Uniform"), Kind::uniform, MixingControls::tr("Every source alike"));
    add(MixingControls::tr("Random"), Kind::random,
        MixingControls::tr("Normal numbers that keep the scale, from the seed"));
    box->setCurrentIndex(box->findData(static_cast<int>(chosen)));
    return box;
}

QLabel* soft(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "soft");
    return label;
}

MixingPreset presetOf(const QComboBox& box, int seed) {
    MixingPreset preset{static_cast<Kind>(box.currentData().toInt()), 0};
    if (preset.kind == Kind::random) preset.seed = static_cast<std::uint64_t>(seed);
    return preset;
}

}  // namespace

MixingControls::MixingControls(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      from_(presetBox(Kind::trained, tr("Mixing at 0 %"))),
      to_(presetBox(Kind::identity, tr("Mixing at 100 %"))),
      matrix_(ElidedCombo::narrow(tr("Which matrices are changed"))),
      layers_(ElidedCombo::narrow(tr("Which layers are changed"))),
      seed_(new QSpinBox),
      percent_(new QSpinBox),
      slider_(new QSlider(Qt::Horizontal)),
      reset_(
          textButton(tr("Reset to trained"), tr("Undo every edit of the mixing (Ctrl+Backspace)"))),
      of_(soft(tr("of"))),
      hint_(soft({})),
      controls_(new QWidget) {
    layers_->addItems({tr("this layer"), tr("all layers")});
    layers_->setCurrentIndex(allLayers);
    seed_->setRange(0, 999);
    seed_->setPrefix(tr("seed "));
    seed_->setAccessibleName(tr("Seed of random mixing"));
    percent_->setRange(0, 100);
    percent_->setSuffix(tr(" %"));
    percent_->setKeyboardTracking(false);
    percent_->setAccessibleName(tr("Share of the second mixing"));
    slider_->setRange(0, 100);
    slider_->setAccessibleName(tr("From the first mixing to the second"));
    hint_->setWordWrap(true);

    auto* grid = new QGridLayout(controls_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(from_, 0, 0);
    grid->addWidget(soft(tr("→")), 0, 1);
    grid->addWidget(to_, 0, 2);
    grid->addWidget(slider_, 1, 0, 1, 2);
    grid->addWidget(percent_, 1, 2);
    grid->addWidget(matrix_, 2, 0);
    grid->addWidget(of_, 2, 1);
    grid->addWidget(layers_, 2, 2);
    grid->addWidget(reset_, 3, 0);
    grid->addWidget(seed_, 3, 2);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(2, 1);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(hint_);
    all->addWidget(controls_);

    connect(slider_, &QSlider::sliderPressed, this,
            [this] { gesture_ = model_->edits().newGesture(); });
    connect(slider_, &QSlider::valueChanged, this, [this](int percent) {
        if (gesture_ == 0) gesture_ = model_->edits().newGesture();
        applyAt(percent, gesture_);
    });
    connect(percent_, &QSpinBox::valueChanged, this, &MixingControls::apply);
    // Choosing what to go to is a wish to see it; choosing where to come from is not.
    connect(to_, &QComboBox::activated, this, [this] { apply(100); });
    connect(from_, &QComboBox::activated, this, [this] { apply(0); });
    connect(seed_, &QSpinBox::valueChanged, this, [this] { apply(percent_->value()); });
    connect(reset_, &QToolButton::clicked, this, [this] { model_->edits().resetMixing(side_); });
    connect(&model.edits(), &ColumnEdits::changed, this, &MixingControls::refresh);
    connect(&model, &ExploreViewModel::runsChanged, this, &MixingControls::refresh);
    connect(&theme, &Theme::changed, this, &MixingControls::restyle);
    restyle();
    refresh();
}

void MixingControls::setSide(Side side) {
    side_ = side;
    setPercent(0);
    refresh();
}

void MixingControls::apply(int percent) {
    applyAt(percent, 0);
    gesture_ = 0;
}

void MixingControls::applyAt(int percent, int gesture) {
    setPercent(percent);
    MixingScope scope;
    if (layers_->currentIndex() != allLayers)
        scope.layer = std::min(model_->selection().layer(), model_->head(side_).layers - 1);
    if (matrix_->currentIndex() > 0)
        scope.matrix = static_cast<MixingTensor>(matrix_->currentData().toInt());
    model_->edits().setMixing(side_, scope, presetOf(*from_, seed_->value()),
                              presetOf(*to_, seed_->value()), percent / 100.0, gesture);
}

void MixingControls::setPercent(int percent) {
    const QSignalBlocker quietSlider(slider_), quietNumber(percent_);
    slider_->setValue(percent);
    percent_->setValue(percent);
}

void MixingControls::fillMatrices() {
    QStringList names{tr("all matrices")};
    std::vector<int> matrices{-1};
    for (const MixingSheet& sheet : model_->mixing(side_)) {
        names << QString::fromUtf8(nameOf(sheet.matrix).data());
        matrices.push_back(static_cast<int>(sheet.matrix));
    }
    QStringList held;
    for (int i = 0; i < matrix_->count(); ++i) held << matrix_->itemText(i);
    if (held == names) return;
    matrix_->clear();
    for (std::size_t i = 0; i < matrices.size(); ++i)
        matrix_->addItem(names[static_cast<qsizetype>(i)], matrices[i]);
}

void MixingControls::refresh() {
    const ColumnHead head = model_->head(side_);
    controls_->setVisible(head.mixes);
    hint_->setVisible(!head.mixes);
    hint_->setText(head.present ? tr("This layer mixes no heads, so there is no mixing to change")
                                : tr("No model stands in this column"));
    fillMatrices();
    for (QWidget* one : std::initializer_list<QWidget*>{of_, layers_})
        one->setVisible(head.layers > 1);
    const int random = static_cast<int>(Kind::random);
    seed_->setVisible(from_->currentData() == random || to_->currentData() == random);
    const bool edited = model_->edits().mixingEdited(side_);
    reset_->setEnabled(edited);
    if (!edited && from_->currentData() == static_cast<int>(Kind::trained)) setPercent(0);
}

void MixingControls::restyle() {
    auto* grid = static_cast<QGridLayout*>(controls_->layout());
    grid->setHorizontalSpacing(theme_->pixels(8));
    grid->setVerticalSpacing(theme_->pixels(8));
}

}  // namespace headloom
