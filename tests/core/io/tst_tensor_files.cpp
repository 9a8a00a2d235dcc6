#include "core/io/tensor_source.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace headloom;

namespace {

/// A listing over bytes in memory.
struct Listed {
    explicit Listed(std::string bytes)
        : text(std::make_shared<const std::string>(std::move(bytes))) {
        listing.format = "test";
        listing.files.push_back({"f", std::as_bytes(std::span(*text)), text});
    }
    TensorEntry& add(StoredType type, std::vector<std::int64_t> shape, std::uint64_t offset,
                     std::uint64_t bytes) {
        TensorEntry entry;
        entry.name = "t" + std::to_string(listing.entries.size());
        entry.type = type;
        entry.typeName = nameOf(type);
        entry.shape = std::move(shape);
        entry.offset = offset;
        entry.bytes = bytes;
        return listing.entries.emplace_back(std::move(entry));
    }
    std::string refusal() const {
        const auto source = TensorSource::of(listing);
        return source ? "" : source.error().where + ": " + source.error().what;
    }

    std::shared_ptr<const std::string> text;
    TensorListing listing;
};

template <class T>
std::string bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::vector<double> numbersOf(const TensorSource& source, const char* name) {
    const auto tensor = source.read(*source.find(name), DType::f64).value();
    return {tensor.values<double>().begin(), tensor.values<double>().end()};
}

std::vector<double> decoded(StoredType type, std::int64_t count, const std::string& bytes) {
    Listed file(bytes);
    file.add(type, {count}, 0, bytes.size());
    return numbersOf(*TensorSource::of(file.listing).value(), "t0");
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("every plain type is read as the number it is") {
    CHECK(decoded(StoredType::f64, 1, bytesOf<double>({0.1})) == Numbers{0.1});
    CHECK(decoded(StoredType::f32, 1, bytesOf<float>({0.1f})) == Numbers{0.1f});
    // one, the largest, the smallest normal, the smallest subnormal, minus zero, minus infinity
    CHECK(decoded(StoredType::f16, 6,
                  bytesOf<std::uint16_t>({0x3c00, 0x7bff, 0x0400, 0x0001, 0x8000, 0xfc00})) ==
          Numbers{1, 65504, 0x1p-14, 0x1p-24, -0.0, -INFINITY});
    CHECK(std::isnan(decoded(StoredType::f16, 1, bytesOf<std::uint16_t>({0x7c01}))[0]));
    // 0x0001 is the smallest subnormal of bfloat16 as of float32's upper half
    CHECK(decoded(StoredType::bf16, 3, bytesOf<std::uint16_t>({0x3f80, 0xff80, 0x0001})) ==
          Numbers{1, -INFINITY, 0x1p-133});
    CHECK(std::isnan(decoded(StoredType::bf16, 1, bytesOf<std::uint16_t>({0x7fc0}))[0]));
    // one, the largest, the smallest normal, the smallest subnormal, minus two
    CHECK(decoded(StoredType::f8e4m3, 5, "\x38\x7e\x08\x01\xc0") ==
          Numbers{1, 448, 0x1p-6, 0x1p-9, -2});
    CHECK(std::isnan(decoded(StoredType::f8e4m3, 2, "\x7f\xff")[0]));
    CHECK(std::isnan(decoded(StoredType::f8e4m3, 2, "\x7f\xff")[1]));
    CHECK(decoded(StoredType::f8e5m2, 5, "\x3c\x7b\x04\x01\xfc") ==
          Numbers{1, 57344, 0x1p-14, 0x1p-16, -INFINITY});
    CHECK(decoded(StoredType::i8, 2, "\x7f\x80") == Numbers{127, -128});
    CHECK(decoded(StoredType::u8, 2, "\x7f\x80") == Numbers{127, 128});
    CHECK(decoded(StoredType::boolean, 3, std::string("\0\1\2", 3)) == Numbers{0, 1, 1});
    CHECK(decoded(StoredType::i16, 1, "\xfe\xff") == Numbers{-2});
    CHECK(decoded(StoredType::u16, 1, "\xfe\xff") == Numbers{65534});
    CHECK(decoded(StoredType::i32, 1, "\xfe\xff\xff\xff") == Numbers{-2});
    CHECK(decoded(StoredType::u32, 1, "\xfe\xff\xff\xff") == Numbers{4294967294});
    CHECK(decoded(StoredType::i64, 1, bytesOf<std::int64_t>({-2})) == Numbers{-2});
    CHECK(decoded(StoredType::u64, 1, bytesOf<std::uint64_t>({1ull << 63})) == Numbers{0x1p63});
}

TEST_CASE("groups of int8 have a scale each, the last group may be short") {
    const std::string q("\x01\x02\xff", 3);
    Listed file(q + bytesOf<float>({0.5f, 4}));
    file.add(StoredType::i8Groups, {3}, 0, 11).groupSize = 2;
    CHECK(numbersOf(*TensorSource::of(file.listing).value(), "t0") == Numbers{0.5, 1, -4});
}

TEST_CASE("strides, a byte order and unaligned data are followed") {
    Listed file("x" + bytesOf<float>({0, 1, 2, 3, 4, 5}));
    file.add(StoredType::f32, {3, 2}, 1, 24).strides = {1, 3};
    file.add(StoredType::f32, {2, 3}, 5, 4).strides = {0, 0};
    file.add(StoredType::f32, {2}, 5, 20).strides = {4};
    file.add(StoredType::u16, {1}, 6, 2).bigEndian = true;
    const auto source = TensorSource::of(file.listing).value();
    CHECK(numbersOf(*source, "t0") == Numbers{0, 3, 1, 4, 2, 5});
    CHECK(numbersOf(*source, "t1") == Numbers{1, 1, 1, 1, 1, 1});
    CHECK(numbersOf(*source, "t2") == Numbers{1, 5});
    // 1.0f is 00 00 80 3f
    CHECK(numbersOf(*source, "t3") == Numbers{0x0080});

    const auto reader = source->reader(*source->find("t0")).value();
    std::vector<float> middle(3);
    reader.read(2, std::span(middle));
    CHECK(middle == std::vector<float>{1, 4, 2});
}

TEST_CASE("an entry that its file does not bear out is refused") {
    const auto refusal = [](auto change) {
        Listed file(std::string(64, 'x'));
        TensorEntry& entry = file.add(StoredType::f32, {4, 4}, 0, 64);
        change(entry);
        return file.refusal();
    };
    CHECK(refusal([](TensorEntry&) {}) == "");
    CHECK(refusal([](TensorEntry& e) { e.offset = 1; }) ==
          "f, tensor \"t0\": takes 64 bytes from byte 1 on, but the file ends at 64");
    CHECK(
        refusal([](TensorEntry& e) { e.offset = ~0ull; }) ==
        "f, tensor \"t0\": takes 64 bytes from byte 18446744073709551615 on, but the file ends at "
        "64");
    CHECK(refusal([](TensorEntry& e) { e.bytes = 63; }) ==
          "f, tensor \"t0\": its type and shape need 64 bytes, but 63 are stored");
    CHECK(refusal([](TensorEntry& e) {
              e.shape = {1ll << 62, 1ll << 62};
          }) == "f, tensor \"t0\": its shape is too large for any file");
    CHECK(refusal([](TensorEntry& e) {
              e.shape = {1ll << 62, 0, 1ll << 62};
          }) == "f, tensor \"t0\": its shape is too large for any file");
    CHECK(refusal([](TensorEntry& e) { e.strides = {4}; }) ==
          "f, tensor \"t0\": has 2 axes but 1 strides");
    CHECK(refusal([](TensorEntry& e) {
              e.strides = {4, -1};
          }) == "f, tensor \"t0\": its strides step backwards or beyond any file");
    CHECK(refusal([](TensorEntry& e) {
              e.strides = {1ll << 62, 1ll << 62};
          }) == "f, tensor \"t0\": its strides step backwards or beyond any file");
    CHECK(refusal([](TensorEntry& e) {
              e.strides = {5, 1};
          }) == "f, tensor \"t0\": its type and shape need 76 bytes, but 64 are stored");
    CHECK(refusal([](TensorEntry& e) { e.type = StoredType::q8_0; }) ==
          "f, tensor \"t0\": its rows of 4 elements are no whole blocks of 32");
    CHECK(refusal([](TensorEntry& e) { e.type = StoredType::i8Groups; }) ==
          "f, tensor \"t0\": its groups are empty");
    CHECK(refusal([](TensorEntry& e) { e.shape = {0, 4}; }) == "");

    Listed twice(std::string(4, 'x'));
    twice.add(StoredType::u8, {1}, 0, 1).name = "w";
    twice.add(StoredType::u8, {1}, 1, 1).name = "w";
    CHECK(twice.refusal() == "f, tensor \"w\": occurs twice");
}

TEST_CASE("what would take far more memory than is stored is not read") {
    Listed file(std::string(8, 'x'));
    file.add(StoredType::u8, {1ll << 30}, 0, 1).strides = {0};
    file.add(StoredType::other, {1}, 0, 8).typeName = "Q2_K";
    const auto source = TensorSource::of(file.listing).value();
    CHECK(source->read(*source->find("t0"), DType::f32).error().what ==
          "would take 4294967296 bytes of memory, but only 1 are stored");
    CHECK(source->read(*source->find("t1"), DType::f32).error().sentence() ==
          "f, tensor \"t1\": is of type Q2_K, which is listed but not read; convert it to F32, F16 "
          "or BF16.");
}

TEST_CASE("host tensors make a source") {
    const auto source =
        sourceOfTensors({{"a", Tensor::of<float>({2}, {1, 2})}, {"b", Tensor::of<double>({}, {3})}},
                        {{"key", "value"}});
    CHECK(numbersOf(*source, "a") == Numbers{1, 2});
    CHECK(numbersOf(*source, "b") == Numbers{3});
    CHECK(source->metadata().at("key") == "value");
    CHECK(source->find("c") == nullptr);
}
