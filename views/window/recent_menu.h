#pragma once

class QMenu;

namespace headloom {

class MainWindow;

/// "Open recent" as an entry of a menu.
void addRecentMenu(MainWindow& window, QMenu* to);

}  // namespace headloom
