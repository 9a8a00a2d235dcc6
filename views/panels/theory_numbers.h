#pragma once

#include <QByteArray>

#include <functional>
#include <vector>

class QWidget;

namespace headloom {

/// The numbers of widgets of shownIn as CSV, "figure,part,row,column,value,low,high": a line a cell
/// of a map or table, a point of a curve or a bar. They are taken now and written when it is
/// called, on any thread.
std::function<QByteArray()> numbersOf(const std::vector<const QWidget*>& shown);

}  // namespace headloom
