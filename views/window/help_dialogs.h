#pragma once

namespace headloom {

class MainWindow;

/// A list of every shortcut, read from the menus so that it is never out of date.
void showShortcuts(MainWindow& window);
void showAbout(MainWindow& window);

}  // namespace headloom
