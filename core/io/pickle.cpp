#include "core/io/pickle.h"

#include "core/io/pickle_opcodes.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <unordered_map>

namespace headloom {

namespace {

using Kind = PickleNode::Kind;

constexpr std::size_t mostNodes = 1'500'000;

/// Follows the opcodes of one pickle. A step that fails leaves its reason in `failure_`.
class Unpickler {
  public:
    explicit Unpickler(std::string_view bytes) : bytes_(bytes) {
        none_ = add({Kind::none, 0, 0, {}, {}, {}});
        false_ = add({Kind::boolean, 0, 0, {}, {}, {}});
        true_ = add({Kind::boolean, 1, 0, {}, {}, {}});
    }

    /// True at STOP with an object on the stack.
    bool run() {
        while (!stopped_) {
            if (at_ == bytes_.size()) return refuse("ends without STOP");
            opcodeAt_ = at_;
            if (tree.nodes.size() > mostNodes)
                return refuse(fmt::format("describes more than {} objects", mostNodes));
            if (!step(static_cast<Opcode>(bytes_[at_++]))) return false;
        }
        return true;
    }
    std::string reason() const {
        return fmt::format("its pickle, at byte {}: {}", opcodeAt_, failure_);
    }
    PickleTree tree;

  private:
    bool step(Opcode opcode) {
        switch (opcode) {
            case Opcode::proto:
                return skip(1);
            case Opcode::frame:
                return readFrame();
            case Opcode::stop:
                return stop();
            case Opcode::none:
                return push(none_);
            case Opcode::newTrue:
                return push(true_);
            case Opcode::newFalse:
                return push(false_);
            case Opcode::binInt:
                return pushInteger<std::int32_t>();
            case Opcode::binInt1:
                return pushInteger<std::uint8_t>();
            case Opcode::binInt2:
                return pushInteger<std::uint16_t>();
            case Opcode::long1:
                return pushLong();
            case Opcode::binFloat:
                return pushReal();
            case Opcode::shortBinString:
            case Opcode::shortBinUnicode:
                return pushText<std::uint8_t>(Kind::text);
            case Opcode::binString:
            case Opcode::binUnicode:
                return pushText<std::uint32_t>(Kind::text);
            case Opcode::binUnicode8:
                return pushText<std::uint64_t>(Kind::text);
            case Opcode::shortBinBytes:
                return pushText<std::uint8_t>(Kind::bytes);
            case Opcode::binBytes:
                return pushText<std::uint32_t>(Kind::bytes);
            case Opcode::emptyList:
                return pushNew(Kind::list);
            case Opcode::emptyTuple:
                return pushNew(Kind::tuple);
            case Opcode::emptyDict:
                return pushNew(Kind::dict);
            case Opcode::emptySet:
                return pushNew(Kind::set);
            case Opcode::mark:
                marks_.push_back(stack_.size());
                return true;
            case Opcode::tuple:
                return gather();
            case Opcode::tuple1:
                return pushTuple(1);
            case Opcode::tuple2:
                return pushTuple(2);
            case Opcode::tuple3:
                return pushTuple(3);
            case Opcode::append:
                return appendItems(1, "APPEND");
            case Opcode::appends:
                return takeMark() && appendItems(stack_.size() - mark_, "APPENDS");
            case Opcode::addItems:
                return takeMark() && addToSet(stack_.size() - mark_);
            case Opcode::setItem:
                return setItems(2, "SETITEM");
            case Opcode::setItems:
                return takeMark() && setItems(stack_.size() - mark_, "SETITEMS");
            case Opcode::binPut:
                return memoize<std::uint8_t>();
            case Opcode::longBinPut:
                return memoize<std::uint32_t>();
            case Opcode::memoize:
                return remember(memo_.size());
            case Opcode::binGet:
                return recall<std::uint8_t>();
            case Opcode::longBinGet:
                return recall<std::uint32_t>();
            case Opcode::global:
                return pushGlobal();
            case Opcode::stackGlobal:
                return globalFromStack();
            case Opcode::reduce:
                return makeObject("REDUCE");
            case Opcode::newObj:
                return makeObject("NEWOBJ");
            case Opcode::build:
                return build();
            case Opcode::binPersId:
                return pushPersistent();
        }
        return refuseOpcode(static_cast<unsigned char>(opcode));
    }

    bool refuse(std::string why) {
        failure_ = std::move(why);
        return false;
    }
    bool refuseOpcode(unsigned char code) {
        const char* name = nameOfRefusedOpcode(code);
        return refuse(name ? fmt::format("the opcode {} is not one that checkpoints use", name)
                           : fmt::format("{:#04x} is no opcode", code));
    }

    // Bytes of the pickle
    bool skip(std::uint64_t count) {
        if (count > bytes_.size() - at_)
            return refuse(
                fmt::format("{} bytes should follow, but {} do", count, bytes_.size() - at_));
        at_ += static_cast<std::size_t>(count);
        return true;
    }
    template <class T>
    bool number(T& value) {
        if (!skip(sizeof(T))) return false;
        std::memcpy(&value, bytes_.data() + at_ - sizeof(T), sizeof(T));
        return true;
    }
    bool line(std::string_view& text) {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == std::string_view::npos) return refuse("a name does not end");
        text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return true;
    }
    /// Frames only say how much to read ahead.
    bool readFrame() {
        std::uint64_t length = 0;
        if (!number(length)) return false;
        if (length > bytes_.size() - at_)
            return refuse(
                fmt::format("a frame of {} bytes, but {} follow", length, bytes_.size() - at_));
        return true;
    }

    // Nodes and the stack
    PickleId add(PickleNode node) {
        tree.nodes.push_back(std::move(node));
        return static_cast<PickleId>(tree.nodes.size() - 1);
    }
    bool push(PickleId id) {
        stack_.push_back(id);
        return true;
    }
    bool pushNew(Kind kind) {
        PickleNode node;
        node.kind = kind;
        return push(add(std::move(node)));
    }
    /// What stands above the last mark belongs to it.
    std::size_t depth() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
    bool needs(std::size_t count, const char* opcode) {
        return depth() >= count ||
               refuse(fmt::format("{} takes {} objects, but {} are there", opcode, count, depth()));
    }
    PickleId pop() {
        const PickleId id = stack_.back();
        stack_.pop_back();
        return id;
    }
    bool takeMark() {
        if (marks_.empty()) return refuse("a mark is missing");
        mark_ = marks_.back();
        marks_.pop_back();
        return true;
    }
    PickleNode& node(PickleId id) { return tree.nodes[id]; }

    bool stop() {
        if (!needs(1, "STOP")) return false;
        tree.root = pop();
        return stopped_ = true;
    }
    template <class T>
    bool pushInteger() {
        T value = 0;
        if (!number(value)) return false;
        PickleNode made;
        made.kind = Kind::integer;
        made.integer = value;
        return push(add(std::move(made)));
    }
    /// Little-endian two's complement; what does not fit 64 bits is kept as its bytes, which is no
    /// number to anyone.
    bool pushLong() {
        std::uint8_t length = 0;
        if (!number(length) || !skip(length)) return false;
        const std::string_view digits = bytes_.substr(at_ - length, length);
        PickleNode made;
        made.kind = length > 8 ? Kind::bytes : Kind::integer;
        if (length > 8) {
            made.text = digits;
        } else {
            std::uint64_t bits = 0;
            std::memcpy(&bits, digits.data(), length);
            if (length > 0 && length < 8 && (digits.back() & 0x80))
                bits |= ~std::uint64_t{0} << (8 * length);
            made.integer = static_cast<std::int64_t>(bits);
        }
        return push(add(std::move(made)));
    }
    bool pushReal() {
        std::uint64_t bits = 0;
        if (!number(bits)) return false;
        PickleNode made;
        made.kind = Kind::real;
        made.real = std::bit_cast<double>(__builtin_bswap64(bits));  // stored big-endian
        return push(add(std::move(made)));
    }
    template <class Length>
    bool pushText(Kind kind) {
        Length length = 0;
        if (!number(length) || !skip(length)) return false;
        PickleNode made;
        made.kind = kind;
        made.text =
            bytes_.substr(at_ - static_cast<std::size_t>(length), static_cast<std::size_t>(length));
        return push(add(std::move(made)));
    }
    bool pushTuple(std::size_t size) {
        if (!needs(size, "TUPLE")) return false;
        return tupleFrom(stack_.size() - size);
    }
    bool gather() { return takeMark() && tupleFrom(mark_); }
    bool tupleFrom(std::size_t begin) {
        PickleNode made;
        made.kind = Kind::tuple;
        made.items.assign(stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end());
        stack_.resize(begin);
        return push(add(std::move(made)));
    }

    /// Moves the top `count` objects into the one below. What an unknown object is given is dropped
    /// with it: nobody knows what it would make of it.
    bool moveInto(std::size_t count, Kind expected, const char* opcode) {
        if (!needs(count + 1, opcode)) return false;
        const std::size_t begin = stack_.size() - count;
        PickleNode& target = node(stack_[begin - 1]);
        if (target.kind != expected && target.kind != Kind::object)
            return refuse(fmt::format("{} on {}", opcode, nameOf(target.kind)));
        if (target.kind == expected)
            target.items.insert(target.items.end(),
                                stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end());
        stack_.resize(begin);
        return true;
    }
    bool appendItems(std::size_t count, const char* opcode) {
        return moveInto(count, Kind::list, opcode);
    }
    bool addToSet(std::size_t count) { return moveInto(count, Kind::set, "ADDITEMS"); }
    bool setItems(std::size_t count, const char* opcode) {
        if (count % 2 != 0) return refuse(fmt::format("{} with a key that has no value", opcode));
        return moveInto(count, Kind::dict, opcode);
    }

    // The memo
    template <class Index>
    bool memoize() {
        Index index = 0;
        return number(index) && remember(index);
    }
    bool remember(std::size_t index) {
        if (!needs(1, "PUT")) return false;
        memo_[index] = stack_.back();
        return true;
    }
    template <class Index>
    bool recall() {
        Index index = 0;
        if (!number(index)) return false;
        const auto found = memo_.find(index);
        if (found == memo_.end()) return refuse(fmt::format("nothing was put under {}", index));
        return push(found->second);
    }

    // What Python would import, call or look up
    bool pushGlobal() {
        PickleNode made;
        made.kind = Kind::global;
        return line(made.text) && line(made.more) && push(add(std::move(made)));
    }
    bool globalFromStack() {
        if (!needs(2, "STACK_GLOBAL")) return false;
        const PickleId name = pop(), module = pop();
        if (node(name).kind != Kind::text || node(module).kind != Kind::text)
            return refuse(fmt::format("STACK_GLOBAL of {} and {}", nameOf(node(module).kind),
                                      nameOf(node(name).kind)));
        PickleNode made;
        made.kind = Kind::global;
        made.text = node(module).text;
        made.more = node(name).text;
        return push(add(std::move(made)));
    }
    bool makeObject(const char* opcode) {
        if (!needs(2, opcode)) return false;
        const PickleId arguments = pop(), callee = pop();
        if (node(callee).kind != Kind::global)
            return refuse(fmt::format("{} of {}", opcode, nameOf(node(callee).kind)));
        if (node(arguments).kind != Kind::tuple)
            return refuse(
                fmt::format("{} with {} for arguments", opcode, nameOf(node(arguments).kind)));
        if (isDict(node(callee))) return pushDict(node(arguments));
        PickleNode made;
        made.kind = Kind::object;
        made.items = {callee, arguments};
        return push(add(std::move(made)));
    }
    /// Dicts under another name; later opcodes fill them.
    static bool isDict(const PickleNode& global) {
        return global.text == "collections" &&
               (global.more == "OrderedDict" || global.more == "Counter" ||
                global.more == "defaultdict");
    }
    /// Python 2 passed an OrderedDict its items as a list of pairs.
    bool pushDict(const PickleNode& arguments) {
        PickleNode made;
        made.kind = Kind::dict;
        if (!arguments.items.empty() && node(arguments.items[0]).kind == Kind::list) {
            // Pairs are copied, so a list that is used again and again must not multiply.
            copied_ += node(arguments.items[0]).items.size();
            if (copied_ > bytes_.size())
                return refuse("OrderedDicts copy more than the pickle has");
            for (const PickleId id : node(arguments.items[0]).items) {
                const PickleNode& pair = node(id);
                const bool isPair = pair.kind == Kind::list || pair.kind == Kind::tuple;
                if (!isPair || pair.items.size() != 2)
                    return refuse("an OrderedDict of what are no pairs");
                made.items.insert(made.items.end(), pair.items.begin(), pair.items.end());
            }
        }
        return push(add(std::move(made)));
    }
    /// An object keeps its state to be looked at. A state dict's own attributes say nothing here.
    bool build() {
        if (!needs(2, "BUILD")) return false;
        const PickleId state = pop();
        PickleNode& target = node(stack_.back());
        if (target.kind == Kind::object)
            target.items.push_back(state);
        else if (target.kind != Kind::dict)
            return refuse(fmt::format("BUILD on {}", nameOf(target.kind)));
        return true;
    }
    bool pushPersistent() {
        if (!needs(1, "BINPERSID")) return false;
        PickleNode made;
        made.kind = Kind::persistent;
        made.items = {pop()};
        return push(add(std::move(made)));
    }

    std::string_view bytes_;
    std::size_t at_ = 0, opcodeAt_ = 0, mark_ = 0, copied_ = 0;
    bool stopped_ = false;
    std::string failure_;
    std::vector<PickleId> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::size_t, PickleId> memo_;
    PickleId none_ = 0, false_ = 0, true_ = 0;
};

}  // namespace

Result<PickleTree> readPickle(std::string_view bytes, const std::string& where) {
    Unpickler unpickler(bytes);
    if (!unpickler.run())
        return fail(Error::Kind::badFile, where, unpickler.reason(),
                    "save the model's state_dict() with torch.save, or use safetensors");
    return std::move(unpickler.tree);
}

}  // namespace headloom
