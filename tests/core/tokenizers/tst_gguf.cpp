#include "core/io/gguf_file.h"
#include "core/io/tensor_source.h"
#include "tests/support/gguf_writer.h"

#include <doctest/doctest.h>

#include <cstring>
#include <functional>

#include "tokenizer_support.h"

using namespace headloom;
using headloom::testing::asFile;
using headloom::testing::GgufWriter;

namespace {

/// The sentence with which a file is refused; empty for one that is read.
std::string sentenceOf(const std::string& bytes) {
    const auto file = GgufFile::parse(asFile(bytes));
    return file ? "" : file.error().sentence();
}

constexpr const char* again = "; the file is damaged: download or save it again.";

struct Malformed {
    std::string bytes;
    std::string sentence;  ///< without the remedy for damage
};

constexpr std::uint64_t huge = std::uint64_t{1} << 63;

/// One key and its value, written by hand.
std::string oneKey(const std::function<void(GgufWriter&)>& value) {
    GgufWriter writer;
    writer.header(3, 0, 1);
    value(writer);
    return writer.bytes;
}

/// One F32 tensor "t", as the arguments say, with as much data as given.
std::string oneTensor(std::vector<std::uint64_t> dims, std::uint32_t type, std::uint64_t offset,
                      std::size_t dataBytes) {
    GgufWriter writer;
    writer.header(3, 1, 0);
    writer.tensor("t", std::move(dims), type, offset);
    writer.pad();
    writer.bytes += std::string(dataBytes, '\0');
    return writer.bytes;
}

std::string twoTensors(const char* second, std::uint64_t secondOffset) {
    GgufWriter writer;
    writer.header(3, 2, 0);
    writer.tensor("t", {1}, 0, 0);
    writer.tensor(second, {1}, 0, secondOffset);
    writer.pad();
    writer.bytes += std::string(64, '\0');
    return writer.bytes;
}

std::string withAlignment(std::uint32_t type, std::uint32_t alignment) {
    return oneKey([=](GgufWriter& writer) {
        writer.text("general.alignment");
        writer.number(type);
        writer.number(alignment);
    });
}

}  // namespace

TEST_CASE("a malformed GGUF file is refused with a sentence that names what is wrong") {
    const auto header = [](std::uint32_t version, std::uint64_t nTensors, std::uint64_t nKeys) {
        GgufWriter writer;
        writer.header(version, nTensors, nKeys);
        return writer.bytes;
    };
    const auto keyOfType = [](std::uint32_t type, const std::string& after) {
        return oneKey([&](GgufWriter& writer) {
            writer.text("k");
            writer.number(type);
            writer.bytes += after;
        });
    };
    std::string deep;
    for (int i = 0; i < 20; ++i) deep += std::string("\x09\0\0\0\x01\0\0\0\0\0\0\0", 12);
    const Malformed files[] = {
        // header
        {"GGML and more", "f: is not a GGUF file; name a file that ends in .gguf."},
        {"", "f: is not a GGUF file; name a file that ends in .gguf."},
        {"GGUF\3\0", "f: is cut off in its header"},
        {header(0, 0, 0), "f: is a GGUF file of version 0, which does not exist"},
        {header(1, 0, 0),
         "f: is a GGUF file of version 1, which nobody writes any more; convert the model again "
         "with a current converter."},
        {header(4, 0, 0),
         "f: is a GGUF file of version 4, but 2 and 3 are read; use a newer Headloom, or convert "
         "it to version 3."},
        {header(0x03000000, 0, 0),
         "f: is a big-endian GGUF file; convert it to little-endian with gguf-py's "
         "gguf_convert_endian.py."},
        {header(3, huge, 0), "f: claims 9223372036854775808 tensors, but only 8 bytes follow"},
        {header(3, 0, huge), "f: claims 9223372036854775808 keys, but only 0 bytes follow"},
        {header(3, 0, 0).substr(0, 20),
         "f: needs 8 bytes from byte 16 on, but the file ends at 20"},
        // keys
        {oneKey([](GgufWriter& writer) { writer.number(huge).number(huge); }),
         "f, key 0: claims 9223372036854775808 bytes of text at byte 24, but only 8 follow"},
        {oneKey([](GgufWriter& writer) { writer.text(std::string(65536, 'k')); }),
         "f, key 0: claims 65536 bytes of text at byte 24, but 65535 are allowed"},
        {keyOfType(13, "12345678"), "f, key \"k\": has the unknown value type 13 at byte 33"},
        {keyOfType(10, "123"),
         "f, key \"k\": needs 8 bytes from byte 37 on, but the file ends at 40"},
        {keyOfType(8, std::string("\xFF\0\0\0\0\0\0\0x", 9)),
         "f, key \"k\": claims 255 bytes of text at byte 37, but only 1 follow"},
        // an array of 2^63 numbers, of 2^63 strings, of things of no known type; one cut off
        {keyOfType(9, std::string("\4\0\0\0\0\0\0\0\0\0\0\x80", 12)),
         "f, key \"k\": claims 9223372036854775808 values from byte 49 on, but only 0 bytes "
         "follow"},
        {keyOfType(9, std::string("\x08\0\0\0\0\0\0\0\0\0\0\x80", 12)),
         "f, key \"k\": claims 9223372036854775808 values from byte 49 on, but only 0 bytes "
         "follow"},
        {keyOfType(9, std::string("\x63\0\0\0\1\0\0\0\0\0\0\0", 12)),
         "f, key \"k\": has the unknown value type 99 at byte 37"},
        {keyOfType(9, std::string("\4\0\0\0\2\0\0\0\0\0\0\0abcd", 16)),
         "f, key \"k\": claims 2 values from byte 49 on, but only 4 bytes follow"},
        {keyOfType(9, deep), "f, key \"k\": nests arrays more than 8 deep at byte 133"},
        {oneKey([](GgufWriter& writer) {
             writer.bytes[16] = 2;  // two keys
             writer.text("k").number<std::uint32_t>(0).number<std::uint8_t>(1);
             writer.text("k").number<std::uint32_t>(0).number<std::uint8_t>(1);
         }),
         "f, key \"k\": occurs twice"},
        {withAlignment(4, 13),
         "f, key \"general.alignment\": is 13 (u32), but must be a power of two (u32)"},
        {withAlignment(4, 0),
         "f, key \"general.alignment\": is 0 (u32), but must be a power of two (u32)"},
        {withAlignment(5, 32),
         "f, key \"general.alignment\": is 32 (i32), but must be a power of two (u32)"},
        // tensors
        {oneTensor({1, 1, 1, 1, 1}, 0, 0, 32), "f, tensor \"t\": has 5 axes, but 4 are allowed"},
        {oneTensor({~0ull}, 0, 0, 32),
         "f, tensor \"t\": has an axis of 18446744073709551615 elements"},
        // 2^32 * 2^32 elements would wrap round to 0
        {oneTensor({1ull << 32, 1ull << 32}, 0, 0, 32),
         "f, tensor \"t\": its shape is too large for any file"},
        {oneTensor({1ull << 62}, 0, 0, 32), "f, tensor \"t\": its shape is too large for any file"},
        {oneTensor({8}, 0, 0, 31),
         "f, tensor \"t\": takes 32 bytes from byte 0 of the data on, but the file ends at its "
         "byte 31"},
        {oneTensor({8}, 0, 16, 96),
         "f, tensor \"t\": begins at byte 16 of the data, but 0 is the next free multiple of 32"},
        {oneTensor({8}, 0, 32, 96),
         "f, tensor \"t\": begins at byte 32 of the data, but 0 is the next free multiple of 32"},
        {oneTensor({8}, 0, huge, 96),
         "f, tensor \"t\": begins at byte 9223372036854775808 of the data, but 0 is the next free "
         "multiple of 32"},
        {oneTensor({33}, 8, 0, 96),
         "f, tensor \"t\": its rows of 33 elements are no whole blocks of 32 (Q8_0)"},
        {twoTensors("t", 32), "f, tensor \"t\": occurs twice"},
        {twoTensors("u", 4),
         "f, tensor \"u\": begins at byte 4 of the data, but 32 is the next free multiple of 32"},
        {twoTensors("u", 64),
         "f, tensor \"u\": begins at byte 64 of the data, but 32 is the next free multiple of 32"},
        {twoTensors(std::string(65, 'n').c_str(), 32),
         "f, tensor 1: claims 65 bytes of text at byte 57, but 64 are allowed"},
        {twoTensors("u", 32).substr(0, 80),
         "f, tensor \"u\": needs 4 bytes from byte 78 on, but the file ends at 80"},
        {oneTensor({8}, 0, 0, 32).substr(0, 58),
         "f: its data would begin at byte 64, but the file ends at 58"},
    };
    for (const Malformed& file : files) {
        const std::string& expected = file.sentence;
        CAPTURE(expected);
        CHECK(sentenceOf(file.bytes) == (expected.back() == '.' ? expected : expected + again));
    }
}

TEST_CASE("values of every type are what they are, and nothing else") {
    GgufWriter writer;
    writer.header(2, 0, 16);
    writer.text("u8").number<std::uint32_t>(0).number<std::uint8_t>(200);
    writer.text("i8").number<std::uint32_t>(1).number<std::int8_t>(-3);
    writer.text("u16").number<std::uint32_t>(2).number<std::uint16_t>(60000);
    writer.text("i16").number<std::uint32_t>(3).number<std::int16_t>(-300);
    writer.key("u32", 4000000000u);
    writer.text("i32").number<std::uint32_t>(5).number<std::int32_t>(-5);
    writer.text("f32").number<std::uint32_t>(6).number(1e-5f);
    writer.flag("bool", true);
    writer.key("text", "a \"b\"");
    writer.text("u64").number<std::uint32_t>(10).number(~std::uint64_t{0});
    writer.text("i64").number<std::uint32_t>(11).number<std::int64_t>(-1);
    writer.text("f64").number<std::uint32_t>(12).number(0.1);
    writer.key("texts", std::vector<std::string>{"x", "", "yz"});
    writer.key("ints", std::vector<std::int32_t>{1, -2});
    // an array of an empty array of strings and an array of one u8
    writer.text("nested").number<std::uint32_t>(9).number<std::uint32_t>(9).number<std::uint64_t>(
        2);
    writer.number<std::uint32_t>(8).number<std::uint64_t>(0);
    writer.number<std::uint32_t>(0).number<std::uint64_t>(1).number<std::uint8_t>(7);
    writer.key("floats", std::vector<float>{0.5f});
    const auto file = GgufFile::parse(asFile(writer.bytes)).value();
    CHECK(file.version() == 2);
    REQUIRE(file.keys().size() == 16);
    const auto at = [&file](const char* key) { return *file.find(key); };
    CHECK(at("u8").integer() == 200);
    CHECK(at("i8").integer() == -3);
    CHECK(at("u16").integer() == 60000);
    CHECK(at("i16").integer() == -300);
    CHECK(at("u32").integer() == 4000000000);
    CHECK(at("i32").number() == -5.0);
    CHECK_FALSE(at("f32").integer());
    CHECK(at("f32").number() == double(1e-5f));
    CHECK(at("bool").boolean() == true);
    CHECK_FALSE(at("bool").integer());
    CHECK_FALSE(at("u8").boolean());
    CHECK(at("text").text() == "a \"b\"");
    CHECK_FALSE(at("text").number());
    CHECK_FALSE(at("u64").integer());  // no int64
    CHECK(at("u64").line() == "18446744073709551615");
    CHECK(at("i64").integer() == -1);
    CHECK(at("f64").line() == "0.1");
    CHECK(at("f32").line() == "1e-05");
    CHECK(at("texts").texts() == std::vector<std::string_view>{"x", "", "yz"});
    CHECK(at("texts").line() == "[3 strings]");
    CHECK_FALSE(at("texts").integers());
    CHECK(at("ints").integers() == std::vector<std::int64_t>{1, -2});
    CHECK(at("ints").numbers() == std::vector<double>{1, -2});
    CHECK(at("ints").line() == "[1, -2]");
    CHECK_FALSE(at("ints").integer());
    CHECK_FALSE(at("ints").texts());
    CHECK(at("floats").numbers() == std::vector<double>{0.5});
    CHECK_FALSE(at("floats").integers());
    CHECK(at("nested").line() == "[2 arrays]");
    CHECK_FALSE(at("nested").numbers());
    CHECK(file.find("none") == nullptr);
}

TEST_CASE("tensors lie behind the common layer, their axes as PyTorch has them") {
    GgufWriter writer;
    writer.header(3, 5, 2);
    writer.key("general.alignment", 64u).key("general.architecture", "llama");
    writer.tensor("f32", {3, 2}, 0, 0);     // 24 bytes
    writer.tensor("q8_0", {32, 1}, 8, 64);  // 34 bytes
    writer.tensor("q4_k", {256}, 12, 128);  // 144 bytes
    writer.tensor("new", {4}, 4711, 320);   // of unknown length
    writer.tensor("scalar", {}, 0, 384);
    writer.pad(64);
    const std::size_t begin = writer.bytes.size();
    for (int i = 0; i < 6; ++i) writer.number(float(i));
    writer.pad(64).number<std::uint16_t>(0x3800);  // a scale of one half
    for (int i = 0; i < 32; ++i) writer.number<std::int8_t>(static_cast<std::int8_t>(i - 16));
    writer.bytes.resize(begin + 384);
    writer.number(7.5f);

    const auto source = openTensorSource(asFile(writer.bytes)).value();
    CHECK(source->format() == "GGUF, version 3");
    CHECK(source->metadata().at("general.architecture") == "llama");
    CHECK(source->metadata().at("general.alignment") == "64");
    REQUIRE(source->entries().size() == 5);
    const TensorEntry& f32 = *source->find("f32");
    CHECK(f32.shape == std::vector<std::int64_t>{2, 3});
    CHECK(f32.offset == begin);
    const Tensor values = source->read(f32, DType::f32).value();
    CHECK(values.data<float>()[4] == 4.0f);
    const Tensor quantised = source->read(*source->find("q8_0"), DType::f32).value();
    CHECK(quantised.data<float>()[0] == -8.0f);
    CHECK(quantised.data<float>()[31] == 7.5f);
    CHECK(*source->read(*source->find("scalar"), DType::f32).value().data<float>() == 7.5f);

    // What is not read is listed, named and said to be so.
    const TensorEntry& later = *source->find("new");
    CHECK(later.typeName == "number 4711");
    CHECK(later.bytes == 64);
    const auto refused = source->read(*source->find("q4_k"), DType::f32);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == Error::Kind::unsupported);
    CHECK(refused.error().what == "is of type Q4_K, which is listed but not read");
}

TEST_CASE("tensors without elements are listed") {
    GgufWriter writer;
    writer.header(3, 2, 0);
    writer.tensor("none", {0, 2}, 0, 0).tensor("one", {1}, 0, 0);
    writer.pad().number(1.0f);
    const auto file = GgufFile::parse(asFile(writer.bytes)).value();
    CHECK(file.tensors()[0].bytes == 0);
    CHECK(file.tensors()[1].bytes == 4);
}

TEST_CASE("a GGUF file cut anywhere, or with any bit changed, never crashes") {
    GgufWriter writer;
    writer.header(3, 2, 2);
    writer.key("k", std::vector<std::string>{"a", "bc"}).key("n", 7u);
    writer.tensor("q", {32}, 8, 0).tensor("f", {2, 2}, 0, 64);
    writer.pad();
    writer.bytes += std::string(64 + 16, '\x11');
    REQUIRE(openTensorSource(asFile(writer.bytes)));
    for (std::size_t length = 0; length < writer.bytes.size(); ++length)
        CHECK_FALSE(openTensorSource(asFile(writer.bytes.substr(0, length))));
    for (std::size_t at = 0; at < writer.bytes.size(); ++at)
        for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
            std::string changed = writer.bytes;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            const auto source = openTensorSource(asFile(changed));
            if (!source) continue;
            for (const TensorEntry& entry : (*source)->entries())
                (*source)->read(entry, DType::f32);
        }
}
