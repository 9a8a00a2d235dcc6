#include "views/panels/many_panel.h"

#include "views/panels/elided_combo.h"
#include "views/panels/list_table.h"
#include "views/panels/segments.h"
#include "views/panels/similarity_map.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

namespace {

enum Over { examplesOfTask, linesOfFile };

constexpr int countColumn = 2;  ///< how many prompts have the number: narrower than these
constexpr int usualExamples = 200, mostExamples = 1'000'000;

template <class Value>
void addItem(QComboBox& box, const QString& title, Value value) {
    box.addItem(title, static_cast<int>(value));
}

template <class Value>
Value chosen(const QComboBox& box) {
    return static_cast<Value>(box.currentData().toInt());
}

}  // namespace

ManyPanel::ManyPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      many_(model),
      sides_{segmentButton(tr("Left"), tr("Average over prompts with the left column's model")),
             segmentButton(tr("Right"), tr("Average over prompts with the right column's model"))},
      headsOnly_(segmentButton(tr("Heads only"), tr("List heads without their tiles"))),
      what_(ElidedCombo::narrow(tr("What is averaged"))),
      parts_(ElidedCombo::narrow(tr("What is switched off"))),
      over_(ElidedCombo::narrow(tr("Over which prompts"))),
      examples_(new QSpinBox),
      choose_(textButton(tr("Choose…"), tr("Choose a text file with one prompt a line (UTF-8)"))),
      start_(textButton(tr("Start"), tr("Average over these prompts"))),
      progress_(new QProgressBar),
      hint_(new QLabel),
      about_(new QLabel),
      measure_(ElidedCombo::narrow(tr("Number that is listed"))),
      export_(
          textButton(tr("Export…"), tr("Write all averages as CSV, or the picture that is shown"))),
      table_(listTable(many_.list(), tr("Averages over many prompts"),
                       [this](int row) { openRow(row); })),
      similarity_(new SimilarityMap(theme)) {
    hint_->setProperty("role", "faint");
    about_->setProperty("role", "soft");
    for (QLabel* label : {hint_, about_}) {
        label->setWordWrap(true);
        label->setMinimumWidth(1);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    }
    about_->setAccessibleName(tr("What was averaged"));
    table_->setProperty("dense", true);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(countColumn, QHeaderView::Fixed);
    auto* second = new QHBoxLayout;
    second->addWidget(measure_, 1);
    second->addWidget(headsOnly_);
    second->addWidget(export_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(questions());
    all->addLayout(prompts());
    all->addWidget(hint_, 1);
    all->addWidget(about_);
    all->addLayout(second);
    all->addWidget(table_, 1);
    all->addWidget(similarity_, 1);

    connect(measure_, &QComboBox::activated, &many_, &ManyModel::setMeasure);
    connect(headsOnly_, &QToolButton::toggled, this,
            [this](bool only) { many_.list().setHeadsOnly(only); });
    connect(export_, &QToolButton::clicked, this, &ManyPanel::askWhereToExport);
    connect(&many_, &ManyModel::changed, this, &ManyPanel::refresh);
    connect(&model, &ExploreViewModel::runsChanged, this, &ManyPanel::refresh);
    connect(&model.selection(), &Selection::layerChanged, this, &ManyPanel::refreshSimilarity);
    connect(similarity_, &SimilarityMap::patternChosen, &many_,
            qOverload<int, const Pattern&>(&ManyModel::open));
    connect(&theme, &Theme::changed, this, &ManyPanel::restyle);
    restyle();
    refresh();
}

QLayout* ManyPanel::questions() {
    using What = ManyModel::What;
    using Kind = ModelPart::Kind;
    addItem(*what_, tr("heads and tiles"), What::heads);
    addItem(*what_, tr("distinct tiles"), What::patterns);
    addItem(*what_, tr("parts switched off"), What::cuts);
    addItem(*what_, tr("shares of the answer"), What::shares);
    addItem(*what_, tr("cross-head shares"), What::crossHeads);
    addItem(*what_, tr("logit lens"), What::lens);
    addItem(*what_, tr("similarity of tiles"), What::similarity);
    addItem(*what_, tr("attention rollout"), What::rollout);
    addItem(*what_, tr("attention flow"), What::flow);
    what_->setToolTip(
        tr("Heads and tiles by what they do; how many of a layer are distinct; what the answers "
           "lose without each part; what each part adds to the answers' logits; how much of the "
           "scores, all and on the evidence, is made of other heads; what the answers would be if "
           "the model ended after a layer; how alike every two tiles of a layer are; or what the "
           "tokens that answer take from the evidence and every other one through the layers, as "
           "rollout, or as flow, which takes longer"));
    addItem(*parts_, tr("tiles"), Kind::tile);
    addItem(*parts_, tr("heads"), Kind::head);
    addItem(*parts_, tr("pseudo-heads, as query"), Kind::pseudoQuery);
    addItem(*parts_, tr("pseudo-heads, as key"), Kind::pseudoKey);
    addItem(*parts_, tr("mixing weights"), Kind::weight);
    addItem(*parts_, tr("attention of a layer"), Kind::attention);
    addItem(*parts_, tr("MLPs"), Kind::mlp);
    addItem(*parts_, tr("layers"), Kind::layer);
    auto* rows = new QVBoxLayout;
    auto* columns = new QHBoxLayout;
    columns->addWidget(segmentRow({sides_[0], sides_[1]}));
    columns->addStretch(1);
    auto* what = new QHBoxLayout;
    what->addWidget(what_, 1);
    what->addWidget(parts_, 1);
    rows->addLayout(columns);
    rows->addLayout(what);
    for (const Side side : bothSides)
        connect(sides_[static_cast<std::size_t>(indexOf(side))], &QToolButton::clicked, this,
                [this, side] {
                    side_ = side;
                    refresh();
                });
    connect(what_, &QComboBox::activated, this, &ManyPanel::refresh);
    return rows;
}

QLayout* ManyPanel::prompts() {
    addItem(*over_, tr("task examples"), examplesOfTask);
    addItem(*over_, tr("a text file"), linesOfFile);
    over_->setToolTip(tr("Held-out examples, counted from 0, or a text file: one prompt a line"));
    examples_->setRange(1, mostExamples);
    examples_->setValue(usualExamples);
    examples_->setSingleStep(100);
    examples_->setGroupSeparatorShown(true);
    examples_->setAccessibleName(tr("How many examples"));
    examples_->setToolTip(examples_->accessibleName());
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Share of the prompts that are done"));
    auto* grid = new QGridLayout;
    grid->addWidget(over_, 0, 0);
    grid->addWidget(examples_, 0, 1);
    grid->addWidget(choose_, 0, 1);
    grid->addWidget(start_, 1, 0);
    grid->addWidget(progress_, 1, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    connect(over_, &QComboBox::activated, this, [this] {
        fromFile_ = chosen<Over>(*over_) == linesOfFile;
        refresh();
    });
    connect(choose_, &QToolButton::clicked, this, &ManyPanel::chooseFile);
    connect(start_, &QToolButton::clicked, this, &ManyPanel::startOrStop);
    return grid;
}

QSize ManyPanel::sizeHint() const {
    return {theme_->pixels(326), theme_->pixels(500)};
}

void ManyPanel::chooseFile() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("A text file with one prompt a line"), file_,
                                     tr("Text (*.txt *.csv *.tsv);;All files (*)"));
    if (!path.isEmpty()) setFile(path);
}

void ManyPanel::setFile(const QString& path) {
    file_ = path;
    fromFile_ = true;
    refresh();
}

void ManyPanel::askWhereToExport() {
    QString kinds = tr("Numbers (*.csv)");
    if (similarity_->isVisible())
        kinds += tr(";;Picture to print (*.svg);;Picture in pixels (*.png)");
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the averages"),
                                                      QStringLiteral("averages.csv"), kinds);
    if (!path.isEmpty()) exportTo(path);
}

void ManyPanel::exportTo(const QString& path) {
    const QString kind = QFileInfo(path).suffix().toLower();
    if (kind == QLatin1String("svg") || kind == QLatin1String("png")) {
        const Result<Exportable> picture = similarity_->exportable();
        if (!picture) return emit failed(sentenceOf(picture.error()));
        return emit pictureWanted(*picture, path);
    }
    if (const auto written = many_.exportTo(path); !written)
        emit failed(sentenceOf(written.error()));
    else
        emit done(tr("The averages are in %1").arg(path));
}

void ManyPanel::startOrStop() {
    if (many_.running()) return many_.stop();
    if (readsFile() && file_.isEmpty()) chooseFile();
    if (readsFile() && file_.isEmpty()) return;
    ManyModel::Asking asking;
    asking.side = side_;
    asking.what = chosen<ManyModel::What>(*what_);
    asking.parts = chosen<ModelPart::Kind>(*parts_);
    asking.examples = examples_->value();
    if (readsFile()) asking.file = file_;
    many_.start(asking);
}

/// The map of a line, or the flow through all maps.
void ManyPanel::openRow(int row) {
    using What = ManyModel::What;
    if (many_.open(row) || !many_.asked()) return;
    const ManyModel::Asking& asked = *many_.asked();
    if (asked.what == What::rollout || asked.what == What::flow)
        emit flowWanted(asked.side, asked.what == What::flow ? FlowModel::Maps::flow
                                                             : FlowModel::Maps::rollout);
}

void ManyPanel::refresh() {
    for (const Side side : bothSides) {
        QToolButton* button = sides_[static_cast<std::size_t>(indexOf(side))];
        const QString name = model_->shortName(side);
        button->setText(name.isEmpty() ? tr("none") : name);
        button->setAccessibleName(button->text());
        button->setChecked(side == side_);
    }
    parts_->setVisible(chosen<ManyModel::What>(*what_) == ManyModel::What::cuts);
    refreshPrompts();
    const bool running = many_.running();
    start_->setText(running ? tr("Stop") : tr("Start"));
    progress_->setVisible(running);
    progress_->setValue(static_cast<int>(1000 * many_.progress()));
    const QString hint = many_.hint(), about = many_.about();
    hint_->setText(hint);
    hint_->setVisible(about.isEmpty());
    about_->setText(about);
    about_->setVisible(!about.isEmpty());
    table_->setVisible(!about.isEmpty());
    refreshMeasures();
    refreshSimilarity();
    fitNames();
}

void ManyPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshSimilarity();
}

/// Clusters are looked for only where they are seen.
void ManyPanel::refreshSimilarity() {
    if (!isVisible()) return;
    SimilarityShown shown = many_.similarity();
    similarity_->setVisible(shown.values != nullptr);
    if (!shown.values) return;
    shown.note.prepend(shown.sentence + QStringLiteral(" · "));
    const QStringList about = many_.about().split(QLatin1Char('\n'));
    similarity_->show(std::move(shown), [about] {
        std::vector<std::string> lines;
        for (const QString& line : about) lines.push_back(line.toStdString());
        return lines;
    });
}

/// A model from elsewhere has no examples to draw.
void ManyPanel::refreshPrompts() {
    const bool file = readsFile();
    over_->setCurrentIndex(file ? linesOfFile : examplesOfTask);
    over_->setEnabled(many_.hasTask());
    examples_->setVisible(!file);
    choose_->setVisible(file);
    choose_->setText(file_.isEmpty() ? tr("Choose…") : QFileInfo(file_).fileName());
    choose_->setAccessibleName(file_.isEmpty() ? tr("Choose a text file")
                                               : tr("Text file %1").arg(choose_->text()));
}

void ManyPanel::refreshMeasures() {
    const QStringList names = many_.measures();
    const bool any = !names.isEmpty();
    for (QWidget* each : std::initializer_list<QWidget*>{measure_, export_}) each->setVisible(any);
    headsOnly_->setVisible(any && many_.table().isMixed());
    QStringList held;
    for (int i = 0; i < measure_->count(); ++i) held << measure_->itemText(i);
    const QSignalBlocker quiet(measure_);
    if (held != names) {
        measure_->clear();
        measure_->addItems(names);
        for (int i = 0; i < names.size(); ++i)
            measure_->setItemData(i, many_.measureTip(i), Qt::ToolTipRole);
    }
    measure_->setCurrentIndex(any ? many_.measure() : -1);
    measure_->setToolTip(many_.measureTip(many_.measure()));
}

/// Room for the longest name, as long as that leaves some for the numbers, and for one of two
/// lines.
void ManyPanel::fitNames() {
    const QAbstractItemModel& lines = *table_->model();
    const QFontMetrics metrics(table_->verticalHeader()->font());
    int longest = theme_->pixels(68), high = theme_->pixels(24);
    for (int row = 0; row < lines.rowCount(); ++row) {
        const QSize size = metrics.size(0, lines.headerData(row, Qt::Vertical).toString());
        longest = std::max(longest, size.width());
        high = std::max(high, size.height() + theme_->pixels(4));
    }
    table_->verticalHeader()->setDefaultSectionSize(high);
    table_->verticalHeader()->setFixedWidth(
        std::min(longest + theme_->pixels(16), theme_->pixels(136)));
}

void ManyPanel::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(10), edge, theme_->pixels(10));
    layout()->setSpacing(theme_->pixels(8));
    restyleList(*table_, *theme_, 46);
    table_->horizontalHeader()->resizeSection(countColumn, theme_->pixels(40));
    fitNames();
    setMinimumWidth(theme_->pixels(326));
}

}  // namespace headloom
