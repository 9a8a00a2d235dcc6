// Bytes that were made to do harm: changed seeds of every fuzz target, and files whose size says
// little about the memory they ask for.
#include "core/io/tokenizers/tokenizer_files.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/tokenizer_targets.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/tensor_checks.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

using namespace headloom;
using namespace headloom::testing;
using pickle::archive;
using pickle::dict;
using pickle::global;
using pickle::tensor;

namespace {

/// Bytes in use, and the most there were since the last reset.
std::atomic<std::int64_t> inUse{0}, mostInUse{0};

[[maybe_unused]] void count(std::int64_t bytes) {
    const std::int64_t now = inUse += bytes;
    std::int64_t most = mostInUse;
    while (now > most && !mostInUse.compare_exchange_weak(most, now)) continue;
}

}  // namespace

// The sanitizers bring their own, and there the numbers would be theirs.
#ifndef __SANITIZE_ADDRESS__
constexpr bool isCounting = true;
void* operator new(std::size_t size) {
    void* memory = std::malloc(size);
    if (!memory) throw std::bad_alloc();
    count(static_cast<std::int64_t>(::malloc_usable_size(memory)));
    return memory;
}
void operator delete(void* memory) noexcept {
    if (memory) count(-static_cast<std::int64_t>(::malloc_usable_size(memory)));
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}
#else
constexpr bool isCounting = false;
#endif

namespace {

constexpr std::int64_t MiB = 1 << 20;

/// The most memory that opening the bytes and reading all their tensors took at any moment, the
/// bytes themselves not counted.
std::int64_t peakOf(const std::string& bytes) {
    const SourceFile file = {"f", std::as_bytes(std::span(bytes)), nullptr};
    const std::int64_t before = inUse;
    mostInUse = before;
    if (const auto source = openTensorSource(file))
        for (const TensorEntry& entry : (*source)->entries()) {
            (void)(*source)->read(entry, DType::f32);
            (void)(*source)->reader(entry);
        }
    return mostInUse - before;
}

std::string repeated(const std::string& piece, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += piece;
    return all;
}

const std::string matrix = tensor({.elements = 6, .size = {2, 3}, .stride = {3, 1}});
const std::string storage(24, 'x');

struct Hostile {
    const char* what;
    std::string bytes;
};

std::vector<Hostile> hostileFiles() {
    const std::size_t large = 900'000;
    std::string numbered = "}(", indexed, selfHolding = "}q\x01(";
    for (int i = 0; numbered.size() < large; ++i) numbered += pickle::integer(i) + "]";
    for (int i = 0; indexed.size() < large; ++i)
        indexed += "r" + bytesOf(0xffffffffu - static_cast<std::uint32_t>(i));
    for (int i = 0; selfHolding.size() < large / 4; ++i)
        selfHolding += pickle::integer(i) + "h\x01";
    std::string shapes = "{";
    for (int i = 0; shapes.size() < large; ++i)
        shapes += (i ? ",\"" : "\"") + std::to_string(i) +
                  "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
    std::string metadata = "{\"__metadata__\":{\"a\":\"\"";
    for (int i = 0; metadata.size() < large; ++i) metadata += ",\"" + std::to_string(i) + "\":1";
    std::vector<ZipPart> members;
    const std::string zeros = npyOf("<f4", "(30000,)", std::string(120'000, '\0'));
    for (int i = 0; i < 2000; ++i) members.push_back({std::to_string(i) + ".npy", zeros, true});

    return {
        {"empty lists", archive(repeated("]", large))},
        {"marks", archive(repeated("(", large))},
        {"nested tuples", archive("N" + repeated("\x85", large))},
        {"memo entries far apart", archive("N" + indexed)},
        {"a dict of lists", archive(numbered + "u", {storage})},
        {"a dict that holds itself a thousand times", archive(selfHolding + "u")},
        {"one tensor in a list a thousand times",
         archive("](" + matrix + "q\x02" + repeated("h\x02", large) + "e", {storage})},
        {"a list of numbers in a list a thousand times",
         archive("](](" + repeated("K\x01", large / 2) + "eq\x02" + repeated("h\x02", large / 2) +
                 "e")},
        {"an OrderedDict of the same pairs again and again",
         archive("](](" + repeated("NN\x86", large / 2) + "e\x85q\x02" +
                 repeated(global("collections", "OrderedDict") + "h\x02R", large / 2) + "e")},
        {"a long name of a thousand globals",
         archive("](" + pickle::text(std::string(large / 2, 'n')) + "q\x02" +
                 repeated("h\x02h\x02\x93)\x81", large / 2) + "e")},
        {"a long text as metadata a thousand times",
         archive(dict({{"w", matrix}}) + "(" + pickle::text("x") +
                     pickle::text(std::string(large / 2, 'n')) + "q\x02" + "u" + "(" +
                     repeated(pickle::text("k") + "h\x02", large / 3) + "u",
                 {storage})},
        {"a pickle that inflates a thousandfold",
         zipOf({{"a/data.pkl", std::string(32 * MiB, ']'), true}})},
        {"a storage that inflates a thousandfold",
         archive(dict({{"w", tensor({.elements = 20 * MiB, .size = {20 * MiB}, .stride = {1}})}}),
                 {std::string(80 * MiB, '\0')}, true)},
        {"a tensor of one element repeated",
         archive(dict({{"w", tensor({.elements = 6, .size = {1ll << 30}, .stride = {0}})}}),
                 {storage})},
        {"arrays that inflate a hundredfold", zipOf(members)},
        {"a header of empty tensors", safetensorsOf(shapes + "}")},
        {"a header of numbers as metadata", safetensorsOf(metadata + "}}")},
        {"a header of brackets", safetensorsOf("{\"a\":" + repeated("[", large) + "}")},
        {"a header of a million entries on the same bytes",
         safetensorsOf(
             repeated("{\"a\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]},", large))},
    };
}

}  // namespace

TEST_CASE("no change of a valid file makes a reader crash") {
    for (const FuzzTarget& target : fuzzTargets()) {
        CAPTURE(target.name);
        CHECK(runMutations(target, 3000) > 3000);
    }
}

TEST_CASE("the seeds of the fuzz targets are valid, so that a change meets every reader") {
    for (const FuzzTarget& target : fuzzTargets()) {
        CAPTURE(target.name);
        const std::string name = target.name;
        for (const std::string& seed : target.seeds()) {
            if (name == "shard_index" || name.starts_with("tokenizer_")) continue;
            CHECK(refusalOf(name == "pickle"
                                ? zipOf({{"archive/data.pkl", seed}, {"archive/data/0", storage}})
                                : seed) == "");
        }
    }
}

TEST_CASE("the seeds of tokenizers are valid, and read text") {
    const auto check = [](const TokenizerResult& tokenizer) {
        REQUIRE_MESSAGE(tokenizer, tokenizer.error().sentence());
        CHECK((*tokenizer)->idsOnlyReason() == "");
    };
    const auto asFile = [](const std::string& seed) {
        return SourceFile{"seed", std::as_bytes(std::span(seed)), nullptr};
    };
    for (const std::string& seed : ggufSeeds())
        check(readGgufTokenizer(GgufFile::parse(asFile(seed)).value()));
    for (const std::string& seed : tokenizerPairSeeds())
        check(readTokenizerPair(std::as_bytes(std::span(seed))));
    for (const std::string& seed : tokenizerJsonSeeds()) check(readTokenizerJson(asFile(seed)));
    for (const std::string& seed : tokenizerBinSeeds()) check(readLlama2cTokenizer(asFile(seed)));
}

TEST_CASE("a hostile file of 1 MB never takes 256 MB of memory") {
    for (const Hostile& file : hostileFiles()) {
        CAPTURE(file.what);
        REQUIRE(static_cast<std::int64_t>(file.bytes.size()) < MiB + 1000);
        const std::int64_t peak = peakOf(file.bytes);
        CHECK(peak < 256 * MiB);
        if (isCounting) CHECK(peak > 0);
    }
}
