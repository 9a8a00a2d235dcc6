#include "core/backend/backend.h"
namespace headloom {
std::unique_ptr<Backend> makeReferenceBackend() {
    return nullptr;
}
}  // namespace headloom
