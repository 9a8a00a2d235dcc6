#pragma once

#include "core/tensor/tensor.h"

#include <functional>
#include <map>

namespace headloom {

/// A device's copies of host tensors that are never written again (Backend::resident).
class Residents {
  public:
    /// The copy of `host`, made by `copy` where there is none. Copies whose host tensor is gone are
    /// dropped before another is made.
    Tensor find(const Tensor& host, const std::function<Tensor(const Tensor&)>& copy);
    /// Drops all of them: memory has run out. True if there were any.
    bool clear();

  private:
    struct Copy {
        std::weak_ptr<const void> host;
        Tensor there;
    };
    std::map<const std::byte*, Copy> copies_;  // by where the host's numbers begin
};

}  // namespace headloom
