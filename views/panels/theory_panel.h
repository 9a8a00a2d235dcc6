#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QListWidget;
class QSplitter;
class QStackedWidget;

namespace headloom {

class TheoryBankModel;
class TheoryBankPane;

/// The Theory page: the paper's results as parts to choose on the left, the chosen one running
/// beside them.
class TheoryPanel : public QWidget {
    Q_OBJECT
  public:
    TheoryPanel(TheoryBankModel& bank, const Theme& theme, QWidget* parent = nullptr);

    TheoryBankPane& bankPane() { return *bank_; }
    QListWidget& parts() { return *parts_; }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void add(const QString& title, const QString& sentence, QWidget* pane);
    void restyle();

    TheoryBankModel* model_;
    const Theme* theme_;
    QListWidget* parts_;
    QStackedWidget* panes_;
    TheoryBankPane* bank_;
};

}  // namespace headloom
