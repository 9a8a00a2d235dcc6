#pragma once

namespace headloom::cli {

/// From now on the first Ctrl-C (or SIGTERM) only sets a flag, so that work can end cleanly and
/// save; the second ends the program at once.
void catchInterrupts();
/// Whether it was pressed. Cheap enough to poll in any loop.
bool interrupted();

}  // namespace headloom::cli
