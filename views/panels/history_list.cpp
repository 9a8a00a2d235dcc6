#include "views/panels/history_list.h"

#include "views/viewmodels/explore_view_model.h"

#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

namespace {
constexpr int mostHistoryLines = 8;
}

HistoryList::HistoryList(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(&model), theme_(&theme), list_(new QListWidget) {
    list_->setAccessibleName(tr("History of edits"));
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(list_);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) model_->edits().jump(static_cast<std::size_t>(row));
    });
    connect(&model.edits(), &ColumnEdits::changed, this, &HistoryList::refresh);
    connect(&theme, &Theme::changed, this, &HistoryList::refresh);
    refresh();
}

void HistoryList::refresh() {
    const QSignalBlocker quiet(list_);
    const EditHistory& history = model_->edits().history();
    list_->clear();
    list_->addItem(tr("As opened"));
    for (const EditHistory::Entry& entry : history.entries()) {
        const QString name = QString::fromStdString(entry.name);
        list_->addItem(name);
        list_->item(list_->count() - 1)->setToolTip(name);
    }
    const int position = static_cast<int>(history.position());
    for (int row = position + 1; row < list_->count(); ++row) {
        list_->item(row)->setForeground(theme_->colours().textFaint);
        list_->item(row)->setText(tr("%1 (undone)").arg(list_->item(row)->text()));
    }
    list_->setCurrentRow(position);
    list_->setFixedHeight(std::clamp(list_->count(), 1, mostHistoryLines) * theme_->pixels(24) +
                          theme_->pixels(8));
    list_->scrollToItem(list_->item(position));
}

}  // namespace headloom
