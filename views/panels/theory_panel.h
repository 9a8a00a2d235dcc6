#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/exportable.h"

#include <QWidget>

#include <vector>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace headloom {

class TheoryBankModel;
class TheoryPart;

/// The Theory page: the paper's results as parts to choose from a row of tabs, with the chosen one
/// running below. Ctrl+Page Down and Ctrl+Page Up go through the parts, Page Down and Page Up
/// through the steps of the part.
class TheoryPanel : public QWidget {
    Q_OBJECT
  public:
    TheoryPanel(TheoryBankModel& bank, const Theme& theme, QWidget* parent = nullptr);

    int count() const { return static_cast<int>(tabs_.size()); }
    TheoryPart& part(int index) const;
    int current() const;
    /// The part in view as it goes into a file: pictures on white, words and settings, or numbers.
    Exportable exportable() const;
    /// Clamped to the parts there are.
    void setCurrent(int index);

  signals:
    void failed(const QString& sentence);
    void trainAsked(const QString& task);  ///< see TheoryPart

  private:
    /// A part needs no more than this: its tab, sentence and keys follow.
    void add(TheoryPart* part);
    void restyle();

    const Theme* theme_;
    QWidget* row_;
    std::vector<QToolButton*> tabs_;
    QLabel* sentence_;
    QStackedWidget* parts_;
};

}  // namespace headloom
