#include "views/viewmodels/head_grid.h"

namespace headloom {

int HeadGrid::firstMissing() const {
    for (int layer = 0; layer < layers; ++layer)
        if (cells[static_cast<std::size_t>(layer)].empty()) return layer;
    return -1;
}

const HeadCell* HeadGrid::find(int layer, int head) const {
    if (layer < 0 || layer >= layers || head < 0) return nullptr;
    const std::vector<HeadCell>& line = cells[static_cast<std::size_t>(layer)];
    return head < static_cast<int>(line.size()) ? &line[static_cast<std::size_t>(head)] : nullptr;
}

}  // namespace headloom
