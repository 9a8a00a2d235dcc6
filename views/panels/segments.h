#pragma once

#include <QString>

#include <vector>

class QToolButton;
class QWidget;

namespace headloom {

/// A button of words that the keyboard reaches.
QToolButton* textButton(const QString& text, const QString& tip);

/// One of a row of buttons of which one is chosen, or a button that is on or off.
QToolButton* segmentButton(const QString& text, const QString& tip);

/// Segments side by side, of which exactly one is chosen.
QWidget* segmentRow(const std::vector<QToolButton*>& segments);

}  // namespace headloom
