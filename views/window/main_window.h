#pragma once

#include "views/viewmodels/checkpoint_view_model.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/recent_files.h"
#include "views/viewmodels/theory_bank_model.h"
#include "views/viewmodels/train_view_model.h"
#include "views/window/appearance.h"
#include "views/window/map_saver.h"

#include <QMainWindow>

class QLabel;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace headloom {

class ChainBar;
class ChangePanel;
class CheckpointPanel;
class Instruments;
class LoomPanel;
class MessageBar;
class PromptBar;
class SidePanel;
class TheoryPanel;
class TrainPanel;
class WhyPanel;

/// What the window shows: the maps with tables or with curves beside them, a checkpoint, or the
/// theory.
enum class Page { explore, train, checkpoint, theory };

/// The window: prompt and chain above, the two columns below, and beside them the instruments of
/// the Explore page or the curves of the Train page; or the Checkpoint or Theory page in the place
/// of all that.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    MainWindow(ExploreViewModel& model, Appearance& appearance, QWidget* parent = nullptr);
    ~MainWindow() override;

    ExploreViewModel& model() { return model_; }
    const ExploreViewModel& model() const { return model_; }
    Appearance& appearance() { return appearance_; }
    const Appearance& appearance() const { return appearance_; }
    PromptBar& prompt() { return *prompt_; }
    SidePanel& side() { return *side_; }
    ChangePanel& change() { return *change_; }
    WhyPanel& why() { return *why_; }
    /// What stands beside the maps on the Explore page.
    Instruments& instruments() { return *instruments_; }
    RecentFiles& recent() { return recent_; }
    const RecentFiles& recent() const { return recent_; }
    TrainViewModel& training() { return training_; }
    TrainPanel& trainPanel() { return *train_; }
    CheckpointViewModel& checkpoint() { return checkpoints_; }
    CheckpointPanel& checkpointPanel() { return *checkpoint_; }
    TheoryBankModel& theoryBank() { return theoryBank_; }
    TheoryPanel& theoryPanel() { return *theory_; }
    Page page() const;
    void setPage(Page page);
    /// The tables or the curves can be hidden, to give the maps all the room.
    void toggleBeside();
    bool isBesideShown() const;
    LoomPanel& loom() { return *loom_; }
    const LoomPanel& loom() const { return *loom_; }
    QSplitter& splitter() { return *splitter_; }
    const QSplitter& splitter() const { return *splitter_; }

    void askForModel(Side side);
    void askForTokenizer();
    void say(const QString& sentence);
    /// The Train page with this task and all of its arms, to be started.
    void setUpTraining(const QString& task);
    /// The sentence on screen; empty: none.
    QString message() const;
    void resetLayout();
    void toggleFullScreen();
    void askWhereToPutPictures();
    /// One PNG a kept moment of the run in view, in the background.
    void writePictures(const QString& folder);
    /// Takes the maps of the column that was looked at last out of the window.
    MapSaver& maps() { return maps_; }
    /// The maps, or the part of the theory: what is exported and copied.
    Result<Exportable> inView() const;
    void askWhereToPutMaps();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* pageSwitch();
    void refreshStatus();
    void refreshTitle();
    void restyle();

    ExploreViewModel& model_;
    Appearance& appearance_;
    TrainViewModel training_;
    RecentFiles recent_;
    MapSaver maps_;
    CheckpointViewModel checkpoints_;
    TheoryBankModel theoryBank_;
    MessageBar* message_;
    PromptBar* prompt_;
    ChainBar* chain_;
    LoomPanel* loom_;
    SidePanel* side_;
    ChangePanel* change_;
    WhyPanel* why_;
    Instruments* instruments_;
    TrainPanel* train_;
    QScrollArea* trainPage_;  ///< around the curves, for screens that are too small for them
    QStackedWidget* beside_;
    CheckpointPanel* checkpoint_;
    TheoryPanel* theory_;
    QStackedWidget* pages_;  ///< the maps and what belongs to them, the checkpoint or the theory
    QToolButton *exploreButton_, *trainButton_, *checkpointButton_, *theoryButton_;
    QSplitter* splitter_;
    QLabel *cell_, *device_;
};

}  // namespace headloom
