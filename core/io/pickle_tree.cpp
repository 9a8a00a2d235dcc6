#include "core/io/pickle.h"

#include <fmt/format.h>

namespace headloom {

using Kind = PickleNode::Kind;

const char* nameOf(PickleNode::Kind kind) {
    switch (kind) {
        case Kind::none:
            return "None";
        case Kind::boolean:
            return "a bool";
        case Kind::integer:
            return "an int";
        case Kind::real:
            return "a float";
        case Kind::text:
            return "a str";
        case Kind::bytes:
            return "bytes";
        case Kind::list:
            return "a list";
        case Kind::tuple:
            return "a tuple";
        case Kind::set:
            return "a set";
        case Kind::dict:
            return "a dict";
        case Kind::global:
            return "a name";
        case Kind::persistent:
            return "a storage";
        case Kind::object:
            return "an object";
    }
    return "?";
}

const PickleNode* PickleTree::get(const PickleNode& dict, std::string_view key) const {
    if (dict.kind != Kind::dict) return nullptr;
    for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
        const PickleNode& name = nodes[dict.items[i - 2]];
        if (name.kind == Kind::text && name.text == key) return &nodes[dict.items[i - 1]];
    }
    return nullptr;
}

std::string PickleTree::globalName(const PickleNode& node) const {
    const PickleNode& global = node.kind == Kind::object ? nodes[node.items[0]] : node;
    if (global.kind != Kind::global) return {};
    // A hostile name may be as long as the file.
    constexpr std::size_t longest = 200;
    return fmt::format("{}.{}", global.text.substr(0, longest), global.more.substr(0, longest));
}

}  // namespace headloom
