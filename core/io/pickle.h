#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Which node of a tree; several places may hold the same one, as Python's references do.
using PickleId = std::uint32_t;

/// A Python object as a pickle describes it.
struct PickleNode {
    enum class Kind : std::uint8_t {
        none,
        boolean,  ///< in `integer`
        integer,
        real,
        text,   ///< UTF-8, in `text`
        bytes,  ///< in `text`
        list,
        tuple,
        set,
        dict,        ///< items: key, value, key, value ...
        global,      ///< a name that Python would import: module in `text`, name in `more`
        persistent,  ///< items: what names the object outside the pickle; PyTorch's storages
        object       ///< items: the global that makes it, its arguments (a tuple), its states
    };
    Kind kind = Kind::none;
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text, more;  ///< in the pickle's bytes
    std::vector<PickleId> items;
};

const char* nameOf(PickleNode::Kind kind);

/// What a pickle describes, as inert data. Nothing is imported, called or built: a global is its
/// name, an object is a note of what would have been called with what.
struct PickleTree {
    std::deque<PickleNode> nodes;
    PickleId root = 0;

    const PickleNode& operator[](PickleId id) const { return nodes[id]; }
    /// The node a dict holds under a text key, the last one as in Python; null where there is none.
    const PickleNode* get(const PickleNode& dict, std::string_view key) const;
    /// "module.name" of a global or of the global that makes an object; empty for other kinds.
    std::string globalName(const PickleNode& node) const;
};

/// Reads a pickle of protocol 2 to 4 whose opcodes are those that PyTorch's own restricted reader
/// knows, and their protocol 4 spellings. Any other opcode is refused by name. `bytes` must outlive
/// the tree. Errors name the offset.
Result<PickleTree> readPickle(std::string_view bytes, const std::string& where);

}  // namespace headloom
