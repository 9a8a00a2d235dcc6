#include "core/io/shard_index.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unordered_set>

namespace headloom {

namespace {

using nlohmann::json;

/// Empty where the name is a plain file name, else what is wrong with it.
std::string objectionTo(std::string_view name) {
    if (name.empty() || name == "." || name == "..") return "is no file name";
    if (name.find_first_of("/\\") != std::string_view::npos) return "leads to another folder";
    if (name.find(':') != std::string_view::npos) return "names a drive";
    if (name.find('\0') != std::string_view::npos) return "is no file name";
    return {};
}

/// Follows {"metadata": {key: scalar}, "weight_map": {tensor: shard}}; other values are passed
/// over.
class IndexReader final : public json::json_sax_t {
  public:
    ShardIndex index;
    std::string failure;
    bool hasMap = false;

    bool start_object(std::size_t) override {
        if (depth_ == 0) return ++depth_;
        if (depth_ == 1 && isMap()) hasMap = true;
        if (depth_ == 2 && isMap()) return refuse("\"weight_map\" holds an object");
        return ++depth_;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0) return refuse("is a list, not an object");
        if (isMap()) return refuse("\"weight_map\" holds a list");
        return ++depth_;
    }
    bool end_array() override { return end_object(); }
    bool key(std::string& name) override {
        if (depth_ == 1) {
            top_ = name;
            if (!names_.insert(name).second) return twice(name);
            tensors_.clear();
        } else if (depth_ == 2) {
            inner_ = name;
            if (isMap() && !tensors_.insert(name).second) return twice(name);
        }
        return true;
    }
    bool string(std::string& text) override {
        if (depth_ == 2 && isMap()) {
            if (const std::string wrong = objectionTo(text); !wrong.empty())
                return refuse(
                    fmt::format("the shard \"{}\" of tensor \"{}\" {}", text, inner_, wrong));
            index.weightMap.emplace_back(inner_, text);
            return true;
        }
        return scalar(text);
    }
    bool null() override { return scalar("null"); }
    bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
    bool number_integer(std::int64_t value) override { return scalar(fmt::to_string(value)); }
    bool number_unsigned(std::uint64_t value) override { return scalar(fmt::to_string(value)); }
    bool number_float(double, const std::string& text) override { return scalar(text); }
    bool binary(json::binary_t&) override { return refuse("holds binary data"); }
    bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
        return refuse(
            fmt::format("is not valid JSON at its byte {}", position == 0 ? 0 : position - 1));
    }

  private:
    bool isMap() const { return top_ == "weight_map"; }
    bool refuse(std::string what) {
        failure = std::move(what);
        return false;
    }
    bool twice(const std::string& name) {
        return refuse(fmt::format("the key \"{}\" occurs twice", name));
    }
    bool scalar(const std::string& text) {
        if (depth_ == 0) return refuse("is not an object");
        if (isMap())
            return refuse(fmt::format("\"weight_map\" holds {}, which is no file name", text));
        if (depth_ == 2 && top_ == "metadata") index.metadata.emplace(inner_, text);
        return true;
    }

    std::size_t depth_ = 0;
    std::string top_, inner_;
    std::unordered_set<std::string> names_, tensors_;
};

}  // namespace

Result<ShardIndex> parseShardIndex(std::string_view text, const std::string& file) {
    IndexReader reader;
    const bool parsed = json::sax_parse(text.begin(), text.end(), &reader);
    if (parsed && !reader.hasMap) reader.failure = "has no \"weight_map\"";
    if (!reader.failure.empty())
        return fail(Error::Kind::badFile, file, reader.failure,
                    "download the index again, or open one shard by itself");
    return std::move(reader.index);
}

}  // namespace headloom
