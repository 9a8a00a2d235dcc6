#include "views/panels/train_panel.h"

#include "views/panels/elided_combo.h"
#include "views/panels/segments.h"
#include "views/panels/train_curves.h"
#include "views/panels/train_setup.h"
#include "views/viewmodels/train_view_model.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

TrainPanel::TrainPanel(TrainViewModel& model, const Theme& theme, QWidget* parent)
    : QFrame(parent),
      model_(&model),
      theme_(&theme),
      setup_(new TrainSetup(model.setup(), theme)),
      start_(new QPushButton),
      reset_(textButton(tr("New"), tr("Drop this comparison and change the set-up"))),
      rewind_(
          textButton(tr("Rewind"), tr("Take this run back to the chosen moment; what came after "
                                      "is forgotten (Ctrl+Alt+R)"))),
      open_(textButton(tr("Open"), tr("Let the chosen moment stand in a column (Ctrl+Alt+O)"))),
      save_(textButton(tr("Save…"), tr("Save the chosen moment as a model file (Ctrl+S)"))),
      export_(textButton(tr("Export…"), tr("Write the curves as SVG, PDF or CSV (Ctrl+Alt+E)"))),
      status_(new QLabel),
      moment_(new QLabel),
      verdict_(new QLabel),
      curves_(new TrainCurves(model, theme)),
      run_(new ElidedCombo) {
    start_->setProperty("look", "primary");
    start_->setToolTip(tr("Start, stop or go on (Ctrl+Return)"));
    status_->setProperty("role", "soft");
    status_->setWordWrap(true);
    status_->setMinimumWidth(1);
    moment_->setProperty("role", "soft");
    verdict_->setWordWrap(true);
    verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    verdict_->setAccessibleName(tr("Verdict"));
    run_->setAccessibleName(tr("Run in view"));
    run_->setToolTip(tr("Whose kept moments are marked under the curves"));
    run_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    run_->setMinimumContentsLength(12);

    auto* transport = new QHBoxLayout;
    transport->addWidget(start_);
    transport->addWidget(reset_);
    transport->addWidget(status_, 1);
    auto* moments = new QHBoxLayout;
    moments->addWidget(run_, 1);
    moments->addWidget(moment_);
    auto* actions = new QHBoxLayout;
    for (QToolButton* one : {rewind_, open_, save_}) actions->addWidget(one);
    actions->addStretch(1);
    actions->addWidget(export_);
    auto* edges = new QVBoxLayout;
    edges->setObjectName(QStringLiteral("edges"));
    edges->addLayout(moments);
    edges->addLayout(actions);
    auto* top = new QVBoxLayout;
    top->setObjectName(QStringLiteral("top"));
    top->addLayout(transport);
    top->addWidget(verdict_);
    auto* all = new QVBoxLayout(this);
    all->setSpacing(0);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(setup_);
    all->addLayout(top);
    all->addWidget(curves_, 1);
    all->addLayout(edges);

    connect(start_, &QPushButton::clicked, this, &TrainPanel::startOrStop);
    connect(reset_, &QToolButton::clicked, &model, &TrainViewModel::reset);
    connect(rewind_, &QToolButton::clicked, &model, &TrainViewModel::rewind);
    connect(open_, &QToolButton::clicked, &model, &TrainViewModel::openMoment);
    connect(save_, &QToolButton::clicked, this, &TrainPanel::askWhereToSave);
    connect(export_, &QToolButton::clicked, this, &TrainPanel::askWhereToExport);
    connect(run_, &QComboBox::activated, &model, &TrainViewModel::setRun);
    connect(curves_, &TrainCurves::failed, &model, &TrainViewModel::failed);
    connect(curves_, &TrainCurves::pointed, &model, &TrainViewModel::pointed);
    connect(&model, &TrainViewModel::setupChanged, this, &TrainPanel::refreshRuns);
    connect(&model, &TrainViewModel::pictureChanged, this, &TrainPanel::refresh);
    connect(&theme, &Theme::changed, this, &TrainPanel::restyle);
    restyle();
    refreshRuns();
}

void TrainPanel::startOrStop() {
    if (model_->running())
        model_->stop();
    else
        model_->start();
}

void TrainPanel::askWhereToSave() {
    if (!model_->stands()) return;
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the model"),
                                                      QStringLiteral("model.safetensors"),
                                                      tr("Headloom models (*.safetensors)"));
    if (!path.isEmpty()) model_->saveMoment(path);
}

void TrainPanel::askWhereToExport() {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export the curves"), QStringLiteral("curves.svg"),
                                     tr("Pictures and tables (*.svg *.pdf *.csv)"));
    if (!path.isEmpty()) curves_->exportTo(path);
}

void TrainPanel::refreshRuns() {
    const QSignalBlocker quiet(run_);
    run_->clear();
    if (model_->stands())
        for (int run = 0; run < static_cast<int>(model_->picture().runs.size()); ++run)
            run_->addItem(model_->runTitle(run));
    run_->setCurrentIndex(model_->stands() ? model_->run() : -1);
    refresh();
}

void TrainPanel::refresh() {
    const bool stands = model_->stands();
    start_->setText(model_->running() ? tr("Stop") : stands ? tr("Continue") : tr("Start"));
    start_->setEnabled(!model_->ended());
    reset_->setEnabled(stands);
    status_->setText(model_->statusText());
    run_->setEnabled(stands);
    const bool chosen = model_->moment() >= 0;
    moment_->setText(!stands  ? QString()
                     : chosen ? tr("step %1").arg(model_->moment())
                              : tr("newest weights"));
    rewind_->setEnabled(chosen);
    open_->setEnabled(stands);
    save_->setEnabled(stands);
    export_->setEnabled(stands);
    const QString verdict = model_->verdictText();
    verdict_->setText(verdict);
    verdict_->setVisible(!verdict.isEmpty());
}

void TrainPanel::restyle() {
    const int edge = theme_->pixels(14);
    const auto pad = [&](const char* name, int top, int bottom) {
        auto* box = findChild<QVBoxLayout*>(QLatin1String(name));
        box->setContentsMargins(edge, theme_->pixels(top), edge, theme_->pixels(bottom));
        box->setSpacing(theme_->pixels(6));
    };
    pad("top", 2, 4);
    pad("edges", 2, 10);
}

}  // namespace headloom
