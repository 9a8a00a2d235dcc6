#pragma once

#include <QStringList>

class QTreeWidget;
class QTreeWidgetItem;

namespace headloom {

class Theme;

/// A flat table of texts whose first column takes the room that the others leave.
QTreeWidget* plainTable(const QStringList& headings);
/// Puts all but the first column to the right.
void alignNumbers(QTreeWidgetItem& line);
/// Gives the table the height of its lines, at most `mostLines` of them.
void fitRows(QTreeWidget& table, const Theme& theme, int mostLines);

}  // namespace headloom
