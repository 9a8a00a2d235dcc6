#include "core/io/safetensors.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_checks.h"

#include <doctest/doctest.h>

using namespace headloom;
using namespace headloom::testing;
using pickle::archive;
using pickle::dict;
using pickle::tensor;

namespace {

using Names = std::vector<std::string>;

const std::string six = bytesOf<float>({0, 1, 2, 3, 4, 5});

/// A 2 x 3 matrix over the six numbers.
std::string matrix() {
    return tensor({.elements = 6, .size = {2, 3}, .stride = {3, 1}});
}

}  // namespace

TEST_CASE("a state dict opens with its views into storages") {
    const auto source = opened(archive(
        dict({{"w", matrix()},
              {"transposed", tensor({.elements = 6, .size = {3, 2}, .stride = {1, 3}})},
              {"repeated", tensor({.elements = 6, .offset = 4, .size = {3}, .stride = {0}})},
              {"part", tensor({.elements = 6, .offset = 2, .size = {2}, .stride = {3}})},
              {"scalar", tensor({.elements = 6, .offset = 5})},
              {"empty", tensor({.elements = 6, .size = {0, 3}, .stride = {3, 1}})},
              // a stride of an axis of one element means nothing
              {"row", tensor({.elements = 6, .size = {1, 6}, .stride = {999, 1}})}}),
        {six}));
    CHECK(source->format() == "PyTorch archive");
    CHECK(namesOf(*source) ==
          Names{"w", "transposed", "repeated", "part", "scalar", "empty", "row"});
    CHECK(numbersOf(*source, "w") == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(numbersOf(*source, "transposed") == Numbers{0, 3, 1, 4, 2, 5});
    CHECK(numbersOf(*source, "repeated") == Numbers{4, 4, 4});
    CHECK(numbersOf(*source, "part") == Numbers{2, 5});
    CHECK(numbersOf(*source, "scalar") == Numbers{5});
    CHECK(numbersOf(*source, "empty") == Numbers{});
    CHECK(source->find("w")->strides.empty());
    CHECK(source->find("row")->strides.empty());
    CHECK(source->find("transposed")->strides == std::vector<std::int64_t>{1, 3});
    CHECK(source->find("part")->bytes == 16);
    CHECK(source->warnings().empty());
}

TEST_CASE("an archive that was packed again with compression opens as well") {
    const auto source = opened(
        archive(dict({{"w", matrix()},
                      {"part", tensor({.elements = 6, .offset = 2, .size = {2}, .stride = {3}})}}),
                {six}, true));
    CHECK(numbersOf(*source, "w") == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(numbersOf(*source, "part") == Numbers{2, 5});
    CHECK(source->bytes(*source->find("w")).size() != six.size());
}

TEST_CASE("every storage type is known, and untyped storages name theirs") {
    struct Case {
        const char* storage;
        const char* dtype;
        std::string bytes;
        double value;
    };
    const std::vector<Case> cases = {{"DoubleStorage", "", bytesOf(0.5), 0.5},
                                     {"FloatStorage", "", bytesOf(0.5f), 0.5},
                                     {"HalfStorage", "", bytesOf<std::uint16_t>(0x3800), 0.5},
                                     {"BFloat16Storage", "", bytesOf<std::uint16_t>(0x3f00), 0.5},
                                     {"LongStorage", "", bytesOf<std::int64_t>(-3), -3},
                                     {"IntStorage", "", bytesOf<std::int32_t>(-3), -3},
                                     {"ShortStorage", "", bytesOf<std::int16_t>(-3), -3},
                                     {"CharStorage", "", bytesOf<std::int8_t>(-3), -3},
                                     {"ByteStorage", "", bytesOf<std::uint8_t>(253), 253},
                                     {"BoolStorage", "", bytesOf<std::uint8_t>(1), 1},
                                     {"UntypedStorage", "float8_e4m3fn", "\x30", 0.5},
                                     {"UntypedStorage", "float8_e5m2", "\x38", 0.5},
                                     {"UntypedStorage", "uint16", "\xff\xff", 65535}};
    for (const Case& one : cases) {
        CAPTURE(one.storage);
        const bool untyped = one.dtype[0] != '\0';
        const auto elements = untyped ? static_cast<std::int64_t>(one.bytes.size()) : 1;
        const auto source = opened(archive(
            dict({{"t",
                   tensor({.storage = one.storage, .elements = elements, .dtype = one.dtype})}}),
            {one.bytes}));
        CHECK(numbersOf(*source, "t") == Numbers{one.value});
    }
    const auto complex = opened(
        archive(dict({{"t", tensor({.storage = "ComplexFloatStorage", .elements = 1})}}), {six}));
    CHECK_FALSE(complex->entries()[0].isReadable());
    CHECK(complex->entries()[0].typeName == "ComplexFloatStorage");
}

TEST_CASE("a trainer's container gives the model's tensors and its settings") {
    const std::string file = archive(
        dict({{"model", dict({{"_orig_mod.w", matrix()}})},
              {"optimizer",
               dict({{"state", "}" + pickle::integer(0) +
                                   dict({{"exp_avg", matrix()}, {"step", pickle::integer(7)}}) +
                                   "s"}})},
              {"model_args",
               dict({{"n_layer", pickle::integer(12)},
                     {"bias", "\x89"},
                     {"dropout", pickle::real(0.25)},
                     {"vocab_size", "N"},
                     {"betas", pickle::tuple({pickle::real(0.9), pickle::real(0.95)})}})},
              {"iter_num", pickle::integer(5)},
              {"args", pickle::global("argparse", "Namespace") + ")\x81" +
                           dict({{"lr", pickle::real(0.1)}}) + "b"}}),
        {six});
    const auto source = opened(file);
    CHECK(source->format() == "PyTorch archive, model under \"model\"");
    CHECK(namesOf(*source) == Names{"w"});
    const auto& metadata = source->metadata();
    CHECK(metadata.at("model_args.n_layer") == "12");
    CHECK(metadata.at("model_args.bias") == "false");
    CHECK(metadata.at("model_args.dropout") == "0.25");
    CHECK(metadata.at("model_args.vocab_size") == "null");
    CHECK(metadata.at("model_args.betas") == "[0.9, 0.95]");
    CHECK(metadata.at("iter_num") == "5");
    CHECK(metadata.at("optimizer.state.0.step") == "7");
    CHECK(source->warnings() ==
          Names{"left out 1 tensor of \"optimizer\", which is not the model's",
                "skipped argparse.Namespace in \"args\"",
                "\"_orig_mod.\" was removed from the name of 1 tensor"});
}

TEST_CASE("nested dicts, lists, parameters and whole modules give dotted names") {
    const std::string parameter =
        pickle::call(pickle::global("torch._utils", "_rebuild_parameter"),
                     {matrix(), "\x88", pickle::global("collections", "OrderedDict") + ")R"});
    CHECK(namesOf(*opened(archive(
              dict({{"a", dict({{"b", parameter}})}, {"c", pickle::list({matrix(), matrix()})}}),
              {six}))) == Names{"a.b", "c.0", "c.1"});
    CHECK(namesOf(*opened(archive(matrix(), {six}))) == Names{"tensor"});

    const auto module = [](const std::string& state) {
        return pickle::global("my.models", "Net") + ")\x81" + state + "b";
    };
    const std::string inner = module(dict({{"_parameters", dict({{"weight", parameter}})},
                                           {"_buffers", dict({{"mask", matrix()}, {"none", "N"}})},
                                           {"_modules", dict({})}}));
    const std::string outer = module(dict(
        {{"_parameters", dict({})}, {"_buffers", dict({})}, {"_modules", dict({{"fc", inner}})}}));
    CHECK(namesOf(*opened(archive(outer, {six}))) == Names{"fc.weight", "fc.mask"});
}

TEST_CASE("wrappers' prefixes go, as often as they are there") {
    const auto source = opened(archive(dict({{"module._orig_mod.module.a", matrix()},
                                             {"h._orig_mod.b", matrix()},
                                             {"not_orig_mod.c", matrix()},
                                             {"module.", matrix()}}),
                                       {six}));
    CHECK(namesOf(*source) == Names{"a", "h.b", "not_orig_mod.c", "module."});
    CHECK(source->warnings() == Names{"\"_orig_mod.\" was removed from the names of 2 tensors",
                                      "\"module.\" was removed from the name of 1 tensor"});
}

TEST_CASE("protocol 4 says the same in other opcodes") {
    const auto unicode = [](const std::string& value) {
        return "\x8c" + std::string(1, static_cast<char>(value.size())) + value + "\x94";
    };
    const std::string storage = "(" + unicode("storage") + unicode("torch") +
                                unicode("FloatStorage") + "\x93" + unicode("0") + unicode("cpu") +
                                "K\x06tQ";
    const std::string rebuilt = unicode("torch._utils") + unicode("_rebuild_tensor_v2") + "\x93(" +
                                storage + std::string("K\0K\x02K\x03\x86K\x03K\x01\x86\x89", 12) +
                                unicode("collections") + unicode("OrderedDict") + "\x93)RtR";
    const std::string body = "}" + unicode("w") + rebuilt + "s.";
    const std::string file =
        zipOf({{"archive/data.pkl", "\x80\x04\x95" + bytesOf<std::uint64_t>(body.size()) + body},
               {"archive/data/0", six}});
    CHECK(numbersOf(*opened(file), "w") == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("what was exported as safetensors is the same byte by byte when exported again") {
    const TemporaryFolder folder;
    const auto exported = [&folder](const TensorSource& source, const char* name) {
        std::vector<std::pair<std::string, Tensor>> tensors;
        for (const TensorEntry& entry : source.entries())
            tensors.emplace_back(entry.name, source.read(entry, DType::f32).value());
        REQUIRE(writeSafetensors(folder / name, tensors, source.metadata()));
        return openTensorSource(folder / name).value();
    };
    const auto torch = opened(archive(
        dict({{"model",
               dict({{"w", tensor({.elements = 6, .size = {3, 2}, .stride = {1, 3}})},
                     {"empty", tensor({.elements = 6, .size = {0, 3}, .stride = {3, 1}})}})},
              {"iter_num", pickle::integer(5)}}),
        {six}));
    const auto once = exported(*torch, "once");
    exported(*once, "twice");
    CHECK(contentsOf(folder / "once") == contentsOf(folder / "twice"));
    CHECK(numbersOf(*once, "w") == numbersOf(*torch, "w"));
    CHECK(once->metadata() == torch->metadata());
}

TEST_CASE("files that PyTorch wrote give their numbers") {
    const std::string folder = fixture("candle/");
    if (folder.empty()) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return;
    }
    const auto plain = openTensorSource(folder + "test.pt").value();
    CHECK(namesOf(*plain) == Names{"test"});
    CHECK(plain->find("test")->type == StoredType::i64);
    CHECK(plain->find("test")->shape == std::vector<std::int64_t>{2, 4});
    const auto keyed = openTensorSource(folder + "test_with_key.pt").value();
    CHECK(keyed->format() == "PyTorch archive, model under \"model_state_dict\"");
    CHECK(numbersOf(*keyed, "test") == numbersOf(*plain, "test"));

    const auto fortran = openTensorSource(folder + "fortran_tensor_3d.pth").value();
    CHECK(fortran->find("tensor_fortran")->strides == std::vector<std::int64_t>{1, 2, 6});
    const auto strided = openTensorSource(folder + "synth-no-torch-orig_mod-strided.pt").value();
    CHECK(namesOf(*strided) == Names{"w", "wt"});
    CHECK(strided->metadata().at("iter_num") == "5");
    const Numbers w = numbersOf(*strided, "w"), wt = numbersOf(*strided, "wt");
    CHECK(Numbers{w[0], w[3], w[1], w[4], w[2], w[5]} == wt);
}
