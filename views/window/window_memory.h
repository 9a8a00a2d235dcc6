#pragma once

#include <QString>

class QSettings;

namespace headloom {

class MainWindow;

/// What the window remembers from one start to the next. Anything missing or damaged in the
/// settings is left as it is.
void remember(const MainWindow& window, QSettings& settings);
void recall(MainWindow& window, QSettings& settings);
/// The example that was open last, and its number; empty where none was remembered.
struct LastExample {
    QString id;
    int index = 0;
};
LastExample lastExample(const QSettings& settings);

}  // namespace headloom
