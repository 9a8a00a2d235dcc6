#include "core/io/tokenizers/json_document.h"

#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unordered_set>

namespace headloom {

namespace {

using nlohmann::json;

constexpr std::size_t deepest = 64;

/// Builds the document through the library's own builder, and stops it at what is refused.
class CheckedBuilder final : public json::json_sax_t {
  public:
    explicit CheckedBuilder(json& root) : builder_(root, false) {}
    std::string failure;

    bool start_object(std::size_t size) override {
        keys_.emplace_back();
        return isShallow() && builder_.start_object(size);
    }
    bool end_object() override {
        keys_.pop_back();
        return builder_.end_object();
    }
    bool start_array(std::size_t size) override {
        keys_.emplace_back();
        return isShallow() && builder_.start_array(size);
    }
    bool end_array() override {
        keys_.pop_back();
        return builder_.end_array();
    }
    bool key(std::string& name) override {
        if (keys_.back().insert(name).second) return builder_.key(name);
        failure = fmt::format("the key \"{}\" occurs twice", visible(name));
        return false;
    }
    bool null() override { return builder_.null(); }
    bool boolean(bool value) override { return builder_.boolean(value); }
    bool number_integer(std::int64_t value) override { return builder_.number_integer(value); }
    bool number_unsigned(std::uint64_t value) override { return builder_.number_unsigned(value); }
    bool number_float(double value, const std::string& text) override {
        return builder_.number_float(value, text);
    }
    bool string(std::string& text) override { return builder_.string(text); }
    bool binary(json::binary_t& bytes) override { return builder_.binary(bytes); }
    bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
        failure = fmt::format("is not valid JSON at its byte {}", position == 0 ? 0 : position - 1);
        return false;
    }

  private:
    bool isShallow() {
        if (keys_.size() <= deepest) return true;
        failure = fmt::format("nests more than {} deep", deepest);
        return false;
    }

    nlohmann::detail::json_sax_dom_parser<json> builder_;
    std::vector<std::unordered_set<std::string>> keys_;  ///< seen so far, of each open bracket
};

}  // namespace

Result<json> parseJsonDocument(std::string_view text, const std::string& file) {
    json root;
    CheckedBuilder builder(root);
    if (!json::sax_parse(text.begin(), text.end(), &builder))
        return fail(Error::Kind::badFile, file, builder.failure,
                    "the file is damaged: download or save it again");
    return root;
}

const json& member(const json& object, const char* key) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

std::string textMember(const json& object, const char* key) {
    const json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool flagMember(const json& object, const char* key, bool otherwise) {
    const json& value = member(object, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

}  // namespace headloom
