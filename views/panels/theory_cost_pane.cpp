#include "views/panels/theory_cost_pane.h"

#include "views/panels/plain_table.h"
#include "views/panels/theory_choice.h"
#include "views/panels/theory_cost_words.h"
#include "views/panels/theory_slider.h"
#include "views/viewmodels/words.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QTreeWidget>

#include <cmath>
#include <numeric>

namespace headloom {

namespace {

constexpr int mostCostLines = 6;

std::vector<int> numbersTo(int most, int least) {
    std::vector<int> numbers(static_cast<std::size_t>(most - least) + 1);
    std::iota(numbers.begin(), numbers.end(), least);
    return numbers;
}

std::vector<int> powersOfTwo(std::int64_t most, std::vector<int> before = {}) {
    for (std::int64_t power = 1; power <= most; power *= 2)
        before.push_back(static_cast<int>(power));
    return before;
}

std::vector<int> divisorsOf(int number) {
    std::vector<int> divisors;
    for (int i = 1; i <= number; ++i)
        if (number % i == 0) divisors.push_back(i);
    return divisors;
}

QStringList quantityNames() {
    QStringList names;
    for (const CostQuantity quantity : costQuantities()) names << costName(quantity);
    return names;
}

}  // namespace

TheoryCostPane::TheoryCostPane(const Theme& theme, QWidget* parent)
    : TheoryPart(tr("Cost"),
                 tr("What attention costs, each number with its formula and with your numbers in "
                    "it. Only attention is counted: the rest of a decoder is the same for all."),
                 theme, parent),
      presets_(new QComboBox),
      collapse_(new TheoryChoice(tr("R"), tr("Full: R in R^{H x HP}; per head: R in R^{H x P}"),
                                 {tr("full"), tr("per head")}, theme)),
      pairs_(new TheoryChoice(tr("Pairs"),
                              tr("All, as the paper counts for its 3/5. A causal mask leaves half "
                                 "of N² but nearly all of N W"),
                              {tr("all"), tr("causal")}, theme)),
      quantity_(new TheoryChoice(tr("Formulas and curves of"),
                                 tr("What is counted (Page Down, Page Up)"), quantityNames(),
                                 theme)),
      problem_(wordsOf("danger")),
      facts_(wordsOf("small")),
      formulas_(wordsOf("soft")),
      pointed_(wordsOf("small")),
      table_(nullptr),
      curves_(new CurvePlot(theme)) {
    rows().addWidget(controls());
    rows().addWidget(problem_);
    rows().addWidget(facts_);
    makeTable();
    rows().addWidget(table_);
    auto* chosen = new QHBoxLayout;
    chosen->addWidget(quantity_);
    chosen->addStretch(1);
    rows().addLayout(chosen);
    auto* below = new QHBoxLayout;
    below->setObjectName(QStringLiteral("costs"));
    below->addWidget(formulas_, 1, Qt::AlignTop);
    below->addWidget(curveColumn(), 1);
    rows().addLayout(below, 1);
    connect(&model_, &TheoryCostModel::changed, this, &TheoryCostPane::refresh);
    connect(&theme, &Theme::changed, this, &TheoryCostPane::restyle);
    restyle();
}

void TheoryCostPane::step(int by) {
    model_.step(by);
}

QWidget* TheoryCostPane::controls() {
    const auto size = [this](const QString& title, const QString& tip, std::int64_t least,
                             std::int64_t most, std::vector<int> stops,
                             std::int64_t CostSizes::*field) {
        auto* slider =
            new TheorySlider(title, tip, static_cast<int>(least), static_cast<int>(most), theme());
        slider->setStops(std::move(stops));
        connect(slider, &TheorySlider::changed, this, &TheoryCostPane::change);
        sizes_.push_back({slider, field});
        return slider;
    };
    size(tr("Tokens N"), tr("Tokens of the sequence"), 1, CostSizes::mostTokens,
         powersOfTwo(CostSizes::mostTokens), &CostSizes::nTokens);
    size(tr("Heads H"), tr("Heads of a layer; more can be typed"), 1, CostSizes::mostHeads,
         {1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128}, &CostSizes::nHeads);
    size(tr("Width d"), tr("Numbers of a head; more can be typed"), 1, CostSizes::mostWidth,
         {8, 16, 32, 64, 80, 96, 128, 192, 256}, &CostSizes::dHead);
    size(tr("Copies P"), tr("Pseudo-heads a head; more can be typed"), 0, CostSizes::mostPseudo,
         numbersTo(32, 0), &CostSizes::nPseudo)
        ->setLeastWords(tr("unknown"));
    size(tr("Window W"), tr("Tokens that windowed IHA sees, own included"), 0,
         CostSizes::mostTokens, powersOfTwo(CostSizes::mostTokens, {0}), &CostSizes::window)
        ->setLeastWords(tr("N/(2P²)"));
    size(tr("Schedule"), tr("Windowed IHA layers before each layer of global MHA"), 0,
         CostSizes::mostLayers, numbersTo(16, 0), &CostSizes::nWindowed);
    size(tr("Layers L"), tr("Layers of the decoder; more can be typed"), 1, CostSizes::mostLayers,
         numbersTo(128, 1), &CostSizes::nLayers);
    size(tr("GQA G"), tr("Key and value heads of GQA: a divisor of H"), 1, CostSizes::mostHeads,
         {1}, &CostSizes::nKvHeads);
    size(tr("Bytes b"), tr("Bytes a number of the KV cache"), 1, CostSizes::mostBytes, {1, 2, 4, 8},
         &CostSizes::bytesPerNumber);
    presets_->setAccessibleName(tr("Sizes"));
    presets_->setToolTip(
        tr("Sizes to begin with. paper-2.4b: the paper's decoder, whose P is not published; its G "
           "is ours, as the paper has no GQA"));
    presets_->addItems(TheoryCostModel::presetNames());
    presets_->setPlaceholderText(tr("own sizes"));
    connect(presets_, &QComboBox::activated, &model_, &TheoryCostModel::choosePreset);
    for (const TheoryChoice* choice : {collapse_, pairs_})
        connect(choice, &TheoryChoice::changed, this, &TheoryCostPane::change);

    auto* made = new QWidget;
    auto* grid = new QGridLayout(made);
    grid->setObjectName(QStringLiteral("sizes"));
    grid->setContentsMargins(0, 0, 0, 0);
    auto* kinds = new QHBoxLayout;
    kinds->setObjectName(QStringLiteral("kinds"));
    auto* caption = new QLabel(tr("Sizes"));
    caption->setProperty("role", "soft");
    kinds->addWidget(caption);
    kinds->addWidget(presets_);
    kinds->addWidget(collapse_);
    kinds->addWidget(pairs_);
    kinds->addStretch(1);
    grid->addLayout(kinds, 0, 0, 1, 3);
    for (std::size_t i = 0; i < sizes_.size(); ++i)
        grid->addWidget(sizes_[i].slider, 1 + static_cast<int>(i) / 3, static_cast<int>(i) % 3);
    return made;
}

void TheoryCostPane::makeTable() {
    QStringList headings{tr("attention")};
    headings << quantityNames() << tr("entries / MHA's");
    table_ = plainTable(headings);
    spreadNumbers(*table_);
    table_->setAccessibleName(tr("Costs of each attention"));
    int heading = 1;
    for (const CostQuantity quantity : costQuantities())
        table_->headerItem()->setToolTip(heading++, costMeaning(quantity));
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    formulas_->setTextInteractionFlags(Qt::TextSelectableByMouse);
}

QWidget* TheoryCostPane::curveColumn() {
    connect(quantity_, &TheoryChoice::changed, this, [this](int index) {
        model_.setQuantity(costQuantities().at(static_cast<std::size_t>(index)));
    });
    connect(curves_, &CurvePlot::readoutChanged, this,
            [this] { pointed_->setText(curves_->readout()); });
    connect(curves_, &CurvePlot::chosen, this, [this](double n) {
        CostSizes sizes = model_.sizes();
        sizes.nTokens = std::llround(n);
        model_.setSizes(sizes);
    });
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(curves_, 1);
    column->addWidget(pointed_);
    return made;
}

void TheoryCostPane::change() {
    CostSizes sizes = model_.sizes();
    for (const Size& size : sizes_) sizes.*size.field = size.slider->value();
    sizes.collapse = collapse_->value() == 0 ? CollapseKind::full : CollapseKind::perHead;
    sizes.pairs = pairs_->value() == 0 ? PairCount::all : PairCount::causal;
    model_.setSizes(sizes);
}

void TheoryCostPane::refresh() {
    const CostSizes& asked = model_.sizes();
    for (const Size& size : sizes_) {
        if (size.field == &CostSizes::nKvHeads)
            size.slider->setStops(divisorsOf(static_cast<int>(asked.nHeads)));
        size.slider->setValue(static_cast<int>(asked.*size.field));
    }
    collapse_->setValue(asked.collapse == CollapseKind::full ? 0 : 1);
    pairs_->setValue(asked.pairs == PairCount::all ? 0 : 1);
    presets_->setCurrentIndex(model_.preset());
    quantity_->setValue(static_cast<int>(model_.quantity()));
    problem_->setText(model_.problem());
    problem_->setVisible(!model_.problem().isEmpty());
    facts_->setText(model_.problem().isEmpty() ? costFacts(asked) : QString());
    refreshTable();
    formulas_->setText(costFormulas(model_.arms(), model_.quantity()));
    curves_->setContent(costCurves(model_, theme()));
    pointed_->setText(curves_->readout());
}

void TheoryCostPane::refreshTable() {
    const std::vector<CostArm>& arms = model_.arms();
    table_->clear();
    for (const CostArm& arm : arms) {
        auto* line = new QTreeWidgetItem(table_, {QString::fromStdString(arm.title)});
        int column = 1;
        for (const CostQuantity quantity : costQuantities()) {
            const std::int64_t value = arm.at(quantity).value;
            line->setText(column, costNumber(value));
            line->setToolTip(column, countText(value));
            line->setData(column++, exactNumber, static_cast<qlonglong>(value));
        }
        const auto entries = [](const CostArm& of) {
            return static_cast<double>(of.at(CostQuantity::scoreEntries).value);
        };
        const double share = entries(arm) / entries(arms.front());
        line->setText(column, QString::number(share, 'g', 4));
        line->setData(column, exactNumber, share);
        alignNumbers(*line);
    }
}

void TheoryCostPane::restyle() {
    const int edge = theme().pixels(14);
    for (const char* name : {"costs", "kinds"})
        findChild<QHBoxLayout*>(QString::fromLatin1(name))->setSpacing(edge);
    for (QSpinBox* box : findChildren<QSpinBox*>()) box->setMinimumWidth(theme().pixels(108));
    auto* grid = findChild<QGridLayout*>(QStringLiteral("sizes"));
    grid->setHorizontalSpacing(edge);
    grid->setVerticalSpacing(theme().pixels(4));
    curves_->setMinimumHeight(theme().pixels(220));
    refresh();
    fitRows(*table_, theme(), mostCostLines);
}

}  // namespace headloom
