#pragma once

#include "views/theme/theme.h"

#include <QRect>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace headloom {

struct MatrixCell {
    int row = 0, column = 0;
    bool operator==(const MatrixCell&) const = default;
};

/// A small signed matrix such as alphaQ of one target head: [rows, columns], row by row.
struct MatrixSheet {
    int rows = 0, columns = 0;
    std::vector<float> values;
    QString title;  ///< shown above; may be empty
    QStringList rowLabels, columnLabels;
    /// Magnitude of the strongest colour; 0: the largest on the sheet. Give several matrices the
    /// same one to make their colours comparable.
    float maximum = 0;
    bool wholeNumbers = false;                 ///< written without decimals
    std::vector<int> highlightedColumns;       ///< framed in the accent from top to bottom
    std::vector<int> highlightedRows;          ///< the same from left to right
    std::vector<MatrixCell> highlightedCells;  ///< framed in the accent one by one
    std::optional<MatrixCell> cursor;

    bool operator==(const MatrixSheet&) const = default;
    bool isEmpty() const { return rows == 0 || columns == 0; }
    bool contains(const MatrixCell& cell) const {
        return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns;
    }
    float at(const MatrixCell& cell) const {
        return values[static_cast<std::size_t>(cell.row) * static_cast<std::size_t>(columns) +
                      static_cast<std::size_t>(cell.column)];
    }
};

/// Shows a MatrixSheet with its numbers in the cells. Arrow keys, Home and End walk; Return or a
/// click chooses a cell.
class MatrixView : public QWidget {
    Q_OBJECT
  public:
    explicit MatrixView(const Theme& theme, QWidget* parent = nullptr);

    void setSheet(MatrixSheet sheet);
    const MatrixSheet& sheet() const { return sheet_; }
    /// These emit no signal.
    void setCursorCell(std::optional<MatrixCell> cell);

    /// "α Q · h1, q0: -0.3412". Also the tool tip and what a screen reader says.
    QString describe(const MatrixCell& cell) const;
    /// Cell at a point of the widget, and where a cell lies; logical pixels.
    std::optional<MatrixCell> cellAt(const QPointF& point) const;
    QRect cellRect(const MatrixCell& cell) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void cellHovered(int row, int column, float value);
    void cellLeft();
    void cellClicked(int row, int column);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    struct Layout {
        int left = 0, top = 0;  // corner of cell (0, 0)
        double cellWidth = 0, cellHeight = 0;
    };
    Layout layout(const QSize& size) const;
    QSize sizeFor(double cellWidth, double cellHeight) const;
    void moveCursor(std::optional<MatrixCell> cell);
    /// How numbers are written so that every one of them fits; the same for all cells.
    struct NumberStyle {
        TextRole role = TextRole::small;
        int decimals = 2;
        bool leadingZero = true;
        bool shown = true;
    };
    NumberStyle numberStyle() const;
    int cellGap() const;
    void paintCell(QPainter& painter, const MatrixCell& cell, float maximum,
                   const NumberStyle& style) const;
    void paintLabels(QPainter& painter) const;
    void paintHighlights(QPainter& painter) const;

    const Theme& theme_;
    MatrixSheet sheet_;
    bool focusRing_ = false;
    std::optional<MatrixCell> pressed_;
};

}  // namespace headloom
