#include "views/panels/side_panel.h"

#include "views/panels/comparison_panel.h"
#include "views/panels/elided_label.h"
#include "views/panels/side_colour.h"
#include "views/viewmodels/explore_view_model.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

namespace {
constexpr int answerCount = 6;
}

SidePanel::SidePanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QScrollArea(parent),
      model_(&model),
      theme_(&theme),
      title_(new QLabel),
      look_(new QLabel),
      leftName_(new ElidedLabel),
      rightName_(new ElidedLabel),
      names_(new QWidget),
      temperature_(new QDoubleSpinBox) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    title_->setProperty("role", "title");
    look_->setProperty("role", "soft");
    look_->setWordWrap(true);
    for (QLabel* name : {leftName_, rightName_}) name->setAlignment(Qt::AlignRight);
    temperature_->setRange(0.1, 5);
    temperature_->setSingleStep(0.1);
    temperature_->setDecimals(1);
    temperature_->setValue(model.temperature());
    temperature_->setPrefix(tr("T "));
    temperature_->setAccessibleName(tr("Temperature"));
    temperature_->setToolTip(
        tr("Probabilities are softmax(logit / T). Chains are always written "
           "with the most probable token"));

    sections_[answer] = new ComparisonPanel(
        tr("Answer"), QString(), 1, [this] { return model_->answers(answerCount); }, model, theme);
    sections_[answer]->addControl(temperature_);
    sections_[evidence] = new ComparisonPanel(
        tr("Evidence"), QString(), 4, [this] { return model_->evidenceTable(); }, model, theme);
    sections_[tile] = new ComparisonPanel(
        tr("Open maps"), tr("Click a map to open it"), 6, [this] { return model_->tileTable(); },
        model, theme);
    sections_[cost] = new ComparisonPanel(
        tr("Cost"), tr("No model stands in either column"), 7,
        [this] { return model_->costTable(); }, model, theme);

    auto* namesLine = new QHBoxLayout(names_);
    namesLine->addStretch(1);
    namesLine->addWidget(leftName_);
    namesLine->addWidget(rightName_);
    auto* inside = new QWidget;
    auto* all = new QVBoxLayout(inside);
    all->setSpacing(0);
    all->addWidget(title_);
    all->addWidget(look_);
    all->addWidget(names_);
    for (ComparisonPanel* section : sections_) all->addWidget(section);
    all->addStretch(1);
    setWidget(inside);

    for (const Section open : {evidence, tile})
        connect(&model.selection(), &Selection::openChanged, sections_[open],
                &ComparisonPanel::markStale);
    connect(&model, &ExploreViewModel::temperatureChanged, sections_[answer],
            &ComparisonPanel::markStale);
    connect(temperature_, &QDoubleSpinBox::valueChanged, &model, &ExploreViewModel::setTemperature);
    connect(&model, &ExploreViewModel::runsChanged, this, &SidePanel::refresh);
    connect(&model.selection(), &Selection::stepChanged, this, &SidePanel::refresh);
    connect(&model.session(), &ExploreSession::stateChanged, this, &SidePanel::refresh);
    connect(&theme, &Theme::changed, this, &SidePanel::restyle);
    restyle();
    refresh();
}

QSize SidePanel::sizeHint() const {
    return {theme_->pixels(326), theme_->pixels(500)};
}

void SidePanel::setSectionOpen(Section section, bool open) {
    sections_[section]->setOpen(open);
}

bool SidePanel::isSectionOpen(Section section) const {
    return sections_[section]->isOpen();
}

void SidePanel::refresh() {
    const ExampleInfo* example = model_->session().example();
    title_->setText(example ? example->title : tr("No example is open"));
    look_->setText(example ? example->look : tr("Choose one under File > Examples"));
    look_->setToolTip(example ? example->explanation : QString());
    look_->setVisible(!look_->text().isEmpty());
    leftName_->setWhole(model_->shortName(Side::left));
    rightName_->setWhole(model_->shortName(Side::right));
    colourLabel(leftName_, *model_, Side::left);
    colourLabel(rightName_, *model_, Side::right);
    const int index = model_->stepIndex();
    sections_[answer]->setSubtitle(index < 0 ? QString() : tr("at step %1").arg(index));
    QStringList evidenceTokens;
    for (const TokenChip& chip : model_->tokens())
        if (chip.evidence) evidenceTokens << chip.text;
    sections_[evidence]->setSubtitle(evidenceTokens.join(u' '));
    const bool speaks = model_->session().speaks();
    sections_[answer]->setHint(speaks ? tr("No model has answered yet")
                                      : tr("A filter answers with numbers, not with tokens"));
    sections_[evidence]->setHint(speaks ? tr("Nothing is marked as evidence for this step")
                                        : tr("Linear scores are no shares; the ringed nodes are "
                                             "those that this node takes from"));
    sections_[tile]->setSubtitle(tr("row %1").arg(model_->selection().step()));
    sections_[cost]->setSubtitle(tr("layer %1").arg(model_->selection().layer()));
}

void SidePanel::restyle() {
    const int edge = theme_->pixels(18);
    auto* all = widget()->layout();
    all->setContentsMargins(0, theme_->pixels(10), 0, theme_->pixels(8));
    title_->setContentsMargins(edge, 0, edge, 0);
    look_->setContentsMargins(edge, theme_->pixels(2), edge, 0);
    names_->layout()->setContentsMargins(edge, theme_->pixels(8), edge, 0);
    names_->layout()->setSpacing(0);
    for (QLabel* name : {leftName_, rightName_}) name->setFixedWidth(theme_->pixels(96));
    for (ComparisonPanel* section : sections_) section->setMinimumWidth(theme_->pixels(312));
    setMinimumWidth(theme_->pixels(326));
}

}  // namespace headloom
