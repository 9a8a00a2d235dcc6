#pragma once

class QPainter;
class QWidget;

namespace headloom {

class Theme;

/// The frame, in the accent, of a drawn widget that has the keyboard; nothing around another.
void paintFocusRing(QPainter& painter, const QWidget& widget, const Theme& theme);

}  // namespace headloom
