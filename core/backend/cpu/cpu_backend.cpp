#include "core/backend/backend.h"
namespace headloom {
std::unique_ptr<Backend> makeCpuBackend(int) {
    return nullptr;
}
}  // namespace headloom
