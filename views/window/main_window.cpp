#include "views/window/main_window.h"

#include "views/panels/chain_bar.h"
#include "views/panels/change_panel.h"
#include "views/panels/checkpoint_panel.h"
#include "views/panels/column_panel.h"
#include "views/panels/flow_panel.h"
#include "views/panels/heads_panel.h"
#include "views/panels/instruments.h"
#include "views/panels/loom_panel.h"
#include "views/panels/many_panel.h"
#include "views/panels/prompt_bar.h"
#include "views/panels/segments.h"
#include "views/panels/side_panel.h"
#include "views/panels/similarity_map.h"
#include "views/panels/theory_panel.h"
#include "views/panels/train_panel.h"
#include "views/panels/why_panel.h"
#include "views/viewmodels/map_export.h"
#include "views/window/message_bar.h"
#include "views/window/picture_sequence.h"
#include "views/window/window_menus.h"

#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

MainWindow::MainWindow(ExploreViewModel& model, Appearance& appearance, QWidget* parent)
    : QMainWindow(parent),
      model_(model),
      appearance_(appearance),
      training_(model),
      checkpoints_(model.session()),
      message_(new MessageBar(appearance.theme())),
      prompt_(new PromptBar(model, appearance.theme())),
      chain_(new ChainBar(model, appearance.theme())),
      loom_(new LoomPanel(model, appearance.theme())),
      side_(new SidePanel(model, appearance.theme())),
      change_(new ChangePanel(model, appearance.theme())),
      why_(new WhyPanel(model, appearance.theme())),
      instruments_(new Instruments(appearance.theme())),
      train_(new TrainPanel(training_, appearance.theme())),
      trainPage_(new QScrollArea),
      beside_(new QStackedWidget),
      checkpoint_(new CheckpointPanel(checkpoints_, appearance.theme())),
      theory_(new TheoryPanel(theoryBank_, appearance.theme())),
      pages_(new QStackedWidget),
      exploreButton_(segmentButton(tr("Explore"), tr("Answers, evidence and cost (F2)"))),
      trainButton_(segmentButton(tr("Train"), tr("Watch models learn (F3)"))),
      checkpointButton_(segmentButton(tr("Checkpoint"), tr("Look into a file or model (F4)"))),
      theoryButton_(segmentButton(tr("Theory"), tr("The paper's results, running (F12)"))),
      splitter_(new QSplitter(Qt::Horizontal)),
      cell_(new QLabel),
      device_(new QLabel) {
    setObjectName(QStringLiteral("headloom"));
    splitter_->addWidget(loom_);
    instruments_->add(tr("Overview"), tr("Answers, evidence and cost"), side_);
    instruments_->add(tr("Change"), tr("Edit the mixing, switch parts off, and see what it does"),
                      change_);
    instruments_->add(tr("Why"), tr("Why two tokens attend, and why this answer"), why_);
    instruments_->add(tr("Heads"), tr("Find heads by what they do, and which are alike"),
                      new HeadsPanel(model, appearance.theme()));
    auto* flow = new FlowPanel(model, appearance.theme());
    instruments_->add(tr("Flow"), tr("What tokens take from one another, as lines"), flow);
    auto* many = new ManyPanel(model, appearance.theme());
    instruments_->add(tr("Many"), tr("All of that averaged over many prompts"), many);
    connect(many, &ManyPanel::failed, this, &MainWindow::say);
    connect(many, &ManyPanel::done, message_, &MessageBar::tell);
    connect(many, &ManyPanel::flowWanted, this, [this, flow](Side side, FlowModel::Maps maps) {
        flow->choose(side, maps);
        instruments_->show(flow);
    });
    connect(many, &ManyPanel::pictureWanted, &maps_, &MapSaver::save);
    beside_->addWidget(instruments_);
    trainPage_->setWidget(train_);
    trainPage_->setWidgetResizable(true);
    trainPage_->setFrameShape(QFrame::NoFrame);
    trainPage_->setFocusPolicy(Qt::NoFocus);
    beside_->addWidget(trainPage_);
    splitter_->addWidget(beside_);
    splitter_->setChildrenCollapsible(false);
    splitter_->setStretchFactor(0, 1);
    splitter_->setStretchFactor(1, 0);
    const auto stacked = [](std::initializer_list<QWidget*> widgets) {
        auto* made = new QWidget;
        auto* column = new QVBoxLayout(made);
        column->setSpacing(0);
        column->setContentsMargins(0, 0, 0, 0);
        for (QWidget* widget : widgets) column->addWidget(widget);
        column->setStretch(column->count() - 1, 1);
        return made;
    };
    pages_->addWidget(stacked({prompt_, chain_, splitter_}));
    pages_->addWidget(checkpoint_);
    pages_->addWidget(theory_);
    setCentralWidget(stacked({message_, pages_}));
    connect(pages_, &QStackedWidget::currentChanged, this, &MainWindow::refreshStatus);

    cell_->setAccessibleName(tr("Value under the cursor"));
    cell_->setProperty("role", "token");
    cell_->setMinimumWidth(1);
    device_->setAccessibleName(tr("Device and times"));
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(cell_, 1);
    statusBar()->addPermanentWidget(device_);
    menuBar()->setCornerWidget(pageSwitch());
    addMenus(*this);

    connect(prompt_, &PromptBar::tokenizerRequested, this, &MainWindow::askForTokenizer);
    connect(loom_, &LoomPanel::openRequested, this, &MainWindow::askForModel);
    connect(&model.session(), &ExploreSession::failed, this, &MainWindow::say);
    connect(&model.session(), &ExploreSession::fileShown, &recent_, &RecentFiles::add);
    connect(&training_, &TrainViewModel::failed, this, &MainWindow::say);
    connect(&checkpoints_, &CheckpointViewModel::failed, this, &MainWindow::say);
    connect(&maps_, &MapSaver::failed, this, &MainWindow::say);
    connect(&maps_, &MapSaver::done, message_, &MessageBar::tell);
    connect(&theoryBank_, &TheoryBankModel::failed, this, &MainWindow::say);
    connect(theory_, &TheoryPanel::failed, this, &MainWindow::say);
    connect(theory_, &TheoryPanel::trainAsked, this, &MainWindow::setUpTraining);
    connect(&checkpoints_, &CheckpointViewModel::shownChanged, message_, &QWidget::hide);
    connect(&checkpoints_, &CheckpointViewModel::pairOpened, this,
            [this] { setPage(Page::explore); });
    connect(&model.session(), &ExploreSession::answered, message_, &QWidget::hide);
    connect(&model.session(), &ExploreSession::stateChanged, this, &MainWindow::refreshTitle);
    connect(&model, &ExploreViewModel::runsChanged, this, &MainWindow::refreshStatus);
    connect(&model.session(), &ExploreSession::loadingProgressed, this, &MainWindow::refreshStatus);
    connect(&model.selection(), &Selection::cellChanged, this, &MainWindow::refreshStatus);
    connect(&model, &ExploreViewModel::pointedTextChanged, this, &MainWindow::refreshStatus);
    connect(&model.selection(), &Selection::hoveredTokenChanged, this, &MainWindow::refreshStatus);
    connect(&model.selection(), &Selection::stepChanged, this, &MainWindow::refreshStatus);
    connect(&appearance.theme(), &Theme::changed, this, &MainWindow::restyle);
    restyle();
    resetLayout();
    refreshTitle();
    refreshStatus();
}

void MainWindow::askForModel(Side side) {
    const QString path =
        QFileDialog::getOpenFileName(this,
                                     side == Side::left ? tr("Open a model in the left column")
                                                        : tr("Open a model in the right column"),
                                     {},
                                     tr("Models and checkpoints (*.safetensors *.gguf *.bin *.pt "
                                        "*.pth *.ckpt *.npz *.npy *.index.json);;All files (*)"));
    if (!path.isEmpty()) model_.session().openFile(side, path);
}

void MainWindow::askForTokenizer() {
    if (!model_.session().freeText())
        return say(tr("The examples' models read their own tokens; open a checkpoint first"));
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Choose the tokenizer of the checkpoint"), {},
        tr("Tokenizers (tokenizer.json vocab.json *.json *.gguf *.bin);;All files (*)"));
    if (!path.isEmpty()) model_.session().setTokenizer(path);
}

void MainWindow::say(const QString& sentence) {
    message_->say(sentence);
}

void MainWindow::setUpTraining(const QString& task) {
    setPage(Page::train);
    ComparisonSetup& setup = training_.setup();
    if (setup.locked() && setup.task() != task)
        return say(
            tr("Another comparison stands; drop it with New, then ask for these arms again"));
    setup.setTask(task);
}

QString MainWindow::message() const {
    return message_->text();
}

QWidget* MainWindow::pageSwitch() {
    connect(exploreButton_, &QToolButton::clicked, this, [this] { setPage(Page::explore); });
    connect(trainButton_, &QToolButton::clicked, this, [this] { setPage(Page::train); });
    connect(checkpointButton_, &QToolButton::clicked, this, [this] { setPage(Page::checkpoint); });
    connect(theoryButton_, &QToolButton::clicked, this, [this] { setPage(Page::theory); });
    exploreButton_->setChecked(true);
    return segmentRow({exploreButton_, trainButton_, checkpointButton_, theoryButton_});
}

Page MainWindow::page() const {
    if (pages_->currentWidget() == checkpoint_) return Page::checkpoint;
    if (pages_->currentWidget() == theory_) return Page::theory;
    return beside_->currentWidget() == trainPage_ ? Page::train : Page::explore;
}

void MainWindow::setPage(Page page) {
    if (page == Page::checkpoint) {
        checkpointButton_->setChecked(true);
        pages_->setCurrentWidget(checkpoint_);
        return checkpoints_.showColumn();
    }
    if (page == Page::theory) {
        theoryButton_->setChecked(true);
        return pages_->setCurrentWidget(theory_);
    }
    (page == Page::train ? trainButton_ : exploreButton_)->setChecked(true);
    pages_->setCurrentIndex(0);
    beside_->show();
    if (page == this->page()) return;
    // What is about to be trained is what was looked at.
    if (page == Page::train) training_.setup().setTask(model_.session().state().exampleId);
    beside_->setCurrentWidget(page == Page::train ? static_cast<QWidget*>(trainPage_)
                                                  : instruments_);
    resetLayout();
}

void MainWindow::toggleBeside() {
    beside_->setVisible(!beside_->isVisible());
}

bool MainWindow::isBesideShown() const {
    return beside_->isVisible();
}

void MainWindow::resetLayout() {
    const int side = appearance_.theme().pixels(page() == Page::train ? 506 : 326);
    splitter_->setSizes({std::max(1, width() - side), side});
    loom_->resetLayout();
    checkpoint_->resetLayout();
    for (int section = 0; section < SidePanel::sectionCount; ++section)
        side_->setSectionOpen(static_cast<SidePanel::Section>(section), true);
    beside_->show();
}

void MainWindow::askWhereToPutPictures() {
    if (!training_.stands()) return;
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("A folder for one picture a kept moment"));
    if (!folder.isEmpty()) writePictures(folder);
}

void MainWindow::writePictures(const QString& folder) {
    auto* sequence = new PictureSequence(*this, folder);
    connect(sequence, &PictureSequence::finished, this,
            [this, folder](int pictures, const QString& problem) {
                if (!problem.isEmpty()) return say(problem);
                message_->tell(tr("%n picture(s) are in %1", nullptr, pictures).arg(folder));
            });
    sequence->start();
}

Result<Exportable> MainWindow::inView() const {
    if (page() == Page::theory) return theory_->exportable();
    for (const QWidget* at = focusWidget(); at; at = at->parentWidget())
        if (const auto* matrix = qobject_cast<const SimilarityMap*>(at))
            return matrix->exportable();
    const Result<MapExport> maps = mapExportOf(model_, model_.lookedAt());
    if (!maps) return tl::unexpected(maps.error());
    return exportableOf(*maps);
}

void MainWindow::askWhereToPutMaps() {
    const Result<Exportable> shown = inView();
    if (!shown) return say(QString::fromStdString(shown.error().sentence()));
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export what is in view"), shown->name + QStringLiteral(".svg"),
        tr("Picture to print (*.svg);;Picture in pixels (*.png);;Numbers (*.csv)"));
    if (!path.isEmpty()) maps_.save(shown, path);
}

void MainWindow::toggleFullScreen() {
    setWindowState(windowState() ^ Qt::WindowFullScreen);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // Keys reach here only where the focused control has no use for them. Page Down and Page Up are
    // what the clickers of a lecture hall send.
    if (event->modifiers() == Qt::NoModifier && page() != Page::checkpoint &&
        page() != Page::theory) {
        switch (event->key()) {
            case Qt::Key_Space:
                return model_.setPlaying(!model_.playing());
            case Qt::Key_PageDown:
                return model_.goForward();
            case Qt::Key_PageUp:
                return model_.goBack();
            default:
                break;
        }
    }
    QMainWindow::keyPressEvent(event);
}

MainWindow::~MainWindow() {
    // Focus leaves while every part still stands: a child that loses it during ~QWidget would
    // signal into a window half taken down.
    if (QWidget* focused = focusWidget()) focused->clearFocus();
}

void MainWindow::refreshStatus() {
    QString words = model_.pointedText();
    if (words.isEmpty()) words = model_.tokenText();
    if (words.isEmpty()) words = model_.cellText();
    cell_->setText(
        words.isEmpty()
            ? tr("Point at a map, or walk its cells with the arrow keys, for exact values")
            : words);
    // the times are those of the two columns, which the other pages do not show
    device_->setText(page() == Page::theory ? QString() : model_.deviceText());
}

void MainWindow::refreshTitle() {
    const ExampleInfo* example = model_.session().example();
    setWindowTitle(example ? tr("%1 — Headloom").arg(example->title) : tr("Headloom"));
}

void MainWindow::restyle() {
    const int edge = appearance_.theme().pixels(14);
    statusBar()->setContentsMargins(edge, 0, edge, 0);
    cell_->setFont(appearance_.theme().font(TextRole::tokenSmall));
}

}  // namespace headloom
