#pragma once

namespace headloom {

class MainWindow;

/// Fills the menu bar. Every action has a shortcut that its menu shows.
void addMenus(MainWindow& window);

}  // namespace headloom
