#include "core/io/npz_write.h"
#include "tests/support/archive_writers.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_checks.h"

#include <doctest/doctest.h>

using namespace headloom;
using namespace headloom::testing;

TEST_CASE("an array of every type is read, in either byte order") {
    struct Case {
        const char* descr;
        std::string bytes;
        double value;
    };
    const std::vector<Case> cases = {{"<f8", bytesOf(0.5), 0.5},
                                     {"<f4", bytesOf(0.5f), 0.5},
                                     {">f4", std::string("\x3f\0\0\0", 4), 0.5},
                                     {">f8", std::string("\x3f\xe0\0\0\0\0\0\0", 8), 0.5},
                                     {"<f2", bytesOf<std::uint16_t>(0x3800), 0.5},
                                     {"|V2", bytesOf<std::uint16_t>(0x3f00), 0.5},
                                     {"<i8", bytesOf<std::int64_t>(-3), -3},
                                     {"<i4", bytesOf<std::int32_t>(-3), -3},
                                     {">i2", "\xff\xfd", -3},
                                     {"|i1", "\xfd", -3},
                                     {"|u1", "\xfd", 253},
                                     {"<u2", "\xfd\xff", 65533},
                                     {"<u4", bytesOf<std::uint32_t>(7), 7},
                                     {"<u8", bytesOf<std::uint64_t>(7), 7},
                                     {"|b1", "\x01", 1}};
    for (const Case& one : cases) {
        CAPTURE(one.descr);
        const auto source = opened(npyOf(one.descr, "(1,)", one.bytes), "folder/name.npy");
        CHECK(source->format() == "NumPy array");
        CHECK(numbersOf(*source, "name") == Numbers{one.value});
        CHECK(source->entries()[0].typeName == one.descr);
    }
    const auto complex = opened(npyOf("<c8", "(1,)", bytesOf(1.0)));
    CHECK_FALSE(complex->entries()[0].isReadable());
}

TEST_CASE("column-major arrays, scalars, long headers and Python 2's numbers are read") {
    const std::string six = bytesOf(std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(numbersOf(*opened(npyOf("<f4", "(2, 3)", six)), "f") == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(numbersOf(*opened(npyOf("<f4", "(2, 3)", six, true)), "f") == Numbers{0, 2, 4, 1, 3, 5});
    CHECK(numbersOf(*opened(npyOf("<f4", "(6,)", six, true)), "f") == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(numbersOf(*opened(npyOf("<f4", "()", six.substr(4, 4))), "f") == Numbers{1});
    CHECK(numbersOf(*opened(npyOf("<f4", "(2L, 1L)", six.substr(0, 8))), "f") == Numbers{0, 1});
    std::string version2 = npyOf("<f4", "(6,)", six);
    version2[6] = 2;
    version2.insert(10, 2, '\0');
    CHECK(numbersOf(*opened(version2), "f") == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("an archive of arrays, stored or deflated, names them by member") {
    const std::string six = bytesOf(std::vector<float>{0, 1, 2, 3, 4, 5});
    for (const bool deflate : {false, true}) {
        CAPTURE(deflate);
        const auto source =
            opened(zipOf({{"layer/w.npy", npyOf("<f4", "(2, 3)", six, true), deflate},
                          {"b.npy", npyOf("<f4", "(1,)", six.substr(8, 4)), deflate},
                          {"readme.txt", "hello", deflate}}));
        CHECK(source->format() == "NumPy archive");
        CHECK(namesOf(*source) == std::vector<std::string>{"layer/w", "b"});
        CHECK(numbersOf(*source, "layer/w") == Numbers{0, 2, 4, 1, 3, 5});
        CHECK(numbersOf(*source, "b") == Numbers{2});
        CHECK(source->warnings() ==
              std::vector<std::string>{"\"readme.txt\" is no array and was skipped"});
    }
    const auto large =
        opened(zipOf({{.name = "w.npy", .content = npyOf("<f4", "(6,)", six), .zip64 = true}}));
    CHECK(numbersOf(*large, "w") == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("files that NumPy wrote give their numbers") {
    const std::string folder = fixture("candle/");
    if (folder.empty()) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return;
    }
    const auto array = openTensorSource(folder + "test.npy").value();
    const auto archive = openTensorSource(folder + "test.npz").value();
    CHECK(namesOf(*archive) == std::vector<std::string>{"x", "x_plus_one"});
    const Numbers x = numbersOf(*archive, "x"), plusOne = numbersOf(*archive, "x_plus_one");
    CHECK(x == numbersOf(*array, "test"));
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(plusOne[i] == x[i] + 1);
}

TEST_CASE("arrays that are written are read again, and the same ones make the same file") {
    const TemporaryFolder folder;
    const std::vector<std::pair<std::string, Tensor>> tensors = {
        {"L0 M[1,0]", Tensor::of<float>({2, 3}, {1, -2, 3, 0.1f, 5, 6})},
        {"wide", Tensor::of<double>({1}, {0.1})},
        {"whole", Tensor::of<std::int32_t>({2, 1, 1}, {7, -8})}};
    const auto first = folder.path() / "a.npz", second = folder.path() / "b.npz";
    REQUIRE(writeNpz(first, tensors, "a note"));
    REQUIRE(writeNpz(second, tensors, "a note"));
    const auto source = openTensorSource(first);
    REQUIRE(source);
    CHECK((*source)->format() == "NumPy archive");
    CHECK(numbersOf(**source, "L0 M[1,0]") == Numbers{1, -2, 3, double(0.1f), 5, 6});
    CHECK(numbersOf(**source, "wide") == Numbers{0.1});
    CHECK(numbersOf(**source, "whole") == Numbers{7, -8});
    CHECK((*source)->find("whole")->shape == std::vector<std::int64_t>{2, 1, 1});
    CHECK((*source)->warnings().size() == 1);  // the note is no array
    const auto one = SourceFile::open(first), other = SourceFile::open(second);
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->text() == other->text());

    const auto twice = writeNpz(first, {tensors[1], tensors[1]}, "");
    REQUIRE_FALSE(twice);
    CHECK(twice.error().what == "\"wide\" would occur twice");
    CHECK_FALSE(writeNpz(folder.path() / "none" / "a.npz", tensors, ""));
}
