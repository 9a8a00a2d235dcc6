#include "core/backend/cpu/kernels_impl.h"

namespace headloom::cpu {

const Kernels& baselineKernels() {
    static constexpr Kernels table = tableOf("baseline");
    return table;
}

}  // namespace headloom::cpu
