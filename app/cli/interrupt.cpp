#include "app/cli/interrupt.h"

#include <csignal>

namespace headloom::cli {

namespace {

volatile std::sig_atomic_t pressed = 0;

void onSignal(int signal) {
    pressed = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

void catchInterrupts() {
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is a failed write
}

bool interrupted() {
    return pressed != 0;
}

}  // namespace headloom::cli
