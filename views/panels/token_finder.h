#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace headloom {

class TokenSearch;

/// The line that one types what to find in the prompt: hidden until it is wanted, and Escape puts
/// it away.
class TokenFinder : public QWidget {
    Q_OBJECT
  public:
    TokenFinder(TokenSearch& search, const Theme& theme, QWidget* parent = nullptr);

    void open();
    void close();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QToolButton* stepper(const QString& name, const QString& tip, int by);
    void refresh();
    void restyle();

    TokenSearch* search_;
    const Theme* theme_;
    QLineEdit* field_;
    QLabel* count_;
    QToolButton *back_, *forward_;
};

}  // namespace headloom
