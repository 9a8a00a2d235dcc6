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

/// Writes only what is another: a drag renames one line as often as it moves.
void HistoryList::refresh() {
    const QSignalBlocker quiet(list_);
    const EditHistory& history = model_->edits().history();
    const int position = static_cast<int>(history.position()),
              lines = static_cast<int>(history.entries().size()) + 1;
    while (list_->count() > lines) delete list_->takeItem(list_->count() - 1);
    while (list_->count() < lines) list_->addItem(QString());
    for (int row = 0; row < lines; ++row) {
        const QString name =
            row == 0
                ? tr("As opened")
                : QString::fromStdString(history.entries()[static_cast<std::size_t>(row - 1)].name);
        const bool undone = row > position;
        const QString text = undone ? tr("%1 (undone)").arg(name) : name;
        QListWidgetItem& line = *list_->item(row);
        if (line.text() != text) {
            line.setText(text);
            line.setToolTip(row == 0 ? QString() : name);
        }
        line.setForeground(undone ? theme_->colours().textFaint : theme_->colours().text);
    }
    list_->setFixedHeight(std::clamp(lines, 1, mostHistoryLines) * theme_->pixels(24) +
                          theme_->pixels(8));
    if (list_->currentRow() == position) return;
    list_->setCurrentRow(position);
    list_->scrollToItem(list_->item(position));
}

}  // namespace headloom
