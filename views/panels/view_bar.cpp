#include "views/panels/view_bar.h"

#include "views/heatmap/colour_bar.h"
#include "views/panels/flow_layout.h"
#include "views/panels/segments.h"
#include "views/viewmodels/explore_view_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>

#include <vector>

namespace headloom {

namespace {

/// Several controls that stay together when the bar needs a second line.
QWidget* together(const std::vector<QWidget*>& parts, int spacing) {
    auto* group = new QWidget;
    auto* line = new QHBoxLayout(group);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(spacing);
    for (QWidget* part : parts) line->addWidget(part);
    return group;
}

}  // namespace

QToolButton* ViewBar::segment(const QString& text, const QString& tip) {
    QToolButton* made = segmentButton(text, tip);
    connect(made, &QToolButton::clicked, this, &ViewBar::write);
    return made;
}

ViewBar::ViewBar(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      layerCaption_(new QLabel(tr("Layer"))),
      layer_(new QSpinBox),
      overview_(segment(tr("All"), tr("Every head of the model in small (Ctrl+G, or Backspace on "
                                      "a map)"))),
      layerHeads_(segment(tr("Layer"), tr("The heads of one layer (Ctrl+Shift+G)"))),
      oneHead_(segment(tr("Head"), tr("The open head alone (Ctrl+H)"))),
      measure_(new QComboBox),
      tiles_(segment(tr("Tiles"), tr("The attention patterns themselves (Ctrl+E)"))),
      effective_(segment(tr("Effective"),
                         tr("M[g, m], signed: how the output of head g reads the values of head m. "
                            "Tiles alone mislead where R or alpha V is negative (Ctrl+E)"))),
      raw_(segment(tr("Raw"), tr("Attention as it is: a row of a tile adds up to its mass "
                                 "(Ctrl+R)"))),
      byRow_(segment(tr("By row"), tr("Every row of a tile divided by its mass (Ctrl+R)"))),
      shared_(segment(tr("Shared"), tr("One colour scale for all maps (Ctrl+Alt+H)"))),
      perMap_(segment(tr("Per map"), tr("Every map up to its own largest value (Ctrl+Alt+H)"))),
      curve_(new QComboBox),
      sink_(new QCheckBox(tr("Hide sink"))),
      colours_(new ColourBar(theme)) {
    layerCaption_->setProperty("role", "soft");
    layer_->setAccessibleName(tr("Layer"));
    layer_->setToolTip(tr("Layer that both columns show (Ctrl+Up, Ctrl+Down)"));
    curve_->addItems({tr("Linear"), tr("Sqrt"), tr("Log")});
    curve_->setAccessibleName(tr("Colour curve"));
    curve_->setToolTip(tr("How values become colours (Ctrl+Alt+1, 2, 3)"));
    sink_->setToolTip(
        tr("Grey out the first token's column, which often takes most of the "
           "attention; numbers stay (Ctrl+Alt+K)"));
    auto* line = new FlowLayout(this);
    line->addWidget(together({layerCaption_, layer_}, theme.pixels(8)));
    measure_->addItems({tr("Maps"), tr("Distance"), tr("First token"), tr("Evidence")});
    measure_->setAccessibleName(tr("What stands for a head"));
    measure_->setToolTip(
        tr("What stands for a head: its map, or as a colour the mean distance between a token and "
           "what it looks at, the mass on the first token, the mass on the evidence of this row"));
    line->addWidget(segmentRow({overview_, layerHeads_, oneHead_}));
    line->addWidget(measure_);
    line->addWidget(segmentRow({tiles_, effective_}));
    line->addWidget(segmentRow({raw_, byRow_}));
    line->addWidget(segmentRow({shared_, perMap_}));
    line->addWidget(curve_);
    line->addWidget(sink_);
    line->addWidget(colours_);
    line->setGreedy(colours_);

    connect(layer_, &QSpinBox::valueChanged, &model, &ExploreViewModel::setLayer);
    connect(measure_, &QComboBox::activated, this, &ViewBar::write);
    connect(curve_, &QComboBox::activated, this, &ViewBar::write);
    connect(sink_, &QCheckBox::clicked, this, &ViewBar::write);
    connect(&model.display(), &DisplayOptions::changed, this, &ViewBar::read);
    connect(&model, &ExploreViewModel::runsChanged, this, &ViewBar::read);
    connect(&theme, &Theme::changed, this, &ViewBar::restyle);
    restyle();
    read();
}

void ViewBar::read() {
    const QSignalBlocker quiet(layer_);
    const int last = std::max(0, model_->layerCount() - 1);
    layer_->setRange(0, last);
    layer_->setValue(model_->selection().layer());
    layer_->setSuffix(tr(" of 0–%1").arg(last));
    layer_->setEnabled(last > 0);
    const DisplayOptions::Values& shown = model_->display().values();
    using Scope = DisplayOptions::Scope;
    (shown.scope == Scope::overview ? overview_
     : shown.scope == Scope::head   ? oneHead_
                                    : layerHeads_)
        ->setChecked(true);
    measure_->setVisible(shown.scope == Scope::overview);
    measure_->setCurrentIndex(static_cast<int>(shown.measure));
    (shown.effective ? effective_ : tiles_)->setChecked(true);
    (shown.renormalised ? byRow_ : raw_)->setChecked(true);
    (shown.sharedScale ? shared_ : perMap_)->setChecked(true);
    for (QToolButton* one : {raw_, byRow_}) one->setEnabled(!shown.effective);
    curve_->setCurrentIndex(static_cast<int>(shown.curve));
    sink_->setChecked(shown.hideSink);
}

void ViewBar::write() {
    DisplayOptions::Values wanted = model_->display().values();
    using Scope = DisplayOptions::Scope;
    wanted.scope = overview_->isChecked()  ? Scope::overview
                   : oneHead_->isChecked() ? Scope::head
                                           : Scope::layer;
    wanted.measure = static_cast<DisplayOptions::Measure>(measure_->currentIndex());
    wanted.effective = effective_->isChecked();
    wanted.renormalised = byRow_->isChecked();
    wanted.sharedScale = shared_->isChecked();
    wanted.curve = static_cast<DisplayOptions::Curve>(curve_->currentIndex());
    wanted.hideSink = sink_->isChecked();
    model_->display().setValues(wanted);
}

void ViewBar::restyle() {
    layout()->setContentsMargins(theme_->pixels(14), theme_->pixels(8), theme_->pixels(14),
                                 theme_->pixels(4));
    layout()->setSpacing(theme_->pixels(12));
    colours_->setMinimumWidth(theme_->pixels(110));
    colours_->setMaximumWidth(theme_->pixels(340));
}

}  // namespace headloom
