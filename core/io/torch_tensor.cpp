#include "core/io/torch_tensor.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

using Kind = PickleNode::Kind;
using Failure = tl::unexpected<std::string>;

struct TypeName {
    std::string_view name;
    StoredType type;
};

/// torch.FloatStorage and its like: the element type of a storage.
constexpr TypeName storages[] = {
    {"DoubleStorage", StoredType::f64}, {"FloatStorage", StoredType::f32},
    {"HalfStorage", StoredType::f16},   {"BFloat16Storage", StoredType::bf16},
    {"CharStorage", StoredType::i8},    {"ShortStorage", StoredType::i16},
    {"IntStorage", StoredType::i32},    {"LongStorage", StoredType::i64},
    {"ByteStorage", StoredType::u8},    {"BoolStorage", StoredType::boolean}};

/// torch.<dtype>, which a tensor over an untyped storage names itself.
constexpr TypeName dtypes[] = {
    {"float64", StoredType::f64},       {"float32", StoredType::f32},
    {"float16", StoredType::f16},       {"bfloat16", StoredType::bf16},
    {"int8", StoredType::i8},           {"int16", StoredType::i16},
    {"int32", StoredType::i32},         {"int64", StoredType::i64},
    {"uint8", StoredType::u8},          {"uint16", StoredType::u16},
    {"uint32", StoredType::u32},        {"uint64", StoredType::u64},
    {"bool", StoredType::boolean},      {"float8_e4m3fn", StoredType::f8e4m3},
    {"float8_e5m2", StoredType::f8e5m2}};

template <std::size_t n>
StoredType typeNamed(const TypeName (&table)[n], std::string_view name) {
    for (const TypeName& row : table)
        if (row.name == name) return row.type;
    return StoredType::other;
}

bool isUntyped(std::string_view name) {
    return name == "UntypedStorage" || name == "TypedStorage";
}

std::string callee(const PickleTree& tree, const PickleNode& node) {
    return node.kind == Kind::object ? tree.globalName(node) : std::string();
}

/// Numbers of a tuple, or of a torch.Size, none negative.
bool readSizes(const PickleTree& tree, const PickleNode& node, std::vector<std::int64_t>& sizes) {
    if (node.kind != Kind::tuple && node.kind != Kind::list) return false;
    for (const PickleId id : node.items) {
        if (tree[id].kind != Kind::integer || tree[id].integer < 0) return false;
        sizes.push_back(tree[id].integer);
    }
    return true;
}

bool isRowMajor(const TensorEntry& entry) {
    std::int64_t step = 1;
    for (std::size_t axis = entry.shape.size(); axis-- > 0;) {
        if (entry.shape[axis] != 1 && entry.strides[axis] != step) return false;
        // an overflow is found when the entry is checked
        if (__builtin_mul_overflow(step, entry.shape[axis], &step)) return true;
    }
    return true;
}

}  // namespace

TorchTensors::TorchTensors(const SourceFile& file, const std::vector<ZipMember>& members,
                           const PickleTree& tree, std::string root, bool bigEndian)
    : file_(file), tree_(tree), root_(std::move(root)), bigEndian_(bigEndian) {
    for (const ZipMember& member : members) members_.emplace(member.name, &member);
}

const PickleNode& TorchTensors::unwrapped(const PickleNode& node) const {
    const PickleNode* at = &node;
    // Parameters may be wrapped in parameters, but never often.
    for (int depth = 0; depth < 8; ++depth) {
        const std::string name = callee(tree_, *at);
        const bool wraps = name == "torch._utils._rebuild_parameter" ||
                           name == "torch._utils._rebuild_parameter_with_state" ||
                           name == "torch.nn.parameter.Parameter" || name == "torch.Size";
        if (!wraps || item(*at, 1).items.empty()) return *at;
        at = &item(item(*at, 1), 0);
    }
    return *at;
}

bool TorchTensors::isTensor(const PickleNode& node) const {
    const std::string name = callee(tree_, node);
    return name == "torch._utils._rebuild_tensor" || name == "torch._utils._rebuild_tensor_v2" ||
           name == "torch._utils._rebuild_tensor_v3";
}

/// ('storage', torch.FloatStorage, '0', 'cpu', 24)
tl::expected<TorchTensors::Storage, std::string> TorchTensors::storageOf(
    const PickleNode& node) const {
    if (node.kind != Kind::persistent)
        return Failure("its storage is " + std::string(nameOf(node.kind)));
    const PickleNode& id = item(node, 0);
    if (id.kind != Kind::tuple || id.items.size() < 5 || item(id, 0).text != "storage" ||
        item(id, 1).kind != Kind::global || item(id, 2).kind != Kind::text ||
        item(id, 4).kind != Kind::integer || item(id, 4).integer < 0)
        return Failure("its storage is not described as (\"storage\", type, key, place, size)");
    const std::string member = fmt::format("{}data/{}", root_, item(id, 2).text.substr(0, 200));
    const auto found = members_.find(member);
    if (found == members_.end()) return Failure(fmt::format("the archive has no \"{}\"", member));
    Storage storage;
    storage.member = found->second;
    storage.typeName = item(id, 1).more.substr(0, 200);
    storage.type = typeNamed(storages, storage.typeName);
    const std::uint64_t elements = static_cast<std::uint64_t>(item(id, 4).integer);
    const std::uint64_t each =
        isUntyped(storage.typeName) ? 1 : blockOf(storage.type).bytes;  // 0 for unknown types
    if (each == 0)
        storage.bytes = storage.member->contentBytes;
    else if (__builtin_mul_overflow(elements, each, &storage.bytes) ||
             storage.bytes > storage.member->contentBytes)
        return Failure(
            fmt::format("its storage claims {} elements of {} bytes, but \"{}\" has {} "
                        "bytes",
                        elements, each, member, storage.member->contentBytes));
    return storage;
}

Result<TensorEntry> TorchTensors::entry(const PickleNode& node, const std::string& name) const {
    const auto refuse = [&](std::string what) {
        return fail(Error::Kind::badFile, fmt::format("{}, tensor \"{}\"", file_.name(), name),
                    std::move(what), "the file is damaged: download or save it again");
    };
    const PickleNode& arguments = item(node, 1);
    if (arguments.items.size() < 4) return refuse("is described by too few arguments");
    const auto storage = storageOf(item(arguments, 0));
    if (!storage) return refuse(storage.error());

    TensorEntry entry;
    entry.name = name;
    entry.type = storage->type;
    entry.typeName = storage->typeName;
    entry.bigEndian = bigEndian_;
    if (isUntyped(storage->typeName)) {
        constexpr std::size_t dtypeAt = 6;
        if (arguments.items.size() <= dtypeAt || item(arguments, dtypeAt).kind != Kind::global)
            return refuse("has an untyped storage and names no type");
        entry.typeName = item(arguments, dtypeAt).more.substr(0, 200);
        entry.type = typeNamed(dtypes, entry.typeName);
    }
    if (!readSizes(tree_, unwrapped(item(arguments, 2)), entry.shape))
        return refuse("its size is no tuple of numbers from 0 on");
    if (!readSizes(tree_, unwrapped(item(arguments, 3)), entry.strides))
        return refuse("its stride is no tuple of numbers from 0 on");
    if (entry.shape.size() != entry.strides.size())
        return refuse(
            fmt::format("has {} axes but {} strides", entry.shape.size(), entry.strides.size()));
    if (isRowMajor(entry)) entry.strides.clear();

    const PickleNode& start = item(arguments, 1);
    std::uint64_t skipped = 0;
    if (start.kind != Kind::integer || start.integer < 0 ||
        __builtin_mul_overflow(static_cast<std::uint64_t>(start.integer), blockOf(entry.type).bytes,
                               &skipped) ||
        skipped > storage->bytes)
        return refuse(fmt::format("its offset of {} elements lies outside its storage of {} bytes",
                                  start.integer, storage->bytes));
    const ZipMember& member = *storage->member;
    if (!member.readable) return refuse(fmt::format("\"{}\" is encrypted", member.name));
    entry.offset = member.offset;
    entry.bytes = member.storedBytes;
    if (member.deflated) {
        entry.deflated = Deflated{member.contentBytes, skipped};
    } else {
        entry.offset += skipped;
        entry.bytes = storage->bytes - skipped;
    }
    return entry;
}

}  // namespace headloom
