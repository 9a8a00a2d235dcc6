// Built with -march=x86-64-v3; only kernels_select.cpp may call it, after asking the processor.
#include "core/backend/cpu/kernels_impl.h"

namespace headloom::cpu {

const Kernels& compiledV3Kernels() {
    static constexpr Kernels table = tableOf("AVX2");
    return table;
}

}  // namespace headloom::cpu
