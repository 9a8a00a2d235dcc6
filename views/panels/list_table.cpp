#include "views/panels/list_table.h"

#include "views/theme/theme.h"

#include <QHeaderView>
#include <QTableView>

namespace headloom {

QTableView* listTable(QAbstractItemModel& model, const QString& accessibleName,
                      const std::function<void(int row)>& open) {
    auto* table = new QTableView;
    table->setModel(&model);
    table->setAccessibleName(accessibleName);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);  // Tab leaves the table
    table->setCornerButtonEnabled(false);
    table->setWordWrap(false);
    QHeaderView* columns = table->horizontalHeader();
    columns->setSortIndicatorClearable(true);
    columns->setSortIndicator(-1, Qt::DescendingOrder);  // the order of the model
    columns->setHighlightSections(false);
    table->verticalHeader()->setHighlightSections(false);
    table->setSortingEnabled(true);
    const auto openIndex = [open](const QModelIndex& at) { open(at.row()); };
    QObject::connect(table, &QTableView::clicked, table, openIndex);
    QObject::connect(table, &QTableView::activated, table, openIndex);
    QObject::connect(table->verticalHeader(), &QHeaderView::sectionClicked, table, open);
    return table;
}

void restyleList(QTableView& table, const Theme& theme, int columnWidth) {
    table.verticalHeader()->setDefaultSectionSize(theme.pixels(24));
    table.horizontalHeader()->setMinimumSectionSize(theme.pixels(30));
    table.horizontalHeader()->setDefaultSectionSize(theme.pixels(columnWidth));
    table.verticalHeader()->setFixedWidth(theme.pixels(84));
    table.setMinimumHeight(theme.pixels(140));
}

}  // namespace headloom
