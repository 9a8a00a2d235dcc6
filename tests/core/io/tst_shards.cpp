#include "tests/support/archive_writers.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_checks.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace headloom;
using namespace headloom::testing;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string shard(const std::vector<std::pair<std::string, float>>& tensors) {
    std::string header = "{\"__metadata__\":{\"format\":\"pt\"}", data;
    for (const auto& [name, value] : tensors) {
        const std::string begin = std::to_string(data.size());
        data += bytesOf(value);
        header += ",\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[" + begin +
                  "," + std::to_string(data.size()) + "]}";
    }
    return safetensorsOf(header + "}", data);
}

std::string indexOf(const std::vector<std::pair<std::string, std::string>>& map) {
    std::string text = "{\"metadata\":{\"total_size\":8},\"weight_map\":{";
    for (const auto& [tensor, file] : map)
        text += (text.ends_with('{') ? "\"" : ",\"") + tensor + "\":\"" + file + "\"";
    return text + "}}";
}

/// The sentence for an index of this text in a folder with shard "s", without the folder's name.
std::string refusalOfIndex(const std::string& text) {
    const TemporaryFolder folder;
    folder.write("s", shard({{"a", 1}, {"b", 2}}));
    const auto source = openTensorSource(folder.write("i.json", text));
    if (source) return {};
    const std::string sentence = source.error().sentence();
    const std::string prefix = folder.path().string() + "/";
    return sentence.starts_with(prefix) ? sentence.substr(prefix.size()) : sentence;
}

}  // namespace

TEST_CASE("a sharded model opens by its index or its folder, and the index decides") {
    const TemporaryFolder folder;
    folder.write("m-1.safetensors", shard({{"a", 1}, {"stale", 99}}));
    folder.write("m-2.safetensors", shard({{"a", 98}, {"_orig_mod.b", 2}}));
    const auto index =
        folder.write("model.safetensors.index.json",
                     indexOf({{"_orig_mod.b", "m-2.safetensors"}, {"a", "m-1.safetensors"}}));
    for (const fs::path& path : {index, folder.path()}) {
        const auto source = openTensorSource(path).value();
        CHECK(source->format() == "safetensors, 2 shards");
        CHECK(namesOf(*source) == Names{"b", "a"});
        CHECK(numbersOf(*source, "a") == Numbers{1});
        CHECK(numbersOf(*source, "b") == Numbers{2});
        CHECK(source->files()[source->find("b")->file].path == folder / "m-2.safetensors");
        CHECK(source->metadata().at("format") == "pt");
        CHECK(source->metadata().at("total_size") == "8");
        CHECK(source->warnings() ==
              Names{"left out 2 tensors that the shards hold and the index does not name",
                    "\"_orig_mod.\" was removed from the name of 1 tensor"});
    }
}

TEST_CASE("missing shards and tensors are listed before anything is read") {
    CHECK(refusalOfIndex(indexOf({{"a", "s"}, {"c", "t"}, {"d", "t"}, {"e", "u"}})) ==
          "i.json: lacks 2 of its 3 shards, with 3 tensors: t, u; download what is missing.");
    CHECK(refusalOfIndex(indexOf({{"a", "s"}, {"c", "s"}, {"d", "s"}, {"e", "s"}, {"f", "s"}})) ==
          "i.json: \"s\" lacks 4 of the tensors that it should hold: c, d, e and 1 more; download "
          "that shard and the index again.");
    CHECK(refusalOfIndex(indexOf({{"a", "s"}})) == "");
}

TEST_CASE("an index reads nothing but plain files beside it") {
    const std::string again = "; download the index again, or open one shard by itself.";
    const auto refusal = [](const std::string& name) {
        return refusalOfIndex(indexOf({{"a", name}}));
    };
    for (const char* name : {"../../etc/passwd", "/etc/passwd", "./s", "a\\\\..\\\\b", "s/"}) {
        CAPTURE(name);
        CHECK(refusal(name).find("of tensor \"a\" leads to another folder") != std::string::npos);
    }
    CHECK(refusal("") == "i.json: the shard \"\" of tensor \"a\" is no file name" + again);
    CHECK(refusal(".") == "i.json: the shard \".\" of tensor \"a\" is no file name" + again);
    CHECK(refusal("..") == "i.json: the shard \"..\" of tensor \"a\" is no file name" + again);
    CHECK(refusal("C:s") == "i.json: the shard \"C:s\" of tensor \"a\" names a drive" + again);
    CHECK(refusal("s\\u0000").find("is no file name") != std::string::npos);
}

TEST_CASE("a malformed index says what is wrong with it") {
    const std::string again = "; download the index again, or open one shard by itself.";
    CHECK(refusalOfIndex(R"({"x":"weight_map"})") == "i.json: has no \"weight_map\"" + again);
    CHECK(refusalOfIndex(R"({"x":1})") ==
          "i.json: is a JSON file, not a set of tensors; name the checkpoint beside it, or their "
          "folder.");
    CHECK(refusalOfIndex(R"({"weight_map":{}})") ==
          "i.json: names no shards; download the index again.");
    CHECK(refusalOfIndex(R"({"weight_map":[]})") == "i.json: \"weight_map\" holds a list" + again);
    CHECK(refusalOfIndex(R"({"weight_map":"s"})") ==
          "i.json: \"weight_map\" holds s, which is no file name" + again);
    CHECK(refusalOfIndex(R"({"weight_map":{"a":1}})") ==
          "i.json: \"weight_map\" holds 1, which is no file name" + again);
    CHECK(refusalOfIndex(R"({"weight_map":{"a":{}}})") ==
          "i.json: \"weight_map\" holds an object" + again);
    CHECK(refusalOfIndex(R"({"weight_map":{"a":"s","a":"s"}})") ==
          "i.json: the key \"a\" occurs twice" + again);
    CHECK(refusalOfIndex(R"({"weight_map":{},"weight_map":{"a":"s"}})") ==
          "i.json: the key \"weight_map\" occurs twice" + again);
    CHECK(refusalOfIndex(R"({"weight_map":{"a":"s"})") ==
          "i.json: is not valid JSON at its byte 23" + again);
    CHECK(refusalOfIndex(R"({"metadata":{"x":[[{"y":{}}]]},"weight_map":{"a":"s"},"z":[1]})") ==
          "");
}

TEST_CASE("a shard that links out of the folder is refused, a cache of links opens") {
    const TemporaryFolder folder;
    fs::create_directories(folder / "blobs");
    fs::create_directories(folder / "snapshot");
    fs::create_directories(folder / "elsewhere");
    const std::string index = indexOf({{"a", "s.safetensors"}});
    folder.write("elsewhere/s.safetensors", shard({{"a", 1}}));
    folder.write("snapshot/model.safetensors.index.json", index);
    fs::create_symlink("../elsewhere/s.safetensors", folder / "snapshot/s.safetensors");
    CHECK(openTensorSource(folder / "snapshot").error().what ==
          "the shard \"s.safetensors\" links to another folder");

    // As a download cache lays it out: index and shards are links into one folder.
    fs::remove(folder / "snapshot/s.safetensors");
    fs::remove(folder / "snapshot/model.safetensors.index.json");
    folder.write("blobs/0123", shard({{"a", 1}}));
    folder.write("blobs/4567", index);
    fs::create_symlink("../blobs/0123", folder / "snapshot/s.safetensors");
    fs::create_symlink("../blobs/4567", folder / "snapshot/model.safetensors.index.json");
    CHECK(numbersOf(*openTensorSource(folder / "snapshot").value(), "a") == Numbers{1});
}

TEST_CASE("a folder opens as the one checkpoint in it") {
    const TemporaryFolder folder;
    const auto what = [&folder] {
        const auto source = openTensorSource(folder.path());
        return source ? (*source)->format() : source.error().what;
    };
    CHECK(what() == "holds no checkpoint");
    folder.write("config.json", "{}");
    folder.write("notes.txt", "hello");
    CHECK(what() == "holds no checkpoint");
    folder.write("x", npyOf("<f4", "(1,)", bytesOf(1.0f)));
    CHECK(what() == "NumPy array");
    folder.write("y", zipOf({{"w.npy", npyOf("<f4", "(1,)", bytesOf(1.0f))}}));
    CHECK(what() == "holds 2 checkpoints: x, y");
    folder.write("model.safetensors", shard({{"a", 1}}));
    CHECK(what() == "safetensors");
    folder.write("other.safetensors", shard({{"a", 1}}));
    CHECK(what() == "holds 2 checkpoints: model.safetensors, other.safetensors");
}
