#include "views/panels/theory_containment_pane.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/theory_choice.h"
#include "views/panels/theory_containment_words.h"
#include "views/panels/theory_number.h"
#include "views/panels/theory_slider.h"
#include "views/plots/curve_plot.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace headloom {

TheoryContainmentPane::TheoryContainmentPane(const Theme& theme, QWidget* parent)
    : TheoryPart(tr("MHA inside IHA"),
                 tr("Make every pseudo-head a copy of its head and let R read one: is that MHA? "
                    "Random weights, both layers run. Below, what no MHA can do."),
                 theme, parent),
      mask_(new TheoryChoice(tr("Mask"), tr("Which keys a query sees; flat: copy by copy"),
                             TheoryContainmentModel::maskNames(), theme)),
      positions_(new TheoryChoice(tr("Positions"),
                                  tr("What rotates queries and keys; virtual: each copy its own"),
                                  TheoryContainmentModel::positionNames(), theme)),
      score_(new TheoryChoice(tr("Score"), tr("How scores become weights"),
                              TheoryContainmentModel::scoreNames(), theme)),
      weight_(new TheoryChoice(tr("R reads with"), tr("The weight of the copy that R reads"),
                               {tr("1"), tr("1/P")}, theme)),
      pseudo_(new TheorySlider(tr("Copies P"), tr("Pseudo-heads of every head"), 1,
                               ContainmentCase::mostPseudo, theme)),
      selected_(new TheorySlider(tr("Copy p read"), tr("The pseudo-head that R reads"), 0,
                                 ContainmentCase::mostPseudo - 1, theme)),
      witnessScore_(new TheoryNumber(tr("s"),
                                     tr("The score of a query with any key; click the "
                                        "curve to choose it there"),
                                     4, Witness::mostS, theme)),
      witnessValue_(new TheoryNumber(tr("v"), tr("The value of the three equal tokens"), 3,
                                     Witness::mostV, theme)),
      verdict_(wordsOf("strong")),
      reason_(wordsOf("small")),
      pointed_(wordsOf("small")),
      witnessReading_(wordsOf("small")),
      witnessWords_(wordsOf("small")),
      table_(new MatrixView(theme)),
      maps_(new HeatmapView(theme)),
      difference_(new HeatmapView(theme)),
      mapScale_(new ColourBar(theme)),
      differenceScale_(new ColourBar(theme)),
      witness_(new CurvePlot(theme)) {
    rows().addWidget(switches());
    rows().addWidget(verdict_);
    rows().addWidget(reason_);
    table_->setAccessibleName(tr("Differences of all cases"));
    auto* left = new QVBoxLayout;
    left->addWidget(table_, 3);
    left->addWidget(witness_, 2);
    left->addLayout(witnessNumbers());
    left->addWidget(witnessReading_);
    left->addWidget(witnessWords_);
    auto* middle = new QHBoxLayout;
    middle->setObjectName(QStringLiteral("cases"));
    middle->addLayout(left, 1);
    middle->addWidget(mapColumn(), 1);
    rows().addLayout(middle, 1);
    witnessWords_->setText(
        tr("αQ = αK = (1, −1), R reads copy 0: IHA gives v tanh(s), which no MHA can, being linear "
           "in equal tokens. The paper's appendix prints αV = (1, 1), with which IHA is linear as "
           "well: a slip of the sign."));
    witness_->setCursor(Qt::PointingHandCursor);
    connect(&model_, &TheoryContainmentModel::caseChanged, this,
            &TheoryContainmentPane::refreshCase);
    connect(&model_, &TheoryContainmentModel::tableChanged, this,
            &TheoryContainmentPane::refreshTable);
    for (const auto changed :
         {&TheoryContainmentModel::witnessPlaceChanged, &TheoryContainmentModel::witnessChanged})
        connect(&model_, changed, this, &TheoryContainmentPane::refreshWitness);
    connect(&model_, &TheoryContainmentModel::failed, this, &TheoryPart::failed);
    connect(table_, &MatrixView::cellClicked, this,
            [this](int row, int selected) { model_.setCase(model_.caseAt(row, selected)); });
    connect(&theme, &Theme::changed, this, &TheoryContainmentPane::restyle);
    restyle();
}

void TheoryContainmentPane::begin() {
    model_.begin();
}

void TheoryContainmentPane::step(int by) {
    model_.step(by);
}

QWidget* TheoryContainmentPane::switches() {
    auto* made = new QWidget;
    auto* lines = new QVBoxLayout(made);
    lines->setContentsMargins(0, 0, 0, 0);
    auto* kinds = new QHBoxLayout;
    kinds->setObjectName(QStringLiteral("kinds"));
    for (TheoryChoice* choice : {mask_, positions_, score_}) kinds->addWidget(choice);
    kinds->addStretch(1);
    auto* copies = new QHBoxLayout;
    copies->setObjectName(QStringLiteral("copies"));
    copies->addWidget(pseudo_, 1);
    copies->addWidget(selected_, 1);
    copies->addWidget(weight_);
    lines->addLayout(kinds);
    lines->addLayout(copies);
    for (const TheoryChoice* choice : {mask_, positions_, score_, weight_})
        connect(choice, &TheoryChoice::changed, this, &TheoryContainmentPane::change);
    for (const TheorySlider* slider : {pseudo_, selected_})
        connect(slider, &TheorySlider::changed, this, &TheoryContainmentPane::change);
    return made;
}

QLayout* TheoryContainmentPane::witnessNumbers() {
    auto* line = new QHBoxLayout;
    line->setObjectName(QStringLiteral("witness"));
    const auto place = [this] {
        model_.setWitnessPlace({witnessScore_->value(), witnessValue_->value()});
    };
    for (TheoryNumber* number : {witnessScore_, witnessValue_}) {
        line->addWidget(number, 1);
        connect(number, &TheoryNumber::changed, this, place);
    }
    connect(witness_, &CurvePlot::chosen, this, [this](double s) {
        // as the box can say it
        model_.setWitnessPlace({std::round(s * 100) / 100, model_.witnessPlace().v});
    });
    return line;
}

QWidget* TheoryContainmentPane::mapColumn() {
    maps_->setAccessibleName(tr("Maps of MHA and IHA"));
    difference_->setAccessibleName(tr("Maps of IHA less those of MHA"));
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    for (HeatmapView* view : {maps_, difference_}) {
        view->setRendererChoice(RendererChoice::raster);
        view->setOnPage(true);
        view->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
        view->setEmptyHint(tr("Running…"));
        connect(view, &HeatmapView::cellHovered, this,
                [this, view](int tile, int query, int key, float) {
                    pointed_->setText(describeCell(view->sheet(), {tile, query, key}));
                });
        connect(view, &HeatmapView::cellLeft, pointed_, &QLabel::clear);
    }
    column->addWidget(maps_, 2);
    column->addWidget(mapScale_);
    column->addWidget(difference_, 1);
    column->addWidget(differenceScale_);
    column->addWidget(pointed_);
    return made;
}

void TheoryContainmentPane::change() {
    ContainmentCase wanted;
    wanted.mask = static_cast<MaskKind>(mask_->value());
    wanted.positions = static_cast<PositionKind>(positions_->value());
    wanted.score = static_cast<ScoreKind>(score_->value());
    wanted.nPseudo = pseudo_->value();
    wanted.selected = selected_->value();
    wanted.dividedByP = weight_->value() == 1;
    model_.setCase(wanted);
}

void TheoryContainmentPane::refreshCase() {
    const ContainmentCase& asked = model_.shownCase();
    mask_->setValue(static_cast<int>(asked.mask));
    positions_->setValue(static_cast<int>(asked.positions));
    score_->setValue(static_cast<int>(asked.score));
    weight_->setValue(asked.dividedByP ? 1 : 0);
    pseudo_->setValue(asked.nPseudo);
    selected_->setMost(asked.nPseudo - 1);
    selected_->setValue(asked.selected);
    reason_->setText(containmentReason(asked));
    if (model_.run()) refreshTable();  // else the answer of another score is on its way
}

void TheoryContainmentPane::refreshTable() {
    const ContainmentRun* run = model_.run();
    verdict_->setText(run ? containmentVerdict(*run) : QString());
    table_->setSheet(containmentTable(model_));
    refreshMaps();
}

void TheoryContainmentPane::refreshWitness() {
    const TheoryContainmentModel::WitnessPlace place = model_.witnessPlace();
    witnessScore_->setValue(place.s);
    witnessValue_->setValue(place.v);
    witness_->setContent(witnessCurve(model_, theme()));
    witnessReading_->setText(witnessReading(model_));
}

void TheoryContainmentPane::refreshMaps() {
    const ContainmentRun* run = model_.run();
    maps_->setSheet(run ? containmentMaps(*run) : MapSheet());
    difference_->setSheet(run ? containmentDifference(model_) : MapSheet());
    if (!run) return;
    ColourScale scale;  // that of the maps, in which rounding is nothing
    scale.sharedMaximum = largestOf(maps_->sheet(), false);
    difference_->setScale(scale);
    mapScale_->setMapping(maps_->valueMapping(0));
    differenceScale_->setMapping(difference_->valueMapping(0));
}

void TheoryContainmentPane::restyle() {
    const int edge = theme().pixels(14);
    for (const char* name : {"cases", "kinds", "copies", "witness"})
        findChild<QHBoxLayout*>(QString::fromLatin1(name))->setSpacing(edge);
    maps_->setMinimumHeight(theme().pixels(180));
    difference_->setMinimumHeight(theme().pixels(90));
    witness_->setMinimumHeight(theme().pixels(140));
    refreshCase();
    refreshTable();
    refreshWitness();
}

}  // namespace headloom
