#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

namespace headloom {

/// A graph on a circle, each node coloured by what has come to it.
struct GraphShown {
    int nNodes = 0;
    struct Edge {
        int from = 0, to = 0;
        bool oneWay = false;
    };
    std::vector<Edge> edges;
    std::vector<float> values;  ///< signed, one a node; may be empty
    int start = 0;              ///< ringed: where the signal began
};

/// Draws it. A click, or the arrow keys and Return, choose where the signal begins.
class TheoryGraphView : public QWidget {
    Q_OBJECT
  public:
    explicit TheoryGraphView(const Theme& theme, QWidget* parent = nullptr);

    void setGraph(GraphShown graph);
    const GraphShown& graph() const { return graph_; }
    QString describe(int node) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void nodeChosen(int node);
    /// The node under the pointer in words; empty: none.
    void pointed(const QString& words);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QPointF place(int node) const;
    double nodeRadius() const;
    int nodeAt(const QPointF& point) const;  ///< -1: none
    void paintEdges(QPainter& painter) const;
    void paintNode(QPainter& painter, int node, float largest) const;

    const Theme* theme_;
    GraphShown graph_;
};

}  // namespace headloom
