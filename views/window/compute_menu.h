#pragma once

class QMenu;

namespace headloom {

class MainWindow;

/// What computes: an entry a backend, which says what it lacks where it cannot be had.
void fillComputeMenu(MainWindow& window, QMenu* menu);

}  // namespace headloom
