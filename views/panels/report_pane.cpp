#include "views/panels/report_pane.h"

#include "views/panels/elided_label.h"
#include "views/panels/segments.h"
#include "views/panels/stop_button.h"
#include "views/viewmodels/checkpoint_view_model.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace headloom {

namespace {

constexpr int foldedAbove = 12;  ///< lines; longer groups open on demand

/// Headings are semi-bold, and those of problems are marked by a sign as well as by colour.
class ReportDelegate : public QStyledItemDelegate {
  public:
    ReportDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent), theme_(theme) {}

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.parent().isValid()) return;
        option->font = theme_.font(TextRole::strong);
        const auto weight =
            static_cast<ReportGroup::Weight>(index.data(ReportTree::weightRole).toInt());
        if (weight == ReportGroup::Weight::plain) return;
        option->text.prepend(weight == ReportGroup::Weight::problem ? QStringLiteral("✕ ")
                                                                    : QStringLiteral("⚠ "));
        if (weight == ReportGroup::Weight::problem)
            option->palette.setColor(QPalette::Text, theme_.colours().danger);
    }

  private:
    const Theme& theme_;
};

}  // namespace

ReportPane::ReportPane(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      copy_(textButton(tr("Copy the report"), tr("Put the report on the clipboard as text"))),
      compare_(
          textButton(tr("Compare with logits…"),
                     tr("Run the model on the tokens of another program's logits and compare: a "
                        "file with \"logits\" [N, V] and \"ids\" [N]"))),
      examine_(
          new StopButton({tr("Examine"), tr("Stop what is being found out about the model"),
                          tr("Look at all numbers of the loaded model and at its attention")})),
      hint_(new ElidedLabel),
      lines_(new QTreeView) {
    hint_->setProperty("role", "small");
    lines_->setModel(&model.doctor().tree());
    lines_->setItemDelegate(new ReportDelegate(theme, lines_));
    lines_->setHeaderHidden(true);
    lines_->setWordWrap(true);
    lines_->setAccessibleName(tr("Report"));
    lines_->setFrameShape(QFrame::NoFrame);
    lines_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* actions = new QHBoxLayout;
    actions->addWidget(copy_);
    actions->addWidget(compare_);
    actions->addWidget(hint_, 1);
    actions->addWidget(examine_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(actions);
    all->addWidget(lines_, 1);
    connect(copy_, &QToolButton::clicked, this, &ReportPane::copy);
    connect(examine_, &StopButton::stopWanted, &model.doctor(), &CheckpointDoctor::stop);
    connect(examine_, &StopButton::startWanted, &model, &CheckpointViewModel::examine);
    connect(compare_, &QToolButton::clicked, this, &ReportPane::askForLogits);
    connect(&model.doctor(), &CheckpointDoctor::workingChanged, this, &ReportPane::refresh);
    connect(&model.doctor().tree(), &QAbstractItemModel::modelReset, this, &ReportPane::openGroups);
    connect(&model, &CheckpointViewModel::modelChanged, this, &ReportPane::refresh);
    connect(&model, &CheckpointViewModel::shownChanged, this, &ReportPane::refresh);
    const auto choose = [this](const QModelIndex& index) {
        if (const int entry = index.data(ReportTree::entryRole).toInt();
            index.isValid() && entry >= 0)
            emit tensorWanted(entry);
    };
    connect(lines_, &QTreeView::clicked, this, choose);
    connect(lines_, &QTreeView::activated, this, choose);
    connect(&theme, &Theme::changed, this, &ReportPane::restyle);
    restyle();
    refresh();
}

void ReportPane::copy() {
    QApplication::clipboard()->setText(model_->doctor().text());
}

void ReportPane::askForLogits() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Another program's logits"), {},
                                     tr("Tensors (*.safetensors *.npz *.npy *.pt);;All files (*)"));
    if (!path.isEmpty()) model_->compareWithLogits(path);
}

void ReportPane::refresh() {
    copy_->setEnabled(model_->shown() != nullptr);
    const bool loaded = model_->model() != nullptr, working = model_->doctor().working();
    compare_->setEnabled(loaded && !working);
    examine_->setState(working, loaded);
    hint_->setWhole(working ? tr("Looking at the model…")
                            : tr("A line about a tensor chooses it on the left"));
}

void ReportPane::openGroups() {
    const std::vector<ReportGroup>& groups = model_->doctor().tree().groups();
    for (std::size_t i = 0; i < groups.size(); ++i)
        lines_->setExpanded(model_->doctor().tree().index(static_cast<int>(i), 0),
                            groups[i].weight != ReportGroup::Weight::plain ||
                                groups[i].lines.size() <= foldedAbove);
}

void ReportPane::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(8), edge, theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(8));
    lines_->setIndentation(theme_->pixels(16));
}

}  // namespace headloom
