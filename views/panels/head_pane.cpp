#include "views/panels/head_pane.h"

#include "views/panels/matrix_picture.h"
#include "views/panels/spectrum_plot.h"
#include "views/panels/stop_button.h"
#include "views/viewmodels/checkpoint_view_model.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

HeadPane::HeadPane(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QScrollArea(parent),
      model_(&model),
      head_(&model.head()),
      theme_(&theme),
      layer_(new QSpinBox),
      which_(new QSpinBox),
      query_(new QSpinBox),
      key_(new QSpinBox),
      queryLabel_(new QLabel(tr("q"))),
      keyLabel_(new QLabel(tr("→ k"))),
      of_(new QComboBox),
      stop_(
          new StopButton({tr("Compute again"), tr("Stop multiplying out the circuits of this head"),
                          tr("Multiply the circuits of this head out")})),
      words_(new QLabel),
      inside_(new QWidget),
      chooser_(chooser()),
      qk_(new MatrixPicture(theme)),
      ov_(new MatrixPicture(theme)),
      spectrum_(new CurvePlot(theme)) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    words_->setProperty("role", "soft");
    words_->setWordWrap(true);
    qk_->setToolTip(
        tr("W_Q W_K transposed: which direction of the residual stream (rows, the "
           "query's) looks at which (columns, the key's)"));
    ov_->setToolTip(
        tr("W_V W_O: what is moved from a direction of the token looked at (rows) to "
           "one of the token looking (columns)"));
    auto* pictures = new QHBoxLayout;
    pictures->setObjectName(QStringLiteral("pictures"));
    pictures->addWidget(qk_, 1);
    pictures->addWidget(ov_, 1);
    auto* all = new QVBoxLayout(inside_);
    all->addWidget(chooser_);
    all->addWidget(words_);
    all->addLayout(pictures, 3);
    all->addWidget(spectrum_, 2);
    all->addStretch(0);
    setWidget(inside_);
    connect(head_, &HeadViewModel::chosen, this, &HeadPane::refreshChoice);
    connect(head_, &HeadViewModel::computed, this, &HeadPane::refreshCircuits);
    connect(&model, &CheckpointViewModel::modelChanged, this, &HeadPane::refreshCircuits);
    connect(&model, &CheckpointViewModel::shownChanged, this, &HeadPane::refreshCircuits);
    connect(&theme, &Theme::changed, this, &HeadPane::restyle);
    restyle();
}

QWidget* HeadPane::chooser() {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    const auto add = [line](QLabel* label, QSpinBox* spin, const QString& name) {
        label->setProperty("role", "soft");
        spin->setAccessibleName(name);
        spin->setKeyboardTracking(false);
        line->addWidget(label);
        line->addWidget(spin);
    };
    add(new QLabel(tr("Layer")), layer_, tr("Layer"));
    add(new QLabel(tr("Head")), which_, tr("Head"));
    of_->addItems({tr("Before mixing"), tr("Tile")});
    of_->setAccessibleName(tr("Circuit before mixing, or of a tile"));
    line->addWidget(of_);
    add(queryLabel_, query_, tr("Query pseudo-head"));
    add(keyLabel_, key_, tr("Key pseudo-head"));
    line->addStretch(1);
    line->addWidget(stop_);
    connect(stop_, &StopButton::stopWanted, head_, &HeadViewModel::stop);
    connect(stop_, &StopButton::startWanted, head_, &HeadViewModel::computeAgain);
    for (QSpinBox* spin : {layer_, which_, query_, key_})
        connect(spin, &QSpinBox::valueChanged, this, &HeadPane::choose);
    connect(of_, &QComboBox::activated, this, &HeadPane::choose);
    return row;
}

void HeadPane::choose() {
    std::optional<PseudoPair> tile;
    if (head_->pseudos() > 0 && of_->currentIndex() == 1)
        tile = PseudoPair{query_->value(), key_->value()};
    head_->choose(layer_->value(), which_->value(), tile);
}

void HeadPane::refreshChoice() {
    const QSignalBlocker quietLayer(layer_), quietHead(which_), quietOf(of_), quietQuery(query_),
        quietKey(key_);
    layer_->setRange(0, std::max(0, head_->layers() - 1));
    which_->setRange(0, std::max(0, head_->heads() - 1));
    layer_->setValue(head_->layer());
    which_->setValue(head_->head());
    of_->setVisible(head_->pseudos() > 0);
    of_->setCurrentIndex(head_->tile() ? 1 : 0);
    const PseudoPair tile = head_->tile().value_or(PseudoPair{});
    for (const auto& [spin, value] : {std::pair(query_, tile.p), std::pair(key_, tile.r)}) {
        spin->setRange(0, std::max(0, head_->pseudos() - 1));
        spin->setValue(value);
    }
    const bool several = head_->tile() && head_->pseudos() > 1;
    for (QWidget* one : std::initializer_list<QWidget*>{query_, key_, queryLabel_, keyLabel_})
        one->setVisible(several);
    refreshCircuits();
}

void HeadPane::refreshCircuits() {
    const bool there = head_->model() != nullptr;
    chooser_->setVisible(there);
    const QString hint = there                         ? head_->text()
                         : model_->weights().loading() ? tr("The model is being loaded…")
                         : model_->runs()   ? tr("Load the model (above) to see its heads")
                         : !model_->shown() ? tr("Open a checkpoint to see its heads")
                                            : tr("Heads are known of models that run here. Of any "
                                                 "other matrix, choose the tensor and say how many "
                                                 "heads it holds");
    words_->setText(hint);
    std::vector<Spectrum> spectra;
    for (const auto& [picture, which, title] :
         {std::tuple(qk_, Circuit::qk, QStringLiteral("W_QK")),
          std::tuple(ov_, Circuit::ov, QStringLiteral("W_OV"))}) {
        const std::optional<CircuitShown>& circuit = head_->circuit(which);
        picture->setVisible(there);
        picture->show(title, circuit ? circuit->picture : MatrixShown{},
                      head_->working()   ? tr("Multiplying…")
                      : head_->stopped() ? tr("Stopped")
                                         : tr("There is no such circuit"));
        if (circuit) spectra.push_back({title, circuit->singularValues});
    }
    stop_->setState(head_->working(), head_->stopped());
    spectrum_->setVisible(there && !spectra.empty());
    spectrum_->setContent(spectrumContent(tr("Singular values of both"), spectra, *theme_,
                                          tr("The head holds NaN or infinities")));
}

void HeadPane::restyle() {
    const int edge = theme_->pixels(14);
    inside_->layout()->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(10));
    inside_->layout()->setSpacing(theme_->pixels(8));
    inside_->findChild<QHBoxLayout*>(QStringLiteral("pictures"))->setSpacing(theme_->pixels(14));
    chooser_->layout()->setSpacing(theme_->pixels(8));
    for (MatrixPicture* picture : {qk_, ov_}) picture->setMinimumHeight(theme_->pixels(240));
    spectrum_->setMinimumHeight(theme_->pixels(170));
    refreshChoice();
}

}  // namespace headloom
