#include "views/panels/tensor_list.h"

#include "views/viewmodels/checkpoint_view_model.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace headloom {

namespace {
constexpr int openedAtMost = 400;  ///< tensors that are shown without being unfolded by hand
}

TensorList::TensorList(CheckpointViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      search_(new QLineEdit),
      count_(new QLabel),
      view_(new QTreeView) {
    search_->setPlaceholderText(tr("Search names, types, shapes, uses: attn F16"));
    search_->setAccessibleName(tr("Search the tensors"));
    search_->setToolTip(tr(
        "Every word must be in a tensor's name, type, shape or use (Ctrl+F): attn 3 unexpected"));
    search_->setClearButtonEnabled(true);
    // Qt gives its own button no name.
    if (auto* clear = search_->findChild<QToolButton*>())
        clear->setAccessibleName(tr("Clear the search"));
    count_->setProperty("role", "small");
    view_->setModel(&model.filter());
    view_->setAccessibleName(tr("Tensors"));
    view_->setUniformRowHeights(true);  // what keeps a hundred thousand lines fluid
    view_->setSortingEnabled(true);
    view_->setFrameShape(QFrame::NoFrame);
    view_->header()->setSortIndicatorClearable(true);
    view_->header()->setStretchLastSection(false);
    view_->sortByColumn(-1, Qt::AscendingOrder);  // the order of the file
    auto* line = new QHBoxLayout;
    line->addWidget(search_, 1);
    line->addWidget(count_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(line);
    all->addWidget(view_, 1);
    connect(search_, &QLineEdit::textChanged, this, &TensorList::search);
    connect(search_, &QLineEdit::returnPressed, view_, [this] { view_->setFocus(); });
    connect(&model, &CheckpointViewModel::shownChanged, this, &TensorList::refresh);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &TensorList::follow);
    connect(view_, &QTreeView::clicked, this, &TensorList::want);
    connect(view_, &QTreeView::activated, this, &TensorList::want);
    connect(&theme, &Theme::changed, this, &TensorList::restyle);
    restyle();
    refresh();
}

void TensorList::startSearch() {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
}

void TensorList::refresh() {
    search(search_->text());
    if (model_->shown() && model_->shown()->forest->tensorCount() > openedAtMost)
        view_->collapseAll();
}

void TensorList::search(const QString& text) {
    TensorFilter& filter = model_->filter();
    filter.setSearch(text);
    const int all = model_->tree().forest() ? model_->tree().forest()->tensorCount() : 0;
    const int found = filter.searching() ? filter.matches() : all;
    count_->setText(!filter.searching() ? QString() : tr("%1 of %2").arg(found).arg(all));
    if (found <= openedAtMost) view_->expandAll();
    if (view_->currentIndex().isValid()) view_->scrollTo(view_->currentIndex());
}

void TensorList::reveal(int entry) {
    const QModelIndex index = model_->tree().indexOfEntry(entry);
    QModelIndex shown = model_->filter().mapFromSource(index);
    if (!shown.isValid()) {
        search_->clear();
        shown = model_->filter().mapFromSource(index);
    }
    view_->setCurrentIndex(shown);
    view_->scrollTo(shown);
}

void TensorList::follow() {
    const TensorNode* node =
        model_->tree().node(model_->filter().mapToSource(view_->currentIndex()));
    if (node && node->entry >= 0) model_->tensor().choose(node->entry);
}

void TensorList::want(const QModelIndex& index) {
    const TensorNode* node = model_->tree().node(model_->filter().mapToSource(index));
    if (node && node->entry >= 0) emit tensorWanted();
}

void TensorList::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(8), theme_->pixels(4), theme_->pixels(8));
    layout()->setSpacing(theme_->pixels(8));
    view_->setIndentation(theme_->pixels(14));
    QHeaderView* header = view_->header();
    header->setMinimumSectionSize(theme_->pixels(40));
    header->setSectionResizeMode(TensorTree::name, QHeaderView::Stretch);
    for (const auto& [column, width] :
         {std::pair(TensorTree::shape, 106), std::pair(TensorTree::type, 50),
          std::pair(TensorTree::numbers, 110), std::pair(TensorTree::bytes, 84),
          std::pair(TensorTree::use, 80)})
        header->resizeSection(column, theme_->pixels(width));
}

}  // namespace headloom
