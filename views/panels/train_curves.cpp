#include "views/panels/train_curves.h"

#include "views/panels/line_sample.h"
#include "views/panels/segments.h"
#include "views/plots/plot_export.h"
#include "views/viewmodels/train_view_model.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

QToolButton* TrainCurves::segment(const QString& text, const QString& tip) {
    QToolButton* made = segmentButton(text, tip);
    connect(made, &QToolButton::toggled, this, &TrainCurves::refresh);
    return made;
}

TrainCurves::TrainCurves(TrainViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      byStep_(segment(tr("By step"), tr("Arms at the same number of updates"))),
      bySecond_(segment(tr("By second"),
                        tr("Arms after the same CPU time, which often has another winner"))),
      exact_(segment(tr("Exact"), tr("Whole chains (or rows) right, on held-out examples"))),
      accuracy_(segment(tr("Accuracy"), tr("Single predictions right, on held-out examples"))),
      log_(segment(tr("Log loss axis"), tr("A logarithmic axis for the loss"))),
      bar_(new QWidget),
      loss_(new CurvePlot(theme)),
      score_(new CurvePlot(theme)) {
    auto* line = new QHBoxLayout(bar_);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(segmentRow({byStep_, bySecond_}));
    scoreChoice_ = segmentRow({exact_, accuracy_});
    line->addWidget(scoreChoice_);
    line->addWidget(log_);
    line->addStretch(1);
    auto* all = new QVBoxLayout(this);
    all->addWidget(bar_);
    all->addWidget(loss_, 1);
    all->addWidget(score_, 1);
    byStep_->setChecked(true);
    exact_->setChecked(true);
    log_->setChecked(true);
    for (CurvePlot* plot : {loss_, score_}) {
        connect(plot, &CurvePlot::chosen, this, &TrainCurves::choose);
        connect(plot, &CurvePlot::readoutChanged, this, &TrainCurves::read);
    }
    connect(&model, &TrainViewModel::setupChanged, this, &TrainCurves::refresh);
    connect(&model, &TrainViewModel::pictureChanged, this, &TrainCurves::refresh);
    connect(&theme, &Theme::changed, this, &TrainCurves::restyle);
    restyle();
}

void TrainCurves::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

PlotContent TrainCurves::content(CurveValue value) const {
    const bool bySecond = bySecond_->isChecked();
    const int arms = static_cast<int>(model_->setup().arms().size());
    PlotContent plot;
    plot.title = titleOf(value);
    plot.xTitle = bySecond ? tr("CPU seconds") : tr("step");
    plot.hint = model_->stands() ? tr("The first reading is on its way")
                                 : tr("Press Start: curves grow here, and the maps on the left "
                                      "move while the models learn");
    const auto series = learningSeries(model_->picture(), arms, value,
                                       bySecond ? CurveAxis::second : CurveAxis::step);
    for (const LearningSeries& one : series) {
        const ArmShown arm = model_->setup().shown(one.arm);
        PlotSeries drawn;
        drawn.name = arm.title;
        drawn.colour = arm.interleaved ? theme_->colours().iha : theme_->colours().mha;
        drawn.dash = dashStyle(model_->setup().dash(one.arm));
        for (const SeriesPoint& point : one.points)
            drawn.points.push_back({point.x, point.mean, point.low, point.high});
        plot.series.push_back(std::move(drawn));
    }
    for (const ReferenceLine& line : model_->setup().referenceLines(value))
        plot.levels.push_back({line.value, line.name, line.low, line.high});
    if (value == CurveValue::loss || value == CurveValue::error) {
        plot.logarithmic = log_->isChecked();
    } else {
        plot.yLow = 0;
        plot.yHigh = 1;
    }
    if (bySecond) return plot;
    plot.xEnd = model_->setup().steps();
    if (!model_->stands()) return plot;
    const LiveRun& run = model_->picture().runs[static_cast<std::size_t>(model_->run())];
    for (const std::int64_t step : run.moments) plot.marks.push_back(static_cast<double>(step));
    if (model_->moment() >= 0) plot.chosen = static_cast<double>(model_->moment());
    return plot;
}

QString TrainCurves::titleOf(CurveValue value) const {
    switch (value) {
        case CurveValue::loss:
            return model_->setup().filters() ? tr("Relative squared error: training batches")
                                             : tr("Loss, nats: training batches");
        case CurveValue::accuracy:
            return tr("Accuracy: share of held-out predictions");
        case CurveValue::exact:
            return tr("Exact: share of held-out examples");
        case CurveValue::error:
            return tr("Relative squared error: fresh samples");
    }
    return {};
}

CurveValue TrainCurves::scoreShown() const {
    if (model_->setup().filters()) return CurveValue::error;
    return exact_->isChecked() ? CurveValue::exact : CurveValue::accuracy;
}

void TrainCurves::choose(double x) {
    if (!bySecond_->isChecked()) model_->chooseMoment(static_cast<std::int64_t>(x + 0.5));
}

void TrainCurves::refresh() {
    if (!isVisible()) return;
    loss_->setContent(content(CurveValue::loss));
    score_->setContent(content(scoreShown()));
    const bool shares = !model_->setup().filters();
    scoreChoice_->setVisible(shares);
    read();
}

void TrainCurves::read() {
    QString words = loss_->readout();
    if (words.isEmpty()) words = score_->readout();
    if (words == said_) return;
    said_ = words;
    emit pointed(words);
}

void TrainCurves::exportTo(const QString& path) {
    refresh();
    if (const auto done = exportPlots({loss_, score_}, *theme_, path); !done)
        emit failed(QString::fromStdString(done.error().sentence()));
}

void TrainCurves::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(4), edge, 0);
    layout()->setSpacing(theme_->pixels(4));
    bar_->layout()->setSpacing(theme_->pixels(8));
}

}  // namespace headloom
