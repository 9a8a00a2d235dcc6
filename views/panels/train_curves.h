#pragma once

#include "views/plots/curve_plot.h"
#include "views/viewmodels/learning_series.h"

#include <QWidget>

class QToolButton;

namespace headloom {

class TrainViewModel;

/// Loss above, score below, for all arms: by step or by second, with the range over the seeds.
class TrainCurves : public QWidget {
    Q_OBJECT
  public:
    TrainCurves(TrainViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    CurvePlot& loss() { return *loss_; }
    CurvePlot& score() { return *score_; }
    void exportTo(const QString& path);

  signals:
    void failed(const QString& sentence);
    /// The values under the cursor in words; empty: no cursor.
    void pointed(const QString& words);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QToolButton* segment(const QString& text, const QString& tip);
    void refresh();
    void restyle();
    PlotContent content(CurveValue value) const;
    QString titleOf(CurveValue value) const;
    CurveValue scoreShown() const;  ///< what the second plot is of
    void choose(double x);
    void read();

    TrainViewModel* model_;
    const Theme* theme_;
    QToolButton *byStep_, *bySecond_, *exact_, *accuracy_, *log_;
    QWidget *bar_, *scoreChoice_ = nullptr;
    QString said_;  ///< the values under the cursor in words
    CurvePlot *loss_, *score_;
};

}  // namespace headloom
