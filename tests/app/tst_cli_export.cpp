#include "core/io/tensor_source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;

namespace {

std::string textOf(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a head's tiles as a picture, as a table and as tensors") {
    const TemporaryFolder folder;
    const auto written = [&](const std::string& name, std::vector<std::string> more = {}) {
        const std::string path = folder.path() / name;
        std::vector<std::string> arguments = {
            "export", "look-back-bank-iha", "--part", "L0H1", "-o", path};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Ended ended = cli(arguments);
        CHECK(ended.code == 0);
        CHECK(ended.err.empty());
        return path;
    };
    const std::string svg = textOf(written("a.svg"));
    for (const char* part : {"L0H1.q0k0", "L0H1.q1k1", "weights crc32", "from token", "Tokens: "})
        CHECK_MESSAGE(contains(svg, part), part);
    CHECK_FALSE(contains(svg, "Switched off"));
    const std::string off = textOf(written("b.svg", {"--off", "L0H0.q1"}));
    CHECK(contains(off, "Switched off: L0H0.q1: zero"));

    const auto table = lines(textOf(written("a.csv")));
    CHECK(table.size() == 1 + 4 * 16 * 17 / 2);  // four tiles of 16 tokens, no future

    const std::string tensors = written("a.safetensors");
    const auto file = SafetensorsFile::open(tensors);
    REQUIRE(file);
    REQUIRE(file->entries().size() == 4);
    CHECK(file->entries()[0].name == "L0H1.q0k0");
    CHECK(file->entries()[0].shape == std::vector<std::int64_t>{16, 16});
    CHECK(contains(file->metadata().at("headloom.provenance"), "look-back-bank-iha"));
    const auto map = file->read(file->entries()[0], DType::f32);
    REQUIRE(map);
    CHECK(contains(table[1], std::to_string(map->data<float>()[0]).substr(0, 6)));

    const auto opened = openTensorSource(written("a.npz"));
    REQUIRE(opened);
    const TensorSource& archive = **opened;
    const TensorEntry* same = archive.find("L0H1.q0k0");
    REQUIRE(same);
    CHECK(same->shape == std::vector<std::int64_t>{16, 16});
    const auto again = archive.read(*same, DType::f32);
    REQUIRE(again);
    CHECK(std::equal(again->data<float>(), again->data<float>() + 256, map->data<float>()));
    CHECK(contains(textOf(written("b.npz")), "weights crc32"));  // the note, stored as it is

    CHECK(contains(textOf(written("c.svg", {"--effective"})), "L0 M[1,0]"));
}

TEST_CASE("what cannot be exported") {
    const auto sentence = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"export", "relations-iha"});
        const Ended ended = cli(arguments);
        CHECK(ended.code == 2);
        return ended.err;
    };
    CHECK(contains(sentence({"-o", "x.pdf"}), "end it in .svg"));
    CHECK(contains(sentence({"-o", "/nonexistent/x.svg"}), "cannot be written"));
    CHECK(contains(sentence({"-o", "x.svg", "--part", "L0H0[1,1]"}), "no part that has maps"));
    CHECK(contains(sentence({"-o", "x.svg", "--part", "L7"}), "there is no layer 7"));
    CHECK(contains(sentence({"-o", "x.svg", "--part", "L0H0.q0k0", "--effective"}), "no tiles"));
}
