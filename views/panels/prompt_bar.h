#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/display_options.h"
#include "views/viewmodels/token_search.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace headloom {

class ExploreViewModel;
class TokenFinder;
class TokenStrip;

/// The prompt: chips to look at, or a line to type in. A prompt that cannot be used gets its
/// sentence below the line, and what is shown stays as it is.
class PromptBar : public QFrame {
    Q_OBJECT
  public:
    PromptBar(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    void startEditing();
    void stopEditing();
    /// Lets the user find a token.
    void find();
    const TokenSearch& search() const { return search_; }

  signals:
    /// The user wants to name a tokenizer.
    void tokenizerRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void run();
    void refresh();
    void restyle();
    QToolButton* tokenSwitch(const QString& text, const QString& tip,
                             bool DisplayOptions::Values::*option);
    void followDisplay();
    void showProblem(const QString& sentence);

    ExploreViewModel* model_;
    const Theme* theme_;
    TokenSearch search_;
    QStackedWidget* stack_;
    TokenStrip* strip_;
    TokenFinder* finder_;
    QLineEdit* edit_;
    QLabel* problem_ = nullptr;  ///< made when there is one to say
    QLabel* note_;
    QToolButton *words_, *ids_, *tokenizer_;
    QToolButton* editButton_;
    QToolButton* newButton_;
    QSpinBox* number_;
};

}  // namespace headloom
