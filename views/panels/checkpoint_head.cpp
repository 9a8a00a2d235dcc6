#include "views/panels/checkpoint_head.h"

#include "views/panels/alpha_order_row.h"
#include "views/panels/elided_combo.h"
#include "views/panels/elided_label.h"
#include "views/panels/segments.h"
#include "views/viewmodels/checkpoint_view_model.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

namespace {

constexpr int progressSteps = 1000;
constexpr int mostPseudoOffered = 16;

}  // namespace

CheckpointHead::CheckpointHead(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      choice_(new ElidedCombo),
      open_(textButton(tr("Open…"), tr("Open a checkpoint of any kind to look into it; nothing is "
                                       "loaded yet (Ctrl+Alt+F)"))),
      left_(textButton(tr("Run on the left"),
                       tr("Let the model stand in the left column of Explore"))),
      right_(textButton(tr("Run on the right"),
                        tr("Let the model stand in the right column of Explore"))),
      export_(textButton(tr("Export…"), tr("Write the loaded model as a safetensors file"))),
      iha_(textButton(tr("Make an IHA…"),
                      tr("Give every head pseudo-heads with identity mixing: the "
                         "same answers, and mixing weights to edit"))),
      cancel_(textButton(tr("Stop"), tr("Stop loading the model"))),
      load_(new QPushButton(tr("Load the model"))),
      summary_(new ElidedLabel),
      memory_(new ElidedLabel),
      told_(new QLabel),
      progress_(new QProgressBar) {
    setProperty("bar", "line");
    choice_->setAccessibleName(tr("Checkpoint in view"));
    choice_->setToolTip(tr("What stands in the columns, and the files opened on this page"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(20);
    load_->setToolTip(tr("Read all weights into memory, to see heads and to let the doctor look"));
    memory_->setProperty("role", "soft");
    told_->setProperty("role", "soft");
    told_->setWordWrap(true);
    told_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    told_->hide();
    progress_->setRange(0, progressSteps);
    progress_->setAccessibleName(tr("Loading the model"));
    auto* first = new QHBoxLayout;
    first->addWidget(choice_, 1);
    for (QToolButton* one : {open_, left_, right_, export_, iha_}) first->addWidget(one);
    first->addStretch(0);
    auto* second = new QHBoxLayout;
    second->addWidget(memory_, 1);
    second->addWidget(progress_);
    second->addWidget(cancel_);
    second->addWidget(load_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(first);
    all->addWidget(summary_);
    all->addWidget(new AlphaOrderRow(model, theme));
    all->addLayout(second);
    all->addWidget(told_);
    connectAll();
    restyle();
    fillChoices();
    refresh();
}

void CheckpointHead::connectAll() {
    connect(choice_, &QComboBox::activated, this, [this](int index) {
        const std::vector<CheckpointChoice> known = model_->choices();
        if (index >= 0 && index < static_cast<int>(known.size()))
            model_->show(known[static_cast<std::size_t>(index)]);
    });
    connect(open_, &QToolButton::clicked, this, &CheckpointHead::askForFile);
    connect(left_, &QToolButton::clicked, this, [this] { model_->openInColumn(Side::left); });
    connect(right_, &QToolButton::clicked, this, [this] { model_->openInColumn(Side::right); });
    connect(export_, &QToolButton::clicked, this, &CheckpointHead::askWhereToExport);
    connect(iha_, &QToolButton::clicked, this, &CheckpointHead::askForIha);
    connect(load_, &QPushButton::clicked, model_, &CheckpointViewModel::loadModel);
    connect(cancel_, &QToolButton::clicked, &model_->weights(), &CheckpointWeights::cancel);
    connect(model_, &CheckpointViewModel::choicesChanged, this, &CheckpointHead::fillChoices);
    connect(model_, &CheckpointViewModel::shownChanged, told_, &QWidget::hide);
    for (const auto change :
         {&CheckpointViewModel::shownChanged, &CheckpointViewModel::modelChanged,
          &CheckpointViewModel::openingChanged})
        connect(model_, change, this, &CheckpointHead::refresh);
    connect(model_, &CheckpointViewModel::told, this, [this](const QString& sentence) {
        told_->setText(sentence);
        told_->show();
    });
    connect(theme_, &Theme::changed, this, &CheckpointHead::restyle);
}

void CheckpointHead::askForFile() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a checkpoint"), {},
        tr("Models and checkpoints (*.safetensors *.gguf *.bin *.pt *.pth *.ckpt *.npz *.npy "
           "*.index.json);;All files (*)"));
    if (!path.isEmpty()) model_->open(path);
}

void CheckpointHead::askWhereToExport() {
    if (!model_->model()) return;
    const QString name = QFileInfo(model_->shown()->title).completeBaseName();
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export the model as safetensors"),
        tr("%1-headloom.safetensors").arg(name.isEmpty() ? model_->shown()->title : name),
        tr("Headloom models (*.safetensors)"));
    if (!path.isEmpty()) model_->exportModel(path);
}

void CheckpointHead::askForIha() {
    bool agreed = false;
    const int pseudos = QInputDialog::getInt(
        this, tr("Make an IHA from this model"),
        tr("Pseudo-heads a head (P). Every map becomes P × P tiles, which cost P × P as much:"), 2,
        1, mostPseudoOffered, 1, &agreed);
    if (agreed) model_->makeIha(pseudos);
}

void CheckpointHead::fillChoices() {
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    int shown = -1;
    for (const CheckpointChoice& known : model_->choices()) {
        if (shown < 0 && model_->isShown(known)) shown = choice_->count();
        choice_->addItem(known.title);
        choice_->setItemData(choice_->count() - 1, known.path, Qt::ToolTipRole);
    }
    choice_->setCurrentIndex(shown);
    choice_->setEnabled(choice_->count() > 0);
}

void CheckpointHead::refresh() {
    const CheckpointShown* shown = model_->shown();
    summary_->setWhole(model_->opening() ? tr("Reading the list of tensors…")
                       : shown           ? shown->summary()
                                         : tr("Nothing is open"));
    memory_->setWhole(shown ? shown->memoryText(model_->model() != nullptr) : QString());
    const bool runs = model_->runs(), loaded = model_->model() != nullptr;
    left_->setEnabled(runs);
    right_->setEnabled(runs);
    export_->setEnabled(loaded && !model_->writing());
    const QString refusal = model_->ihaRefusal();
    iha_->setEnabled(refusal.isEmpty());
    iha_->setToolTip(refusal.isEmpty() ? iha_->accessibleDescription() : refusal);
    load_->setVisible(runs && !loaded && !model_->weights().loading());
    progress_->setVisible(model_->weights().loading());
    cancel_->setVisible(model_->weights().loading());
    progress_->setValue(qRound(model_->weights().share() * progressSteps));
}

void CheckpointHead::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(6));
    // The line keeps its height where only words stand in it.
    memory_->setMinimumHeight(load_->sizeHint().height());
    progress_->setFixedWidth(theme_->pixels(180));
}

}  // namespace headloom
