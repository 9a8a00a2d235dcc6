#include "core/io/torch_tree.h"

#include "core/base/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headloom {

namespace {

using Kind = PickleNode::Kind;

constexpr std::size_t deepest = 64;
constexpr std::size_t longestName = 1024;
constexpr std::size_t longestKey = longestName + 1;  ///< more of a key is not needed to refuse it
constexpr std::size_t longestText = 4096;            ///< of a metadata value
constexpr std::size_t mostMetadata = 10'000;
/// The shortest call that rebuilds a tensor is longer; more tensors than that share their calls.
constexpr std::size_t bytesPerTensor = 16;

/// Where trainers put the model beside the optimiser: nanoGPT, Lightning, PyTorch's own tutorial,
/// DeepSpeed.
constexpr std::string_view containerKeys[] = {"model", "state_dict", "model_state_dict", "module"};

bool isScalar(const PickleNode& node) {
    return node.kind == Kind::none || node.kind == Kind::boolean || node.kind == Kind::integer ||
           node.kind == Kind::real || node.kind == Kind::text || node.kind == Kind::global;
}

class Walk {
  public:
    Walk(const SourceFile& file, const PickleTree& tree, const TorchTensors& tensors,
         std::size_t pickleBytes)
        : file_(file),
          tree_(tree),
          tensors_(tensors),
          mostVisits_(2 * pickleBytes + deepest),
          mostTensors_(pickleBytes / bytesPerTensor + 1) {
        listing.files = {file};
    }

    /// All of it; `name` is that of the node. Tensors are listed, or only counted.
    Result<void> visit(const PickleNode& node, const std::string& name, bool listTensors) {
        listTensors_ = listTensors;
        nTensors_ = 0;
        name_ = name;
        if (auto fine = meet(node); !fine) return fine;
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            if (frame.next == frame.children.size()) {
                frames_.pop_back();
                continue;
            }
            const auto& [key, child] = frame.children[frame.next++];
            name_.resize(frame.nameLength);
            if (!name_.empty() && !key.empty()) name_ += '.';
            name_ += key;
            if (name_.size() > longestName)
                return refuse(fmt::format("a name is longer than {} characters", longestName));
            if (auto fine = meet(*child); !fine) return fine;
        }
        return {};
    }
    std::size_t nTensors() const { return nTensors_; }

    /// Whether tensors hang directly on a node.
    bool holdsTensors(const PickleNode& node) const {
        const auto all = childrenOf(node);
        return std::any_of(all.begin(), all.end(), [this](const Child& child) {
            return tensors_.isTensor(tensors_.unwrapped(*child.node));
        });
    }
    bool isModule(const PickleNode& node) const { return moduleState(node) != nullptr; }

    /// One sentence a kind of object, for its first place.
    void reportSkipped() {
        for (const auto& [type, places] : skipped_)
            listing.warnings.push_back(
                places.count == 1 ? fmt::format("skipped {} in \"{}\"", type, places.first)
                                  : fmt::format("skipped {} in \"{}\" and {}", type, places.first,
                                                counted(places.count - 1, "more place")));
        if (nMoreSkipped_ > 0)
            listing.warnings.push_back(
                fmt::format("skipped {} of further types", counted(nMoreSkipped_, "object")));
        if (listing.metadata.size() >= mostMetadata)
            listing.warnings.push_back(
                fmt::format("only the first {} values of its metadata are kept", mostMetadata));
    }

    TensorListing listing;

  private:
    struct Child {
        std::string key;
        const PickleNode* node;
    };
    struct Frame {
        std::vector<Child> children;
        std::size_t next = 0, nameLength = 0;
    };
    struct Places {
        std::string first;
        std::size_t count = 0;
    };

    tl::unexpected<Error> refuse(std::string what) const {
        return fail(Error::Kind::badFile, file_.name(), std::move(what),
                    "save the model's state_dict() with torch.save, or use safetensors");
    }

    Result<void> meet(const PickleNode& met) {
        const PickleNode& node = tensors_.unwrapped(met);
        // Every byte of a pickle adds at most one item to one object: more than that is going in
        // circles, or through one object many times.
        visits_ += 1 + node.items.size();
        if (visits_ > mostVisits_) return refuse("its objects hold each other again and again");
        if (tensors_.isTensor(node)) return meetTensor(node);
        if (isScalar(node)) {
            keep(textOf(node));
            return {};
        }
        const bool isList = node.kind == Kind::list || node.kind == Kind::tuple;
        if (isList && std::all_of(node.items.begin(), node.items.end(),
                                  [this](PickleId id) { return isScalar(tree_[id]); })) {
            keepList(node);
            return {};
        }
        if (!isList && node.kind != Kind::dict && !isModule(node)) {
            skip(node);
            return {};
        }
        if (frames_.size() == deepest)
            return refuse(fmt::format("its objects nest deeper than {} levels", deepest));
        frames_.push_back({childrenOf(node), 0, name_.size()});
        return {};
    }
    Result<void> meetTensor(const PickleNode& node) {
        if (++nTensors_ > mostTensors_) return refuse("lists more tensors than its size allows");
        if (!listTensors_) return {};
        auto entry = tensors_.entry(node, name_.empty() ? "tensor" : name_);
        if (!entry) return tl::unexpected(entry.error());
        listing.entries.push_back(std::move(*entry));
        return {};
    }

    /// The state of an nn.Module that was saved whole; null for other objects.
    const PickleNode* moduleState(const PickleNode& node) const {
        if (node.kind != Kind::object || node.items.size() < 3) return nullptr;
        const PickleNode& state = tree_[node.items[2]];
        return tree_.get(state, "_parameters") && tree_.get(state, "_modules") ? &state : nullptr;
    }
    std::vector<Child> childrenOf(const PickleNode& node) const {
        std::vector<Child> children;
        if (const PickleNode* state = moduleState(node)) {
            for (const char* part : {"_parameters", "_buffers", "_modules"})
                if (const PickleNode* dict = tree_.get(*state, part)) addItems(*dict, children);
        } else if (node.kind == Kind::dict) {
            addItems(node, children);
        } else if (node.kind == Kind::list || node.kind == Kind::tuple) {
            for (std::size_t i = 0; i < node.items.size(); ++i)
                children.push_back({fmt::to_string(i), &tree_[node.items[i]]});
        }
        return children;
    }
    void addItems(const PickleNode& dict, std::vector<Child>& children) const {
        if (dict.kind != Kind::dict) return;
        for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
            const PickleNode& key = tree_[dict.items[i]];
            const PickleNode& value = tree_[dict.items[i + 1]];
            children.push_back(
                {key.kind == Kind::text ? std::string(key.text.substr(0, longestKey)) : textOf(key),
                 &value});
        }
    }

    std::string textOf(const PickleNode& node) const {
        switch (node.kind) {
            case Kind::none:
                return "null";
            case Kind::boolean:
                return node.integer ? "true" : "false";
            case Kind::integer:
                return fmt::to_string(node.integer);
            case Kind::real:
                return fmt::format("{}", node.real);
            case Kind::text:
                return std::string(node.text.substr(0, longestText));
            case Kind::global:
                return tree_.globalName(node);
            default:
                return nameOf(node.kind);
        }
    }
    void keep(std::string text) {
        if (!name_.empty() && listing.metadata.size() < mostMetadata)
            listing.metadata.emplace(name_, std::move(text));
    }
    void keepList(const PickleNode& list) {
        std::string text = "[";
        for (std::size_t i = 0; i < list.items.size() && text.size() < longestText; ++i)
            text += (i == 0 ? "" : ", ") + textOf(tree_[list.items[i]]);
        keep(text + (text.size() < longestText ? "]" : ", ...]"));
    }
    void skip(const PickleNode& node) {
        constexpr std::size_t mostTypes = 20;
        const std::string type =
            node.kind == Kind::object ? tree_.globalName(node) : nameOf(node.kind);
        if (!skipped_.contains(type) && skipped_.size() == mostTypes) {
            ++nMoreSkipped_;
            return;
        }
        Places& places = skipped_[type];
        if (places.count++ == 0) places.first = name_;
    }

    const SourceFile& file_;
    const PickleTree& tree_;
    const TorchTensors& tensors_;
    std::size_t mostVisits_, mostTensors_;
    std::size_t visits_ = 0, nTensors_ = 0;
    bool listTensors_ = true;
    std::string name_;
    std::vector<Frame> frames_;
    std::map<std::string, Places> skipped_;
    std::size_t nMoreSkipped_ = 0;
};

/// The one key under which a trainer keeps the model; empty where the dict is the model itself.
std::string_view containerKey(const PickleTree& tree, const TorchTensors& tensors, const Walk& walk,
                              const PickleNode& root) {
    std::string_view found;
    for (const std::string_view key : containerKeys) {
        const PickleNode* value = tree.get(root, key);
        if (!value) continue;
        const PickleNode& inner = tensors.unwrapped(*value);
        if (!walk.isModule(inner) && (inner.kind != Kind::dict || !walk.holdsTensors(inner)))
            continue;
        if (!found.empty()) return {};
        found = key;
    }
    return walk.holdsTensors(root) ? std::string_view{} : found;
}

/// Everything beside the model: its values are metadata, its tensors are counted.
Result<void> visitBeside(const PickleTree& tree, const PickleNode& root, std::string_view modelKey,
                         Walk& walk) {
    for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
        const PickleNode& key = tree[root.items[i]];
        if (key.kind != Kind::text || key.text == modelKey) continue;
        const std::string name(key.text.substr(0, longestKey));
        if (auto fine = walk.visit(tree[root.items[i + 1]], name, false); !fine) return fine;
        if (walk.nTensors() > 0)
            walk.listing.warnings.push_back(fmt::format(
                "left out {} of \"{}\", which {} not the model's",
                counted(walk.nTensors(), "tensor"), name, walk.nTensors() == 1 ? "is" : "are"));
    }
    return {};
}

}  // namespace

Result<TensorListing> listTorchTree(const SourceFile& file, const PickleTree& tree,
                                    const TorchTensors& tensors, std::size_t pickleBytes) {
    Walk walk(file, tree, tensors, pickleBytes);
    walk.listing.format = "PyTorch archive";
    const PickleNode* root = &tensors.unwrapped(tree[tree.root]);
    if (const std::string_view key = containerKey(tree, tensors, walk, *root); !key.empty()) {
        walk.listing.format = fmt::format("PyTorch archive, model under \"{}\"", key);
        if (auto fine = visitBeside(tree, *root, key, walk); !fine)
            return tl::unexpected(fine.error());
        root = tree.get(*root, key);
    }
    if (auto fine = walk.visit(*root, "", true); !fine) return tl::unexpected(fine.error());
    if (walk.listing.entries.empty() && root->kind == Kind::object && !walk.isModule(*root))
        return fail(
            Error::Kind::unsupported, file.name(),
            fmt::format("holds {}, which is no tensor and was not run", tree.globalName(*root)),
            "save the model's state_dict() with torch.save");
    walk.reportSkipped();
    return std::move(walk.listing);
}

}  // namespace headloom
