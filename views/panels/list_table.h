#pragma once

#include <functional>

class QAbstractItemModel;
class QString;
class QTableView;

namespace headloom {

class Theme;

/// A table of numbers whose rows are named at the left: a heading sorts, a click, Enter or the name
/// opens a row. It is in the order of its model until a heading is clicked.
QTableView* listTable(QAbstractItemModel& model, const QString& accessibleName,
                      const std::function<void(int row)>& open);
/// Sizes for the theme's scale. `columnWidth`: at 100 %.
void restyleList(QTableView& table, const Theme& theme, int columnWidth);

}  // namespace headloom
