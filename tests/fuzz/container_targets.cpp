#include "tests/fuzz/container_targets.h"

#include "core/io/shard_index.h"
#include "core/io/tensor_source.h"
#include "tests/support/llama2c_writer.h"
#include "tests/support/pickle_writer.h"

#include <algorithm>

namespace headloom::testing {

namespace {

using pickle::archive;
using pickle::dict;
using pickle::tensor;

const std::string six = bytesOf(std::vector<float>{0, 1, 2, 3, 4, 5});

/// What opened is read to its end: as a copy, and in pieces from the back.
void readAll(const TensorSource& source) {
    for (const TensorEntry& entry : source.entries()) {
        (void)source.read(entry, DType::f64);
        const auto reader = source.reader(entry);
        if (!reader || reader->count() == 0) continue;
        float last[3];
        const std::int64_t tail = std::min<std::int64_t>(reader->count(), 3);
        reader->read(reader->count() - tail, std::span(last, static_cast<std::size_t>(tail)));
    }
}

void openAll(SourceFile file) {
    if (const auto source = openTensorSource(file)) readAll(**source);
}

std::string stateDict() {
    return dict({{"_orig_mod.w", tensor({.elements = 6, .size = {2, 3}, .stride = {3, 1}})},
                 {"part", tensor({.elements = 6, .offset = 2, .size = {2}, .stride = {3}})}});
}

std::string trainersDict() {
    return dict({{"model", stateDict()},
                 {"model_args", dict({{"n_layer", pickle::integer(2)},
                                      {"dropout", pickle::real(0.5)},
                                      {"betas", pickle::list({"N", "\x88"})}})},
                 {"args", pickle::global("argparse", "Namespace") + ")\x81" + dict({}) + "b"}});
}

}  // namespace

void openContainer(std::span<const std::byte> bytes) {
    openAll({"fuzz", bytes, nullptr});
}

void openPickle(std::span<const std::byte> bytes) {
    const auto kept = std::make_shared<const std::string>(
        zipOf({{"archive/data.pkl",
                std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())},
               {"archive/data/0", six}}));
    openAll({"fuzz", std::as_bytes(std::span(*kept)), kept});
}

void openShardIndex(std::span<const std::byte> bytes) {
    (void)parseShardIndex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "fuzz");
}

std::vector<std::string> safetensorsSeeds() {
    return {safetensorsOf(R"({"__metadata__":{"k":"v","n":null},)"
                          R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                          R"("b":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[8,10]},)"
                          R"("c":{"dtype":"I16","shape":[0],"data_offsets":[10,10]}})",
                          std::string(10, 'x'))};
}

std::vector<std::string> llama2cSeeds() {
    return {Llama2cModel{}.version0(), Llama2cModel{.tied = false}.later(1),
            Llama2cModel{}.later(2)};
}

std::vector<std::string> npySeeds() {
    return {npyOf("<f4", "(2, 3)", six, true), npyOf(">i2", "(12,)", six)};
}

std::vector<std::string> npzSeeds() {
    return {
        zipOf({{"w.npy", npyOf("<f4", "(2, 3)", six), true}, {"b.npy", npyOf("<f2", "()", six)}}),
        zipOf({{.name = "w.npy", .content = npyOf("<f4", "(6,)", six), .zip64 = true}})};
}

std::vector<std::string> torchSeeds() {
    return {archive(stateDict(), {six}), archive(trainersDict(), {six}, true)};
}

std::vector<std::string> pickleSeeds() {
    const std::string start("\x80\x02", 2);
    const std::string body =
        "}\x8c\x01"
        "a\x94\x8c\x01"
        "b\x8c\x01"
        "c\x93)Rs\x8c\x01"
        "d\x8f(NN\x90s.";
    const std::string fourth = "\x80\x04\x95" + bytesOf<std::uint64_t>(body.size()) + body;
    return {start + stateDict() + ".", start + trainersDict() + ".", fourth};
}

std::vector<std::string> shardIndexSeeds() {
    return {R"({"metadata":{"total_size":8},"weight_map":{"a":"m-1.safetensors","b":"m-2"}})"};
}

}  // namespace headloom::testing
