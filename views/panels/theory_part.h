#pragma once

#include "views/theme/theme.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace headloom {

/// A part of the Theory page: a title for its tab, a sentence that says what there is to see, and
/// rows of controls and pictures, which scroll where the screen is too small for them.
class TheoryPart : public QScrollArea {
    Q_OBJECT
  public:
    TheoryPart(const QString& title, const QString& sentence, const Theme& theme,
               QWidget* parent = nullptr);

    const QString& title() const { return title_; }
    const QString& sentence() const { return sentence_; }
    /// Page Down (1) and Page Up (-1), which the clickers of a lecture hall send, wherever the
    /// focus is. A part without steps does nothing.
    virtual void step(int by);

  signals:
    void failed(const QString& sentence);
    /// The user wants to see the arms of this task train.
    void trainAsked(const QString& task);

  protected:
    /// Called whenever the part comes to be seen: nothing is worked out before.
    virtual void begin() {}
    /// Where a part puts its widgets, from top to bottom.
    QVBoxLayout& rows() { return *rows_; }
    const Theme& theme() const { return *theme_; }
    /// An empty label that wraps and takes any width. `role` as in the style sheet.
    static QLabel* wordsOf(const char* role);
    void showEvent(QShowEvent* event) override;

  private:
    void restyle();

    QString title_, sentence_;
    const Theme* theme_;
    QVBoxLayout* rows_;
};

}  // namespace headloom
