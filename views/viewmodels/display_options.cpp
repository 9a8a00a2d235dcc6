#include "views/viewmodels/display_options.h"

namespace headloom {

void DisplayOptions::setValues(const Values& values) {
    if (values == values_) return;
    values_ = values;
    emit changed();
}

}  // namespace headloom
