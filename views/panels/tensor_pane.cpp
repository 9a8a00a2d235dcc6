#include "views/panels/tensor_pane.h"

#include "views/panels/fact_list.h"
#include "views/panels/matrix_picture.h"
#include "views/panels/part_chooser.h"
#include "views/panels/spectrum_plot.h"
#include "views/panels/stop_button.h"
#include "views/plots/bar_plot.h"
#include "views/viewmodels/checkpoint_view_model.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

TensorPane::TensorPane(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QScrollArea(parent),
      model_(&model),
      tensor_(&model.tensor()),
      theme_(&theme),
      name_(new QLabel),
      hint_(new QLabel(tr("Choose a tensor on the left: its numbers are read only then"))),
      rank_(new QLabel),
      stop_(new StopButton({tr("Read again"),
                            tr("Stop reading the tensor and working out its singular values"),
                            tr("Read the tensor from the start")})),
      inside_(new QWidget),
      facts_(new FactList(theme)),
      statistics_(new FactList(theme)),
      part_(new PartChooser(model.tensor(), theme)),
      histogram_(new BarPlot(theme)),
      spectrum_(new CurvePlot(theme)),
      picture_(new MatrixPicture(theme)) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    name_->setProperty("role", "title");
    name_->setWordWrap(true);
    name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    name_->setMinimumWidth(1);
    hint_->setProperty("role", "soft");
    hint_->setWordWrap(true);
    rank_->setProperty("role", "small");
    rank_->setWordWrap(true);
    auto* numbers = new QGridLayout;
    numbers->setObjectName(QStringLiteral("numbers"));
    numbers->addWidget(statistics_, 0, 0, Qt::AlignTop);
    numbers->addWidget(histogram_, 0, 1);
    numbers->setColumnStretch(0, 2);
    numbers->setColumnStretch(1, 3);
    auto* all = new QVBoxLayout(inside_);
    all->addWidget(name_);
    all->addWidget(hint_);
    all->addWidget(facts_);
    all->addWidget(part_);
    all->addLayout(numbers);
    all->addWidget(picture_, 3);
    all->addWidget(spectrum_, 2);
    auto* last = new QHBoxLayout;
    last->addWidget(rank_, 1);
    last->addStretch(0);
    last->addWidget(stop_);
    all->addLayout(last);
    all->addStretch(0);
    setWidget(inside_);
    connect(tensor_, &TensorViewModel::chosen, this, &TensorPane::refresh);
    connect(tensor_, &TensorViewModel::inspected, this, &TensorPane::refresh);
    connect(tensor_, &TensorViewModel::decomposed, this, &TensorPane::refreshSpectrum);
    connect(stop_, &StopButton::stopWanted, tensor_, &TensorViewModel::stop);
    connect(stop_, &StopButton::startWanted, tensor_, &TensorViewModel::readAgain);
    connect(&theme, &Theme::changed, this, &TensorPane::restyle);
    restyle();
    refresh();
}

void TensorPane::refresh() {
    const bool chosen = tensor_->entry() >= 0;
    const TensorInspection* found = tensor_->inspection();
    const QString waiting =
        !tensor_->problem().isEmpty() ? tensor_->problem() : tr("Reading its numbers…");
    const TensorForest* forest = model_->tree().forest();
    name_->setText(chosen
                       ? forest->nameOf(forest->ofEntry[static_cast<std::size_t>(tensor_->entry())])
                       : tr("No tensor is chosen"));
    hint_->setVisible(!chosen);
    facts_->setLines(tensor_->facts());
    statistics_->setLines(tensor_->statistics());
    for (QWidget* one : std::initializer_list<QWidget*>{facts_, statistics_, histogram_})
        one->setVisible(chosen);
    BarContent bars;
    bars.title = tr("Histogram");
    bars.hint = waiting;
    if (found) {
        bars.hint = tr("It holds no finite number");
        const Histogram& histogram = found->statistics.histogram;
        if (found->statistics.finite() > 0) {
            bars.low = histogram.low;
            bars.high = histogram.high;
            bars.bins = histogram.bins;
        }
    }
    histogram_->setContent(std::move(bars));
    picture_->setVisible(chosen && tensor_->matrices() > 0);
    picture_->show(tr("Heat map"), tensor_->picture(),
                   found ? tr("Choose one matrix of it to see it drawn") : waiting);
    refreshSpectrum();
}

void TensorPane::refreshSpectrum() {
    const bool matrix = tensor_->entry() >= 0 && tensor_->picture().values;
    const bool drawn = matrix && (tensor_->decomposing() || !tensor_->spectrum().empty());
    spectrum_->setVisible(drawn);
    spectrum_->setContent(spectrumContent(tr("Singular values"), {{{}, tensor_->spectrum()}},
                                          *theme_, tr("Working them out…")));
    rank_->setText(tensor_->spectrumText());
    rank_->setVisible(matrix && !tensor_->spectrumText().isEmpty());
    stop_->setState(tensor_->working() || tensor_->decomposing(), tensor_->stopped());
}

void TensorPane::restyle() {
    const int edge = theme_->pixels(14);
    inside_->layout()->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(10));
    inside_->layout()->setSpacing(theme_->pixels(8));
    inside_->findChild<QGridLayout*>(QStringLiteral("numbers"))
        ->setHorizontalSpacing(theme_->pixels(14));
    histogram_->setFixedHeight(theme_->pixels(140));
    picture_->setMinimumHeight(theme_->pixels(220));
    spectrum_->setMinimumHeight(theme_->pixels(150));
    refresh();
}

}  // namespace headloom
