#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/flow_model.h"

#include <QWidget>

namespace headloom {

/// The colour of a source's lines: told apart in both themes by eight hues, and then again; every
/// source is named beside its strongest line as well.
QColor sourceColour(const Theme& theme, int number);

/// Tokens twice, queries on the left and keys on the right, with a line for every weight: the wider
/// and the stronger in colour, the more. Negative weights are dashed. A click on a token goes
/// there, as the arrow keys do.
class FlowView : public QWidget {
    Q_OBJECT
  public:
    explicit FlowView(const Theme& theme, QWidget* parent = nullptr);

    void show(FlowShown shown);
    const FlowShown& shown() const { return shown_; }
    /// Height to fit all tokens into, as far as they stay readable.
    void setRoom(int height);
    /// Where a token's line stands.
    int rowCentre(int row) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    using QWidget::show;

  signals:
    void rowChosen(int row);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int rowAt(int y) const;
    int lineHeight() const;
    /// Everything that arrives at a token from the current row, in words.
    QString words(int key) const;
    QString strongestWords() const;
    void paintTokens(QPainter& painter) const;
    void paintLines(QPainter& painter) const;
    void paintNames(QPainter& painter) const;

    const Theme* theme_;
    FlowShown shown_;
    int room_ = 0;
    double largest_ = 0;  ///< weight of the strongest line
};

}  // namespace headloom
