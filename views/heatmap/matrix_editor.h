#pragma once

#include "views/heatmap/matrix_view.h"

#include <QObject>

class QKeyEvent;
class QLineEdit;
class QMouseEvent;
class QWheelEvent;

namespace headloom {

/// Lets the user change the numbers of a MatrixView: drag a cell up or down, turn the wheel over it
/// once the view has the focus, press Shift+Up or Shift+Down, Delete for 0, or type a number. The
/// view shows what it is given; who listens decides what a wish becomes.
class MatrixEditor : public QObject {
    Q_OBJECT
  public:
    /// Belongs to the view.
    MatrixEditor(MatrixView& view, const Theme& theme);

    /// What can be done here, for a tool tip.
    static QString help();
    /// Opens a field over the cell that begins with `text`; empty: with the number there.
    void type(const MatrixCell& cell, const QString& text);
    bool typing() const { return field_ != nullptr; }

  signals:
    /// `continues`: of the same gesture as the wish before, such as one drag.
    void valueWanted(int row, int column, float value, bool continues);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Drag {
        MatrixCell cell;
        QPointF from;
        float value = 0;
        bool moved = false;
    };
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release();
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void step(const MatrixCell& cell, double by);
    void commit();
    void closeField();

    MatrixView& view_;
    const Theme& theme_;
    std::optional<Drag> drag_;
    std::optional<MatrixCell> stepped_;  ///< the cell of the last steps, which are one gesture
    MatrixCell typedCell_;
    QLineEdit* field_ = nullptr;
};

}  // namespace headloom
