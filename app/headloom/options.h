#pragma once

#include "core/base/error.h"

#include <QSize>
#include <QString>
#include <QStringList>

namespace headloom {

/// What the command line asks of the window.
struct WindowOptions {
    QStringList models;            ///< files: the first stands left; a second one right
    QString example;               ///< task id; empty: the last one, or the first of the menu
    int step = -1;                 ///< row to start at; negative: where there is something to see
    QString theme;                 ///< "dark", "light", "system"; empty: as remembered
    double scale = 0;              ///< 0.8..2.5; 0: as remembered
    QSize size;                    ///< of the window in pixels; invalid: as remembered
    std::string backend = "auto";  ///< what computes, at first
    QString screenshot;            ///< file to render to; empty: open a window
    bool fresh = false;            ///< ignore what was remembered
    bool help = false, version = false;
};

/// Errors: an unknown option, a missing or impossible value, a backend that cannot be had here,
/// more than two models.
Result<WindowOptions> parseOptions(const QStringList& arguments);
QString helpText();

}  // namespace headloom
