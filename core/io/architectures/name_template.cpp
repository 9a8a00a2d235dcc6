#include "core/io/architectures/name_template.h"

#include <charconv>

namespace headloom {

namespace {

constexpr std::string_view placeholder = "{layer}";

}  // namespace

NameTemplate::NameTemplate(std::string_view text) {
    const std::size_t at = text.find(placeholder);
    hasLayer_ = at != std::string_view::npos;
    before_ = text.substr(0, at);
    if (hasLayer_) after_ = text.substr(at + placeholder.size());
}

std::optional<int> NameTemplate::match(std::string_view name) const {
    if (!hasLayer_) return name == before_ ? std::optional(-1) : std::nullopt;
    if (name.size() <= before_.size() + after_.size() || !name.starts_with(before_) ||
        !name.ends_with(after_))
        return std::nullopt;
    const std::string_view digits =
        name.substr(before_.size(), name.size() - before_.size() - after_.size());
    int layer = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
    const bool whole = failed == std::errc() && end == digits.data() + digits.size();
    const bool plain = digits.size() == 1 || digits.front() != '0';  // "01" is another name
    return whole && plain && layer >= 0 ? std::optional(layer) : std::nullopt;
}

std::string NameTemplate::of(int layer) const {
    return hasLayer_ ? before_ + std::to_string(layer) + after_ : before_;
}

}  // namespace headloom
