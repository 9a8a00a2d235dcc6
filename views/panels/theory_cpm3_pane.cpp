#include "views/panels/theory_cpm3_pane.h"

#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/segments.h"
#include "views/panels/theory_cpm3_sheets.h"
#include "views/panels/theory_cpm3_words.h"
#include "views/panels/theory_slider.h"
#include "views/plots/curve_plot.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>

#include <cmath>

namespace headloom {

namespace {

constexpr int mostSlidG = 40, mostSlidM = 20;  // more can be typed

constexpr int mostTokensInNumbers = 16;  // more would not be read, and are drawn as a map

constexpr Cpm3Stage allStages[] = {Cpm3Stage::shift, Cpm3Stage::workspace, Cpm3Stage::count};

}  // namespace

TheoryCpm3Pane::TheoryCpm3Pane(const Theme& theme, QWidget* parent)
    : TheoryPart(
          tr("CPM-3"),
          tr("N heads or ⌈√N⌉: every token counts the ordered pairs that make x_i + G x_j1 + "
             "x_j2 divisible by M. Hard attention and an MLP with constructed weights, not "
             "trained ones."),
          theme, parent),
      sequence_(new QLineEdit),
      tokens_(new TheorySlider(tr("Tokens N"), tr("Length of the sequence"), 1,
                               Cpm3Task::mostTokens, theme)),
      g_(new TheorySlider(tr("Factor G"), tr("What x_j1 is multiplied by; more can be typed"), 0,
                          mostSlidG, theme)),
      m_(new TheorySlider(tr("Divisor M"), tr("What sums are divided by; more can be typed"), 1,
                          mostSlidM, theme)),
      problem_(wordsOf("danger")),
      order_(wordsOf("small")),
      words_(wordsOf("small")),
      pointed_(wordsOf("small")),
      counts_(new MatrixView(theme)),
      agreement_(wordsOf("small")),
      heads_(new CurvePlot(theme)) {
    g_->setMostTyped(Cpm3Task::mostFactor);
    m_->setMostTyped(Cpm3Task::mostFactor);
    counts_->setAccessibleName(tr("Pairs for each token"));
    rows().addWidget(controls());
    rows().addWidget(problem_);
    rows().addWidget(order_);
    rows().addWidget(stages());
    auto* middle = new QHBoxLayout;
    middle->setObjectName(QStringLiteral("arms"));
    middle->addWidget(armColumn(false), 1);
    middle->addWidget(armColumn(true), 1);
    rows().addLayout(middle, 3);
    rows().addWidget(pointed_);
    auto* below = new QHBoxLayout;
    auto* countColumn = new QVBoxLayout;
    countColumn->addWidget(agreement_);
    countColumn->addWidget(counts_, 1);
    below->addLayout(countColumn, 3);
    below->addWidget(heads_, 2);
    rows().addLayout(below, 1);
    connect(&model_, &TheoryCpm3Model::askedChanged, this, &TheoryCpm3Pane::refreshAsked);
    connect(&model_, &TheoryCpm3Model::runChanged, this, &TheoryCpm3Pane::refreshRun);
    connect(&model_, &TheoryCpm3Model::placeChanged, this, &TheoryCpm3Pane::refreshPlace);
    connect(counts_, &MatrixView::cellClicked, this,
            [this](int, int token) { model_.setToken(token); });
    connect(heads_, &CurvePlot::chosen, this,
            [this](double n) { model_.setTokens(static_cast<int>(std::lround(n))); });
    connect(&theme, &Theme::changed, this, &TheoryCpm3Pane::restyle);
    restyle();
}

void TheoryCpm3Pane::begin() {
    model_.begin();
}

void TheoryCpm3Pane::step(int by) {
    model_.step(by);
}

QWidget* TheoryCpm3Pane::controls() {
    sequence_->setObjectName(QStringLiteral("sequence"));
    sequence_->setAccessibleName(tr("Sequence x"));
    sequence_->setToolTip(tr("Up to %1 whole numbers of 0 to %2, with commas between them")
                              .arg(Cpm3Task::mostTokens)
                              .arg(Cpm3Task::mostSymbol));
    connect(sequence_, &QLineEdit::editingFinished, this,
            [this] { model_.setSequence(sequence_->text()); });
    connect(tokens_, &TheorySlider::changed, &model_, &TheoryCpm3Model::setTokens);
    connect(g_, &TheorySlider::changed, &model_, &TheoryCpm3Model::setG);
    connect(m_, &TheorySlider::changed, &model_, &TheoryCpm3Model::setM);
    auto* made = new QWidget;
    auto* line = new QHBoxLayout(made);
    line->setObjectName(QStringLiteral("controls"));
    line->setContentsMargins(0, 0, 0, 0);
    auto* caption = new QLabel(tr("Sequence x"));
    caption->setProperty("role", "soft");
    line->addWidget(caption);
    line->addWidget(sequence_, 3);
    for (TheorySlider* slider : {tokens_, g_, m_}) line->addWidget(slider, 2);
    return made;
}

QWidget* TheoryCpm3Pane::stages() {
    const QString names[] = {tr("1 Shift"), tr("2 Workspace"), tr("3 Count")};
    auto* made = new QWidget;
    auto* line = new QHBoxLayout(made);
    line->setContentsMargins(0, 0, 0, 0);
    for (const Cpm3Stage stage : allStages) {
        const auto index = static_cast<std::size_t>(stage);
        stages_[index] = segmentButton(
            names[index], tr("Page Down and Page Up go through the parts, then the tokens"));
        connect(stages_[index], &QToolButton::toggled, this, [this, stage](bool chosen) {
            if (chosen) model_.setStage(stage);
        });
    }
    line->addWidget(segmentRow({stages_[0], stages_[1], stages_[2]}));
    line->addWidget(words_, 1);
    return made;
}

QWidget* TheoryCpm3Pane::armColumn(bool interleaved) {
    Arm& arm = arms_[interleaved ? 1 : 0];
    arm = {wordsOf("small"), new QStackedWidget, new HeatmapView(theme()), new MatrixView(theme())};
    arm.maps->setRendererChoice(RendererChoice::raster);
    arm.maps->setOnPage(true);
    arm.maps->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    ColourScale scale;
    scale.perMap = true;  // the weight is said in words
    arm.maps->setScale(scale);
    arm.maps->setAccessibleName(interleaved ? tr("Tiles of IHA") : tr("Maps of MHA"));
    arm.matrix->setAccessibleName(interleaved ? tr("Matrix of IHA") : tr("Matrix of MHA"));
    arm.shown->addWidget(arm.maps);
    arm.shown->addWidget(arm.matrix);
    HeatmapView* maps = arm.maps;
    MatrixView* matrix = arm.matrix;
    // the rows of the count are no tokens but shifts of one
    const auto chooseToken = [this](int row) {
        if (model_.stage() != Cpm3Stage::count) model_.setToken(row);
    };
    connect(maps, &HeatmapView::cellClicked, this,
            [chooseToken](int, int query, int) { chooseToken(query); });
    connect(maps, &HeatmapView::cellHovered, this,
            [this, maps](int tile, int query, int key, float) {
                pointed_->setText(describeCell(maps->sheet(), {tile, query, key}));
            });
    connect(maps, &HeatmapView::cellLeft, pointed_, &QLabel::clear);
    connect(matrix, &MatrixView::cellHovered, this, [this, matrix](int row, int column, float) {
        pointed_->setText(matrix->describe({row, column}));
    });
    connect(matrix, &MatrixView::cellLeft, pointed_, &QLabel::clear);
    connect(matrix, &MatrixView::cellClicked, this,
            [chooseToken](int row, int) { chooseToken(row); });
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(arm.facts);
    column->addWidget(arm.shown, 1);
    return made;
}

void TheoryCpm3Pane::refreshAsked() {
    const Cpm3Task& task = model_.task();
    if (sequence_->text() != model_.sequence()) sequence_->setText(model_.sequence());
    tokens_->setValue(task.nTokens());
    g_->setValue(task.g);
    m_->setValue(task.m);
    problem_->setText(model_.problem());
    problem_->setVisible(!model_.problem().isEmpty());
    order_->setText(model_.problem().isEmpty() ? cpm3Order(task) : QString());
    heads_->setContent(cpm3HeadCurves(task.nTokens(), theme()));
}

void TheoryCpm3Pane::refreshRun() {
    refreshFacts(false);
    refreshFacts(true);
    refreshPlace();
}

void TheoryCpm3Pane::refreshFacts(bool interleaved) {
    const Cpm3Run* run = model_.run();
    const QColor colour = interleaved ? theme().colours().iha : theme().colours().mha;
    QLabel* facts = arms_[interleaved ? 1 : 0].facts;
    facts->setText(cpm3Facts(run, interleaved, colour));
    facts->setToolTip(
        tr("Parameters of the attention, counted in its tensors. Both constructions "
           "have the same MLP, with a hidden unit for each of the N² ordered pairs"));
}

void TheoryCpm3Pane::refreshPlace() {
    for (const Cpm3Stage stage : allStages)
        stages_[static_cast<std::size_t>(stage)]->setChecked(stage == model_.stage());
    words_->setText(cpm3StageWords(model_));
    const Cpm3Run* run = model_.run();
    const bool numbers =
        run && model_.stage() != Cpm3Stage::shift && run->task.nTokens() <= mostTokensInNumbers;
    for (const bool interleaved : {false, true}) {
        const Arm& arm = arms_[interleaved ? 1 : 0];
        arm.shown->setCurrentWidget(numbers ? static_cast<QWidget*>(arm.matrix) : arm.maps);
        if (numbers)
            arm.matrix->setSheet(cpm3Matrix(model_, interleaved));
        else
            arm.maps->setSheet(run ? cpm3Maps(model_, interleaved) : MapSheet());
        arm.maps->setEmptyHint(model_.problem().isEmpty()
                                   ? tr("Building…")
                                   : tr("There is no such sequence: see above"));
    }
    refreshCounts();
}

void TheoryCpm3Pane::refreshCounts() {
    const Cpm3Run* run = model_.run();
    agreement_->setText(run ? cpm3Agreement(*run, model_.token()) : QString());
    counts_->setSheet(run ? cpm3Counts(*run, model_.token()) : MatrixSheet());
}

void TheoryCpm3Pane::restyle() {
    const int edge = theme().pixels(14);
    for (const char* name : {"controls", "arms"})
        findChild<QHBoxLayout*>(QString::fromLatin1(name))->setSpacing(edge);
    for (const Arm& arm : arms_) arm.maps->setMinimumHeight(theme().pixels(200));
    // as long as the longest that is said of a stage, so that nothing moves
    words_->setMinimumHeight(2 * QFontMetrics(theme().font(TextRole::small)).height());
    heads_->setMinimumHeight(theme().pixels(130));
    refreshAsked();
    refreshRun();
}

}  // namespace headloom
