#pragma once

#include "core/base/error.h"

#include <QString>

namespace headloom {

class MainWindow;

/// Lets the window finish everything that it waits for.
void settle(MainWindow& window);
/// The window as a PNG file; an old file stays whole until the new one is complete.
Result<void> savePicture(MainWindow& window, const QString& file);

}  // namespace headloom
