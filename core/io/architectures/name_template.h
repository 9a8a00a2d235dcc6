#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headloom {

/// A tensor name with at most one number in it: "layers.{layer}.attn.weight".
class NameTemplate {
  public:
    explicit NameTemplate(std::string_view text);

    bool hasLayer() const { return hasLayer_; }
    /// The layer that a name has in it (-1 for a template without one); none where it does not fit.
    std::optional<int> match(std::string_view name) const;
    std::string of(int layer) const;
    std::string text() const { return hasLayer_ ? before_ + "{layer}" + after_ : before_; }

  private:
    std::string before_, after_;
    bool hasLayer_ = false;
};

}  // namespace headloom
