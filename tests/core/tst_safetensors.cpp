#include "core/io/safetensors.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace headloom;
using headloom::testing::contentsOf;
using headloom::testing::TemporaryFolder;

namespace {

std::string littleEndian(std::uint64_t number) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &number, 8);
    return bytes;
}
std::string fileOf(const std::string& header, const std::string& data = {}) {
    return littleEndian(header.size()) + header + data;
}
template <class T>
std::string bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
/// The sentence without the folder, which differs from run to run.
std::string sentenceOf(const TemporaryFolder& folder, const std::string& bytes) {
    const auto path = folder.write("f", bytes);
    const auto file = SafetensorsFile::open(path);
    if (file) return "";
    std::string text = file.error().sentence();
    const auto at = text.find(folder.path().string());
    return at == 0 ? text.substr(folder.path().string().size() + 1) : text;
}

struct Malformed {
    std::string bytes;
    const char* sentence;
};

}  // namespace

TEST_CASE("malformed files each give one sentence") {
    const TemporaryFolder folder;
    const std::string again = "; the file is damaged: download or save it again.";
    const std::string four(4, 'x'), eight(8, 'x');
    const std::vector<Malformed> files = {
        // not a safetensors file at all
        {"", "f: is empty; download or save it again."},
        {"abc", "f: is 3 bytes long, too short for a safetensors file; download or save it again."},
        {littleEndian(0), "f: is not a safetensors file; name a file that ends in .safetensors."},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
         "f: is a Git LFS pointer, not the file itself; run \"git lfs pull\" in its folder."},
        {"\n<!DOCTYPE html><html></html>",
         "f: is a web page; download the file itself, not the page that shows it."},
        {"<HTML><body></body></HTML>",
         "f: is a web page; download the file itself, not the page that shows it."},
        {"PK\x03\x04 and more",
         "f: is a zip archive, as PyTorch writes it; convert it to "
         "safetensors first."},
        {"GGUF and more", "f: is a GGUF file; convert it to safetensors first."},
        {"\x93NUMPY and more", "f: is a NumPy array file; convert it to safetensors first."},
        {"just some text", "f: is not a safetensors file; name a file that ends in .safetensors."},
        // the length of the header
        {littleEndian(3) + "{}",
         "f: is cut off: its header is 3 bytes long, but only 2 follow; "
         "download or save it again."},
        {littleEndian(100'000'001) + "{}",
         "f: its header claims 100000001 bytes, above the format's limit of 100000000; download or "
         "save it again."},
        {littleEndian(~0ull) + "{}",
         "f: its header claims 18446744073709551615 bytes, above the format's limit of 100000000; "
         "download or save it again."},
        // the text of the header
        {fileOf(" {}"), "f: is not a safetensors file; name a file that ends in .safetensors."},
        {fileOf("{}\n"), "f: its header is not one JSON object padded with spaces"},
        {fileOf("{"), "f: its header is not one JSON object padded with spaces"},
        {fileOf("{} {}"), "f: the header is not valid JSON at its byte 3"},
        {fileOf("{\"a\":}"), "f: the header is not valid JSON at its byte 5"},
        {fileOf("{\"\xff\":{}}"), "f: the header is not valid JSON at its byte 2"},
        {fileOf("{\"a\":[]}"), "f: \"a\" is a list, not an object"},
        {fileOf("{\"a\":null}"), "f: \"a\" is null, not an object"},
        {fileOf("{\"a\":1}"), "f: \"a\" is a number, not an object"},
        {fileOf("{\"__metadata__\":[]}"), "f: \"__metadata__\" is a list, not an object"},
        {fileOf("{\"__metadata__\":1}"), "f: \"__metadata__\" is a number, not an object"},
        {fileOf("{\"__metadata__\":{\"a\":\"1\",\"a\":\"1\"}}"), "f: the key \"a\" occurs twice"},
        {fileOf("{\"__metadata__\":{},\"__metadata__\":{}}"),
         "f: the key \"__metadata__\" occurs twice"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
         "f: the key \"a\" occurs twice"},
        {fileOf(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
         "f, tensor \"a\": the key \"dtype\" occurs twice"},
        {fileOf(R"({"a":{"shape":[0],"data_offsets":[0,0]}})"),
         "f, tensor \"a\": \"dtype\" is missing"},
        {fileOf(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})"),
         "f, tensor \"a\": \"shape\" is missing"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[0]}})"),
         "f, tensor \"a\": \"data_offsets\" is missing"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})"),
         "f, tensor \"a\": \"x\" is not a field of the format"},
        {fileOf(R"({"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}})"),
         "f, tensor \"a\": \"dtype\" holds a number"},
        {fileOf(R"({"a":{"dtype":"U8","shape":4,"data_offsets":[0,4]}})", four),
         "f, tensor \"a\": \"shape\" holds a number"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]}})", four),
         "f, tensor \"a\": \"shape\" holds a negative number"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4.0],"data_offsets":[0,4]}})", four),
         "f, tensor \"a\": \"shape\" holds a number that is not a whole one"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[[4]],"data_offsets":[0,4]}})", four),
         "f, tensor \"a\": \"shape\" holds a list"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0]}})", four),
         "f, tensor \"a\": \"data_offsets\" must be two numbers"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4,4]}})", four),
         "f, tensor \"a\": \"data_offsets\" has more than two numbers"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,4]}})",
                four),
         "f, tensor \"a\": a size of 18446744073709551615 is too large"},
        // where the tensors lie
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}})", four),
         "f, tensor \"a\": ends at byte 0 of the data, before its begin at 4"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", eight),
         "f, tensor \"a\": begins at byte 4 of the data, but 0 is the next free one"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                eight),
         "f, tensor \"b\": begins at byte 2 of the data, but 4 is the next free one"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                R"("b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                four),
         "f, tensor \"b\": begins at byte 0 of the data, but 4 is the next free one"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", four),
         "f, tensor \"a\": ends at byte 8 of the data, but the file is cut off at 4"},
        {fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", eight),
         "f: 4 bytes follow the last tensor"},
        {fileOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", four),
         "f, tensor \"a\": its type and shape need 8 bytes, but its offsets 0 to 4 span 4"},
        {fileOf(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,0]}})"),
         "f, tensor \"a\": its type and shape need 4 bytes, but its offsets 0 to 0 span 0"},
        {fileOf(R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", "xx"),
         "f, tensor \"a\": its elements do not fill whole bytes"},
        // 2^62 * 2^62 elements would wrap round to 0
        {fileOf(R"({"a":{"dtype":"U8","shape":[4611686018427387904,4611686018427387904],)"
                R"("data_offsets":[0,0]}})"),
         "f, tensor \"a\": its shape is too large for any file"},
    };
    for (const Malformed& file : files) {
        const std::string expected = file.sentence;
        CAPTURE(expected);
        CHECK(sentenceOf(folder, file.bytes) ==
              (expected.back() == '.' ? expected : expected + again));
    }
}

TEST_CASE("a file cut anywhere, or with any byte of its header changed, never crashes") {
    const TemporaryFolder folder;
    const std::string whole =
        fileOf(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
               std::string(4, 'x'));
    REQUIRE(SafetensorsFile::open(folder.write("whole", whole)));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_FALSE(SafetensorsFile::open(folder.write("cut", whole.substr(0, length))));
    for (std::size_t at = 0; at < whole.size() - 4; ++at)
        for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            const auto file = SafetensorsFile::open(folder.write("changed", changed));
            // What is still a file can still be read, or says why not.
            if (file)
                for (const auto& entry : file->entries()) file->read(entry, DType::f32);
        }
}

TEST_CASE("missing files, folders and pipes are named as such") {
    const TemporaryFolder folder;
    const auto missing = SafetensorsFile::open(folder / "no");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == Error::Kind::notFound);
    CHECK(missing.error().what == "there is no such file");
    CHECK(SafetensorsFile::open(folder.path()).error().what == "is a folder");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(SafetensorsFile::open(folder / "pipe").error().what == "is not a regular file");
}

TEST_CASE("what the format allows is read") {
    const TemporaryFolder folder;
    // Written out of order, with a scalar, an empty tensor, an unaligned float, padding, a type
    // of another format and a tensor of more axes than a Shape has.
    const float number = 1.5f;
    const std::string header =
        R"({"f":{"dtype":"F32","shape":[],"data_offsets":[1,5]},)"
        R"("u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
        R"("none":{"dtype":"F64","shape":[2,0],"data_offsets":[5,5]},)"
        R"("new":{"dtype":"Q4_0","shape":[3],"data_offsets":[5,8]},)"
        R"("deep":{"dtype":"U8","shape":[1,1,1,1,1,1,1],"data_offsets":[8,9]},)"
        R"("__metadata__":{"a":"1","b":"two"}}   )";
    const auto file = SafetensorsFile::open(
        folder.write("f", fileOf(header, "u" + bytesOf<float>({number}) + "nnn" + "d")));
    REQUIRE(file);
    CHECK(file->metadata().at("b") == "two");
    REQUIRE(file->entries().size() == 5);
    CHECK(file->entries().front().name == "u");
    CHECK(file->find("nothing") == nullptr);

    const auto scalar = file->read(*file->find("f"), DType::f32);
    REQUIRE(scalar);
    CHECK(scalar->shape().rank() == 0);
    CHECK(*scalar->data<float>() == 1.5f);
    CHECK(file->read(*file->find("none"), DType::f64)->shape() == Shape{2, 0});
    const auto unknown = file->read(*file->find("new"), DType::f32);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == Error::Kind::unsupported);
    CHECK(unknown.error().what == "is of type Q4_0");
    CHECK(file->bytes(*file->find("new")).size() == 3);
    CHECK(*file->read(*file->find("u"), DType::f32)->data<float>() == 'u');
    CHECK(file->read(*file->find("deep"), DType::f32).error().what == "has 7 axes");
}

TEST_CASE("metadata that is no text is left out, and the tensors are read") {
    const TemporaryFolder folder;
    const std::string tensor = R"(,"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
    const auto warnings = [&](const std::string& metadata) {
        const auto file = SafetensorsFile::open(
            folder.write("f", fileOf(R"({"__metadata__":)" + metadata + tensor, "x")));
        REQUIRE(file);
        REQUIRE(file->entries().size() == 1);
        return file->warnings();
    };
    using Sentences = std::vector<std::string>;
    CHECK(warnings("{}") == Sentences{});
    CHECK(warnings("null") == Sentences{"its metadata is null, not an object, and was left out"});
    CHECK(warnings(R"({"n":1})") ==
          Sentences{"left out of its metadata, as not text: 1 value, \"n\" first"});
    CHECK(warnings(
              R"({"n":1,"s":"1","o":{"a":[1,{"b":null}]},"l":[[]],"f":-0.5,"b":true,"z":null})") ==
          Sentences{"left out of its metadata, as not text: 6 values, \"n\" first"});
}

TEST_CASE("half and bfloat16 are exact") {
    const TemporaryFolder folder;
    // 1, -2, the largest half, the smallest subnormal, -0, infinity, not a number
    const std::vector<std::uint16_t> half = {0x3c00, 0xc000, 0x7bff, 0x0001,
                                             0x8000, 0x7c00, 0x7e00};
    const std::vector<std::uint16_t> brain = {0x3f80, 0xc000, 0x4049};  // 1, -2, 3.140625
    const auto file = SafetensorsFile::open(
        folder.write("f", fileOf(R"({"h":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},)"
                                 R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[14,20]}})",
                                 bytesOf(half) + bytesOf(brain))));
    REQUIRE(file);
    const auto h = file->read(*file->find("h"), DType::f64).value();
    const double* value = h.data<double>();
    CHECK(value[0] == 1);
    CHECK(value[1] == -2);
    CHECK(value[2] == 65504);
    CHECK(value[3] == std::ldexp(1.0, -24));
    CHECK((value[4] == 0 && std::signbit(value[4])));
    CHECK(value[5] == std::numeric_limits<double>::infinity());
    CHECK(std::isnan(value[6]));
    const auto b = file->read(*file->find("b"), DType::f32).value();
    CHECK(b.data<float>()[2] == 3.140625f);
}

TEST_CASE("writing is deterministic, aligned, sorted and survives a round trip") {
    const TemporaryFolder folder;
    const Tensor wide = Tensor::of<double>({2}, {1, 2});
    const Tensor narrow = Tensor::of<float>({1, 3}, {1, 2, 3});
    const Tensor empty = Tensor::host({0}, DType::f32);
    REQUIRE(writeSafetensors(folder / "one", {{"z", narrow}, {"a", empty}, {"m", wide}},
                             {{"k", "v \"quoted\""}}));
    REQUIRE(writeSafetensors(folder / "two", {{"m", wide}, {"a", empty}, {"z", narrow}},
                             {{"k", "v \"quoted\""}}));
    CHECK(contentsOf(folder / "one") == contentsOf(folder / "two"));

    const auto file = SafetensorsFile::open(folder / "one");
    REQUIRE(file);
    CHECK(file->entries()[0].name == "m");
    CHECK(file->entries()[1].name == "a");
    CHECK(file->metadata().at("k") == "v \"quoted\"");
    std::uint64_t header = 0;
    std::memcpy(&header, contentsOf(folder / "one").data(), 8);
    CHECK(header % 8 == 0);
    std::vector<std::pair<std::string, Tensor>> again;
    for (const auto& entry : file->entries())
        again.emplace_back(
            entry.name, file->read(entry, entry.dtype == "F64" ? DType::f64 : DType::f32).value());
    REQUIRE(writeSafetensors(folder / "three", again, file->metadata()));
    CHECK(contentsOf(folder / "one") == contentsOf(folder / "three"));
}

TEST_CASE("writing replaces whole files, leaves no temporary ones and says why it cannot") {
    const TemporaryFolder folder;
    const Tensor tensor = Tensor::of<float>({1}, {7});
    folder.write("real", "old");
    std::filesystem::create_symlink("real", folder / "link");
    REQUIRE(writeSafetensors(folder / "link", {{"t", tensor}}));
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(SafetensorsFile::open(folder / "real"));

    const auto nowhere = writeSafetensors(folder / "no" / "such", {{"t", tensor}});
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().kind == Error::Kind::ioFailure);
    CHECK(nowhere.error().what == "cannot be written (No such file or directory)");
    CHECK_FALSE(writeSafetensors(folder.path(), {{"t", tensor}}));
    CHECK_FALSE(writeSafetensors(folder / "twice", {{"t", tensor}, {"t", tensor}}));
    int files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
        ++files;
    CHECK(files == 2);
}
