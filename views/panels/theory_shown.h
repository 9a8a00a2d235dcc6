#pragma once

#include <QStringList>

#include <vector>

class QWidget;

namespace headloom {

/// Pictures, tables and words that are seen of a part, in the order of reading: a column before the
/// one on its right. Controls are not among them.
std::vector<const QWidget*> shownIn(const QWidget& part);

/// What the controls of a part stand at, in words: "Filters k 9".
QStringList settingsIn(const QWidget& part);

}  // namespace headloom
