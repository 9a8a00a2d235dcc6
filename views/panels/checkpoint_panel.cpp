#include "views/panels/checkpoint_panel.h"

#include "views/panels/checkpoint_head.h"
#include "views/panels/head_pane.h"
#include "views/panels/report_pane.h"
#include "views/panels/segments.h"
#include "views/panels/tensor_list.h"
#include "views/panels/tensor_pane.h"
#include "views/viewmodels/checkpoint_view_model.h"

#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace headloom {

CheckpointPanel::CheckpointPanel(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      head_(new CheckpointHead(model, theme)),
      list_(new TensorList(model, theme)),
      report_(new ReportPane(model, theme)),
      buttons_{segmentButton(tr("Tensor"), tr("Statistics, histogram and picture of the tensor "
                                              "chosen on the left")),
               segmentButton(tr("Heads"), tr("What a head's weights do without any input")),
               segmentButton(tr("Report"), tr("What was recognised, used, missing or strange"))},
      panes_(new QStackedWidget),
      body_(new QStackedWidget),
      splitter_(new QSplitter(Qt::Horizontal)),
      hint_(new QLabel(tr("Drop a checkpoint here, or press Open…\n\nsafetensors, GGUF, PyTorch, "
                          "npz or llama2.c, whether it runs here or not. Its tensors are listed at "
                          "once; numbers are read only where you look. Nothing in a file is ever "
                          "executed."))),
      switch_(paneSwitch()) {
    setAcceptDrops(true);
    hint_->setAlignment(Qt::AlignCenter);
    hint_->setWordWrap(true);
    hint_->setProperty("role", "soft");
    panes_->addWidget(new TensorPane(model, theme));
    panes_->addWidget(new HeadPane(model, theme));
    panes_->addWidget(report_);
    auto* right = new QWidget;
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(0, 0, 0, 0);
    rightColumn->setSpacing(0);
    rightColumn->addWidget(switch_);
    rightColumn->addWidget(panes_, 1);
    splitter_->addWidget(list_);
    splitter_->addWidget(right);
    splitter_->setChildrenCollapsible(false);
    body_->addWidget(hint_);
    body_->addWidget(splitter_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(head_);
    all->addWidget(body_, 1);
    connect(&model, &CheckpointViewModel::shownChanged, this, &CheckpointPanel::refresh);
    connect(report_, &ReportPane::tensorWanted, list_, &TensorList::reveal);
    connect(list_, &TensorList::tensorWanted, this, [this] { setPane(tensor); });
    connect(&theme, &Theme::changed, this, &CheckpointPanel::restyle);
    restyle();
    refresh();
}

QWidget* CheckpointPanel::paneSwitch() {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->addWidget(segmentRow({buttons_[tensor], buttons_[heads], buttons_[report]}));
    line->addStretch(1);
    for (const Pane pane : {tensor, heads, report})
        connect(buttons_[pane], &QToolButton::clicked, this, [this, pane] { setPane(pane); });
    buttons_[tensor]->setChecked(true);
    return row;
}

CheckpointPanel::Pane CheckpointPanel::pane() const {
    return static_cast<Pane>(panes_->currentIndex());
}

void CheckpointPanel::setPane(Pane pane) {
    buttons_[pane]->setChecked(true);
    panes_->setCurrentIndex(pane);
}

void CheckpointPanel::resetLayout() {
    splitter_->setSizes({1000, 1000});
}

void CheckpointPanel::refresh() {
    if (!model_->shown()) return;
    const bool first = body_->currentWidget() == hint_;
    body_->setCurrentWidget(splitter_);
    if (first) resetLayout();
    setPane(model_->runs() && first ? report : pane());
}

void CheckpointPanel::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void CheckpointPanel::dropEvent(QDropEvent* event) {
    model_->open(event->mimeData()->urls().front().toLocalFile());
}

void CheckpointPanel::restyle() {
    const int edge = theme_->pixels(14);
    hint_->setContentsMargins(6 * edge, edge, 6 * edge, edge);
    switch_->layout()->setContentsMargins(theme_->pixels(8), theme_->pixels(8), edge, 0);
}

}  // namespace headloom
