#pragma once

#include "views/viewmodels/explore_view_model.h"
#include "views/window/appearance.h"

#include <QMainWindow>

class QLabel;
class QSplitter;

namespace headloom {

class ChainBar;
class LoomPanel;
class MessageBar;
class PromptBar;
class SidePanel;

/// The window: prompt and chain above, the two columns and the tables below.
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
    LoomPanel& loom() { return *loom_; }
    const LoomPanel& loom() const { return *loom_; }
    QSplitter& splitter() { return *splitter_; }
    const QSplitter& splitter() const { return *splitter_; }

    void askForModel(Side side);
    void say(const QString& sentence);
    /// The sentence on screen; empty: none.
    QString message() const;
    void resetLayout();
    void toggleFullScreen();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void refreshStatus();
    void refreshTitle();
    void restyle();

    ExploreViewModel& model_;
    Appearance& appearance_;
    MessageBar* message_;
    PromptBar* prompt_;
    ChainBar* chain_;
    LoomPanel* loom_;
    SidePanel* side_;
    QSplitter* splitter_;
    QLabel *cell_, *device_;
};

}  // namespace headloom
