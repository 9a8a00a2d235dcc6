#include "core/backend/cpu/kernels.h"

namespace headloom::cpu {

#ifdef HEADLOOM_V3_KERNELS
const Kernels& compiledV3Kernels();

namespace {
/// Every instruction that the compiler may use for x86-64-v3. By name: clang 14 does not know the
/// name of the level.
bool processorIsV3() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
}
}  // namespace

const Kernels* v3Kernels() {
    static const bool usable = processorIsV3();
    return usable ? &compiledV3Kernels() : nullptr;
}
#else
const Kernels* v3Kernels() {
    return nullptr;
}
#endif

const Kernels& bestKernels() {
    const Kernels* v3 = v3Kernels();
    return v3 ? *v3 : baselineKernels();
}

}  // namespace headloom::cpu
