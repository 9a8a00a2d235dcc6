#include "views/panels/plain_table.h"

#include "views/theme/theme.h"

#include <QHeaderView>
#include <QTreeWidget>

#include <algorithm>

namespace headloom {

QTreeWidget* plainTable(const QStringList& headings) {
    auto* table = new QTreeWidget;
    table->setColumnCount(static_cast<int>(headings.size()));
    table->setHeaderLabels(headings);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->header()->setStretchLastSection(false);
    table->header()->setSectionsMovable(false);
    table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 1; column < headings.size(); ++column)
        table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    return table;
}

void spreadNumbers(QTreeWidget& table) {
    table.header()->setSectionResizeMode(QHeaderView::Stretch);
    table.header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
}

void fillTable(QTreeWidget& table, int lines, const std::function<QStringList(int)>& textsOf) {
    while (table.topLevelItemCount() > lines)
        delete table.takeTopLevelItem(table.topLevelItemCount() - 1);
    while (table.topLevelItemCount() < lines)
        alignNumbers(*new QTreeWidgetItem(&table, QStringList(table.columnCount(), QString())));
    for (int line = 0; line < lines; ++line) {
        QTreeWidgetItem& item = *table.topLevelItem(line);
        const QStringList texts = textsOf(line);
        for (int column = 0; column < texts.size(); ++column)
            if (item.text(column) != texts[column]) item.setText(column, texts[column]);
    }
}

void alignNumbers(QTreeWidgetItem& line) {
    for (int column = 1; column < line.columnCount(); ++column)
        line.setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

void fitRows(QTreeWidget& table, const Theme& theme, int mostLines) {
    table.ensurePolished();  // else it would be measured without its style
    const int lines = std::clamp(table.topLevelItemCount(), 1, mostLines);
    const int line = std::max(table.sizeHintForRow(0), theme.pixels(18));
    table.setFixedHeight(table.header()->sizeHint().height() + lines * line + theme.pixels(6));
}

}  // namespace headloom
