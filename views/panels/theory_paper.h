#pragma once

#include "core/base/error.h"
#include "views/theme/theme.h"

#include <QByteArray>
#include <QSizeF>
#include <QStringList>

#include <functional>

class QPainter;
class QWidget;

namespace headloom {

/// A thing on paper: how much room it takes, and how it is drawn with its corner at (0, 0).
struct OnPaper {
    QSizeF size;
    std::function<void(QPainter&)> draw;
};

/// What a widget of shownIn shows, in the colours of `paper` and not in those of the window. The
/// paper's theme must outlive it; drawn on the window's thread.
OnPaper onPaper(const QWidget& shown, const Theme& window, const Theme& paper);

/// Words as wide as the page.
OnPaper wordsOnPaper(const QString& words, TextRole role, const Theme& paper);

/// A title, everything below each other, or beside where it is narrow, and the settings at the
/// foot, as a complete SVG file.
QByteArray paperAsSvg(const QString& title, const std::vector<OnPaper>& things, const Theme& paper);

}  // namespace headloom
