#include "views/panels/theory_bank_pane.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"
#include "views/panels/constructed_sheet.h"
#include "views/panels/segments.h"
#include "views/panels/theory_bank_curves.h"
#include "views/panels/theory_filter_words.h"
#include "views/panels/theory_graph_view.h"
#include "views/panels/theory_slider.h"
#include "views/viewmodels/theory_bank_model.h"
#include "views/viewmodels/words.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr int mostPerNode = 16;  // numbers a node that a slider offers

QString hopsText(int hops) {
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    if (hops == 0) return QStringLiteral("I");
    if (hops == 1) return QStringLiteral("A");
    QString power = QStringLiteral("A");
    for (const QChar digit : QString::number(hops)) power += digits[digit.digitValue()];
    return power;
}

QString counted(int count, const QString& one, const QString& many) {
    return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? one : many);
}
QString hopCount(int hops) {
    return counted(hops, TheoryBankPane::tr("hop"), TheoryBankPane::tr("hops"));
}

}  // namespace

TheoryBankPane::TheoryBankPane(TheoryBankModel& model, const Theme& theme, QWidget* parent)
    : TheoryPart(tr("Polynomial bank"),
                 tr("k heads or ⌈√k⌉: linear attention with constructed weights, not trained ones. "
                    "Step the signal along the graph, and watch each map reach so many hops."),
                 theme, parent),
      model_(&model),
      filters_(new TheorySlider(tr("Filters k"),
                                tr("How many powers of A: X, A X, up to A^(k-1) X"), 1,
                                BankSize::mostFilters, theme)),
      nodes_(
          new TheorySlider(tr("Nodes N"), tr("Nodes of the graph"), 2, BankSize::mostNodes, theme)),
      dim_(new TheorySlider(tr("Numbers d"), tr("Numbers that each node holds"), 1, mostPerNode,
                            theme)),
      few_(new TheorySlider(tr("Too few heads"), tr("Heads of the MHA that is to do with less"), 1,
                            BankSize::mostFilters, theme)),
      graphs_(new QComboBox),
      problem_(wordsOf("danger")),
      facts_{wordsOf("small"), wordsOf("small")},
      pointed_(wordsOf("small")),
      hops_(wordsOf("strong")),
      formulas_(wordsOf("small")),
      fewFacts_(wordsOf("small")),
      trained_(wordsOf("small")),
      back_(textButton(tr("◂"), tr("One hop back (Page Up)"))),
      forward_(textButton(tr("▸"), tr("One hop on (Page Down)"))),
      train_(textButton(tr("Train"), QString())),
      maps_{new HeatmapView(theme), new HeatmapView(theme)},
      scale_(new ColourBar(theme)),
      graph_(new TheoryGraphView(theme)),
      parameters_(new CurvePlot(theme)),
      fewHeads_(new CurvePlot(theme)) {
    auto* middle = new QHBoxLayout;
    middle->setObjectName(QStringLiteral("middle"));
    middle->addWidget(graphColumn(), 3);
    middle->addWidget(mapColumn(false), 4);
    middle->addWidget(mapColumn(true), 4);
    auto* below = new QHBoxLayout;
    below->setObjectName(QStringLiteral("below"));
    below->addLayout(parametersColumn(), 1);
    below->addLayout(fewColumn(), 1);
    rows().addWidget(controls());
    rows().addWidget(problem_);
    rows().addLayout(middle, 3);
    rows().addLayout(below, 2);
    rows().addWidget(trained_);
    connect(&model, &TheoryBankModel::askedChanged, this, &TheoryBankPane::refreshAsked);
    connect(&model, &TheoryBankModel::bankChanged, this, &TheoryBankPane::refreshBank);
    connect(&model, &TheoryBankModel::fewChanged, this, &TheoryBankPane::refreshFew);
    connect(&model, &TheoryBankModel::placeChanged, this, &TheoryBankPane::refreshPlace);
    connect(few_, &TheorySlider::changed, &model, &TheoryBankModel::setFewHeads);
    connect(fewHeads_, &CurvePlot::chosen, this,
            [this](double heads) { model_->setFewHeads(static_cast<int>(std::lround(heads))); });
    connect(parameters_, &CurvePlot::chosen, this, [this](double k) {
        filters_->setValue(static_cast<int>(std::lround(k)));
        setSizes();
    });
    connect(&filter_, &TheoryFilterModel::changed, this, &TheoryBankPane::refreshTrained);
    connect(&filter_, &TheoryFilterModel::failed, this, &TheoryPart::failed);
    for (TheorySlider* slider : {filters_, nodes_, dim_})
        connect(slider, &TheorySlider::changed, this, &TheoryBankPane::setSizes);
    connect(&theme, &Theme::changed, this, &TheoryBankPane::restyle);
    restyle();
}

void TheoryBankPane::begin() {
    model_->begin();
}

void TheoryBankPane::step(int by) {
    model_->setHop(model_->hop() + by);
}

QWidget* TheoryBankPane::controls() {
    graphs_->setAccessibleName(tr("Graph"));
    graphs_->setToolTip(
        tr("What the nodes are joined to. A is the adjacency over its largest "
           "degree, so that its spectral radius is at most 1"));
    graphs_->addItems(TheoryBankModel::graphNames());
    graphs_->addItem(tr("Edges from a file…"));
    connect(graphs_, &QComboBox::activated, this, [this](int index) {
        if (index < TheoryBankModel::graphNames().size())
            model_->setGraph(graphs_->itemText(index));
        else
            askForGraph();
    });
    auto* made = new QWidget;
    auto* line = new QHBoxLayout(made);
    line->setObjectName(QStringLiteral("controls"));
    line->setContentsMargins(0, 0, 0, 0);
    auto* caption = new QLabel(tr("Graph"));
    caption->setProperty("role", "soft");
    line->addWidget(caption);
    line->addWidget(graphs_);
    for (TheorySlider* slider : {filters_, nodes_, dim_}) line->addWidget(slider, 1);
    return made;
}

QWidget* TheoryBankPane::graphColumn() {
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    auto* steps = new QHBoxLayout;
    back_->setAccessibleName(tr("One hop back"));
    forward_->setAccessibleName(tr("One hop on"));
    steps->addWidget(back_);
    steps->addWidget(forward_);
    steps->addWidget(hops_, 1);
    column->addLayout(steps);
    column->addWidget(graph_, 1);
    column->addWidget(pointed_);
    column->addWidget(scale_);
    connect(back_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(forward_, &QToolButton::clicked, this, [this] { step(1); });
    connect(graph_, &TheoryGraphView::nodeChosen, model_, &TheoryBankModel::setNode);
    connect(graph_, &TheoryGraphView::pointed, pointed_, &QLabel::setText);
    return made;
}

QLayout* TheoryBankPane::parametersColumn() {
    auto* column = new QVBoxLayout;
    column->addWidget(parameters_, 1);
    column->addWidget(formulas_);
    formulas_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    formulas_->setAccessibleName(tr("Formulas of the parameters"));
    return column;
}

QLayout* TheoryBankPane::fewColumn() {
    auto* column = new QVBoxLayout;
    auto* line = new QHBoxLayout;
    line->addWidget(few_, 1);
    line->addWidget(train_);
    column->addWidget(fewHeads_, 1);
    column->addLayout(line);
    column->addWidget(fewFacts_);
    connect(train_, &QToolButton::clicked, this,
            [this] { filter_.busy() ? filter_.stop() : filter_.train(); });
    return column;
}

QWidget* TheoryBankPane::mapColumn(bool interleaved) {
    HeatmapView* view = maps_[interleaved ? 1 : 0];
    view->setRendererChoice(RendererChoice::raster);
    view->setOnPage(true);
    view->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);  // any height will do
    view->setAccessibleName(interleaved ? tr("Tiles of IHA") : tr("Maps of MHA"));
    ColourScale scale;
    scale.perMap = true;
    view->setScale(scale);
    connect(view, &HeatmapView::tileClicked, this, [this](int tile) { model_->setHop(tile); });
    connect(view, &HeatmapView::cellClicked, this, [this](int tile, int, int key) {
        model_->setHop(tile);
        model_->setNode(key);
    });
    connect(view, &HeatmapView::cellHovered, this,
            [this, view](int tile, int query, int key, float) {
                pointed_->setText(describeCell(view->sheet(), {tile, query, key}));
            });
    connect(view, &HeatmapView::cellLeft, pointed_, &QLabel::clear);
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(facts_[interleaved ? 1 : 0]);
    column->addWidget(view, 1);
    return made;
}

void TheoryBankPane::askForGraph() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Edges of a graph"), {}, tr("Lists of edges (*.csv *.txt *.tsv);;All files (*)"));
    if (path.isEmpty()) return refreshAsked();
    model_->setGraphFile(path);
}

void TheoryBankPane::setSizes() {
    model_->setSize({filters_->value(), nodes_->value(), dim_->value()});
}

void TheoryBankPane::refreshAsked() {
    const BankSize& size = model_->size();
    filters_->setValue(size.nFilters);
    nodes_->setValue(size.nNodes);
    dim_->setValue(size.dNode);
    few_->setMost(size.nFilters);
    few_->setValue(model_->fewHeads());
    const QString name = model_->graph();
    const int last = graphs_->count() - 1;
    graphs_->setItemText(last, name.isEmpty() ? QFileInfo(model_->graphFile()).fileName()
                                              : tr("Edges from a file…"));
    graphs_->setCurrentIndex(name.isEmpty() ? last : graphs_->findText(name));
    problem_->setText(model_->problem());
    problem_->setVisible(!model_->problem().isEmpty());
    parameters_->setContent(parameterCurves(*model_, theme()));
    formulas_->setText(parameterFormulas(*model_));
    filter_.setAsked({size, name, model_->fewHeads()});
    refreshTrained();
}

void TheoryBankPane::refreshBank() {
    refreshMaps(false);
    refreshMaps(true);
    refreshPlace();
}

void TheoryBankPane::refreshMaps(bool interleaved) {
    const PolynomialBank* bank = model_->bank();
    HeatmapView* view = maps_[interleaved ? 1 : 0];
    view->setEmptyHint(model_->problem().isEmpty() ? tr("Building…")
                                                   : tr("There is no such bank: see above"));
    MapSheet sheet;
    if (bank) {
        const BankArm& arm = interleaved ? bank->iha : bank->mha;
        sheet = constructedSheet(
            model_->tiles(interleaved), bank->size.nNodes, arm.nPseudo,
            [bank](const ConstructedTile& tile) {
                TileName name{hopsText(tile.power),
                              tr("%1: %2").arg(hopsText(tile.power), hopCount(tile.power))};
                if (!tile.asked)
                    name.toolTip += tr("; beyond the %1 asked for").arg(bank->size.nFilters);
                return name;
            });
        sheet.isSigned = true;
        sheet.selectedTile = model_->hop();
        const QString heads =
            interleaved ? tr("IHA: %1 heads × %2 pseudo-heads").arg(arm.nHeads).arg(arm.nPseudo)
                        : tr("MHA: %1").arg(counted(arm.nHeads, tr("head"), tr("heads")));
        facts_[interleaved ? 1 : 0]->setText(
            tr("<b style='color:%1'>%2</b><br>%3 parameters · error %4")
                .arg((interleaved ? theme().colours().iha : theme().colours().mha).name(), heads,
                     countText(arm.parameters), QString::number(arm.maxError, 'g', 2)));
        facts_[interleaved ? 1 : 0]->setToolTip(
            interleaved
                ? tr("The error is the largest difference from A^i X beside the largest number, "
                     "in float32. Only pseudo-query 0 of every head is run and shown: R reads no "
                     "other")
                : tr("The error is the largest difference from A^i X beside the largest number, "
                     "in float32"));
    } else {
        // two lines as well, so that nothing moves
        facts_[interleaved ? 1 : 0]->setText(
            QStringLiteral("<b>%1</b><br>—").arg(interleaved ? tr("IHA") : tr("MHA")));
        facts_[interleaved ? 1 : 0]->setToolTip({});
    }
    view->setSheet(std::move(sheet));
    if (interleaved && bank) scale_->setMapping(view->valueMapping(model_->hop()));
}

void TheoryBankPane::refreshFew() {
    refreshTrained();
    const FewHeads* few = model_->few();
    fewFacts_->setText(few ? tr("Best fit with %1 of %2 heads: %3 of the squares missed, on %4 "
                                "signals; the rank allows %5")
                                 .arg(few->nHeads)
                                 .arg(few->boundByHead.size() - 1)
                                 .arg(few->measured, 0, 'f', 4)
                                 .arg(few->nSignals)
                                 .arg(boundWords(*few))
                           : QString());
}

void TheoryBankPane::refreshTrained() {
    const QString problem = filter_.problem();
    fewHeads_->setContent(fewHeadsCurve(*model_, filter_, theme()));
    train_->setText(filter_.busy() ? tr("Stop") : tr("Train"));
    train_->setAccessibleName(filter_.busy() ? tr("Stop training too few heads")
                                             : tr("Train too few heads"));
    train_->setEnabled(problem.isEmpty() && model_->problem().isEmpty());
    train_->setToolTip(problem.isEmpty() ? trainingTip(filter_) : problem);
    trained_->setText(model_->problem().isEmpty() && !problem.isEmpty()
                          ? tr("Not trained here: %1").arg(problem)
                          : trainedWords(filter_));
}

void TheoryBankPane::refreshPlace() {
    const int hop = model_->hop();
    hops_->setText(
        tr("%1 X: %2 from node %3").arg(hopsText(hop), hopCount(hop)).arg(model_->node()));
    back_->setEnabled(hop > 0);
    forward_->setEnabled(hop + 1 < model_->size().nFilters);
    for (HeatmapView* view : maps_) view->setSelectedTile(hop);
    refreshGraph();
}

void TheoryBankPane::refreshGraph() {
    GraphShown shown;
    if (const PolynomialBank* bank = model_->bank()) {
        const double* a = bank->matrix.data<double>();
        const int nodes = shown.nNodes = bank->size.nNodes;
        for (int to = 0; to < nodes; ++to)
            for (int from = 0; from < nodes; ++from) {
                if (a[to * nodes + from] == 0) continue;
                const bool both = a[from * nodes + to] != 0;
                if (!both || from < to) shown.edges.push_back({from, to, !both});
            }
        shown.values = model_->spread();
        shown.start = model_->node();
    }
    graph_->setGraph(std::move(shown));
}

void TheoryBankPane::restyle() {
    const int edge = theme().pixels(14);
    for (const char* name : {"middle", "below", "controls"})
        findChild<QHBoxLayout*>(QString::fromLatin1(name))->setSpacing(edge);
    for (HeatmapView* view : maps_) view->setMinimumHeight(theme().pixels(200));
    parameters_->setMinimumHeight(theme().pixels(150));
    refreshAsked();
    refreshBank();
    refreshFew();
}

}  // namespace headloom
