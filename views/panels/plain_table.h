#pragma once

#include <QStringList>
#include <qnamespace.h>

#include <functional>

class QTreeWidget;
class QTreeWidgetItem;

namespace headloom {

class Theme;

/// Role of the number behind a cell's text, with all its digits, for files.
constexpr int exactNumber = Qt::UserRole;

/// A flat table of texts whose first column takes the room that the others leave.
QTreeWidget* plainTable(const QStringList& headings);
/// Shares the width among the columns of numbers instead, so that they stand evenly however wide
/// the window is.
void spreadNumbers(QTreeWidget& table);
/// Gives the table so many lines of texts. Only what is another is written, so that a table may
/// follow a drag.
void fillTable(QTreeWidget& table, int lines, const std::function<QStringList(int)>& textsOf);
/// Puts all but the first column to the right.
void alignNumbers(QTreeWidgetItem& line);
/// Gives the table the height of its lines, at most `mostLines` of them.
void fitRows(QTreeWidget& table, const Theme& theme, int mostLines);

}  // namespace headloom
