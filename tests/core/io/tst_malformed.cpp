#include "tests/support/llama2c_writer.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/tensor_checks.h"

#include <doctest/doctest.h>

#include <functional>

using namespace headloom;
using namespace headloom::testing;
using namespace std::string_literals;
using pickle::archive;
using pickle::dict;
using pickle::global;
using pickle::tensor;
using pickle::TensorSpec;

namespace {

struct Malformed {
    std::string bytes;
    std::string sentence;
};

void check(const std::vector<Malformed>& files) {
    for (const Malformed& file : files) CHECK(refusalOf(file.bytes) == file.sentence);
}

/// Dicts within dicts, and at the bottom an object.
std::string nested(int depth, std::string object) {
    for (int i = 0; i < depth; ++i) object = dict({{"d", object}});
    return object;
}

const std::string damaged = "; the file is damaged: download or save it again.";
const std::string stateDict =
    "; save the model's state_dict() with torch.save, or use safetensors.";

}  // namespace

TEST_CASE("what is no checkpoint is named, with the remedy") {
    check({
        {"", "f: is empty; download or save it again."},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123456\n",
         "f: is a Git LFS pointer to 123456 bytes, not the file itself; run \"git lfs pull\" in "
         "its "
         "folder."},
        {"version https://git-lfs.github.com/spec/v1\n",
         "f: is a Git LFS pointer, not the file itself; run \"git lfs pull\" in its folder."},
        {"  <!doctype HTML><html>",
         "f: is a web page; download the file itself, not the page that shows it."},
        {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.",
         "f: was saved by PyTorch before 1.6, or in its form; load it in PyTorch and save it again "
         "with torch.save."},
        {"\x80\x04K\x01.",
         "f: is a Python pickle, which is a program; it was not run; load it where you trust it "
         "and "
         "save its tensors as safetensors."},
        {"cposix\nsystem\n(X\x04\0\0\0exittR."s,
         "f: is a Python pickle, which is a program; it was not run; load it where you trust it "
         "and "
         "save its tensors as safetensors."},
        {std::string(257, '\0') + "ustar" + std::string(250, '\0'),
         "f: is a tar archive; unpack it; if PyTorch wrote it, load it there and save it again."},
        {"\x08\x07\x12\x07pytorch\x1a\x03"s + "2.1",
         "f: is an ONNX model; open the checkpoint that it was exported from."},
        {"\x1f\x8b\x08\0"s, "f: is compressed with gzip; unpack it with \"gunzip\"."},
        {"\x89HDF\r\n\x1a\n",
         "f: is an HDF5 file, as Keras writes it; save its weights as safetensors or npz."},
        {"lmgg\x01\0\0\0"s,
         "f: is a GGML file, older than GGUF; convert it with llama.cpp, or fetch it as GGUF."},
        {bytesOf<std::int32_t>(20240326), "f: is an llm.c checkpoint; save it as safetensors."},
        {"\n{\"n_layer\": 12}",
         "f: is a JSON file, not a set of tensors; name the checkpoint beside it, or their "
         "folder."},
        {"just some text",
         "f: is no kind of checkpoint that this program knows; safetensors, GGUF, PyTorch's .pt, "
         "npy, npz and llama2.c are read."},
        {std::string(100, '\0'),
         "f: is no kind of checkpoint that this program knows; safetensors, GGUF, PyTorch's .pt, "
         "npy, npz and llama2.c are read."},
        {safetensorsOf(R"({"a":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]}})", "xxxx"),
         "f, tensor \"a\": its type and shape need 4000000 bytes, but its offsets 0 to 4 span 4" +
             damaged},
        {safetensorsOf(R"({"a":{"dtype":"F3","shape":[1],"data_offsets":[0,4]}})", "xxxx"),
         "f, tensor \"a\": is of type F3, which is listed but not read; convert it to F32, F16 or "
         "BF16."},
        {safetensorsOf(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                       R"("_orig_mod.w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                       "xx"),
         "f: \"w\" and \"_orig_mod.w\" are the same tensor without their prefixes; remove one of "
         "them from the checkpoint."},
    });
}

TEST_CASE("malformed zip archives are refused") {
    const std::string plain = zipOf({{"w.npy", npyOf("<f4", "(1,)", "xxxx")}});
    const auto changed = [&plain](std::size_t fromEnd, const std::string& bytes) {
        std::string copy = plain;
        return copy.replace(copy.size() - fromEnd, bytes.size(), bytes);
    };
    const std::size_t end = 22, entry = 46 + 5;  // bytes of the end record and of the one entry
    const std::size_t directory = plain.size() - end - entry;
    const auto text = [](std::size_t number) { return std::to_string(number); };
    const auto inEntry = [&](std::size_t at, const std::string& bytes) {
        return changed(end + entry - at, bytes);
    };
    REQUIRE(refusalOf(plain) == "");
    check({
        {plain.substr(0, plain.size() - 22),
         "f: is cut off: a zip archive ends with its directory, and after " +
             text(plain.size() - 22) + " bytes there is none; download or save it again."},
        {plain.substr(0, 60),
         "f: is cut off: a zip archive ends with its directory, and after 60 bytes there is none; "
         "download or save it again."},
        {"PK\x03\x04",
         "f: is cut off: a zip archive ends with its directory, and after 4 bytes there is none; "
         "download or save it again."},
        {zipOf({}),
         "f: is a zip archive, but neither PyTorch nor NumPy wrote it; unpack it and open the "
         "checkpoint in it."},
        {zipOf({{"word/document.xml", "<x/>"}}),
         "f: is a zip archive, but neither PyTorch nor NumPy wrote it; unpack it and open the "
         "checkpoint in it."},
        {changed(22 - 16, bytesOf<std::uint32_t>(0xfffffff0)),
         "f: its directory of 51 bytes at byte 4294967280 reaches beyond " +
             text(directory + entry) + damaged},
        {changed(22 - 10, bytesOf<std::uint16_t>(500)),
         "f: its directory of 51 bytes cannot hold 500 members" + damaged},
        {inEntry(0, "XX"), "f: its directory has no entry at byte " + text(directory) + damaged},
        {inEntry(28, bytesOf<std::uint16_t>(400)),
         "f: the entry at byte " + text(directory) + " of its directory is cut off" + damaged},
        {inEntry(42, bytesOf<std::uint32_t>(7)), "f: \"w.npy\" is not at byte 7" + damaged},
        {inEntry(42, bytesOf<std::uint32_t>(0xfffffff0)),
         "f: \"w.npy\" is not at byte 4294967280" + damaged},
        {inEntry(42, bytesOf<std::uint32_t>(0xffffffff)),
         "f: \"w.npy\" lacks its ZIP64 sizes" + damaged},
        {inEntry(20, bytesOf<std::uint32_t>(1000000) + bytesOf<std::uint32_t>(1000000)),
         "f: \"w.npy\" takes 1000000 bytes from byte 42 on, but the file ends at " +
             text(plain.size()) + damaged},
        {inEntry(24, bytesOf<std::uint32_t>(3)),
         "f: \"w.npy\" is stored in 132 bytes but has 3" + damaged},
        {zipOf({{"w.npy", npyOf("<f4", "(1,)", "xxxx")}, {"w.npy", npyOf("<f4", "(1,)", "yyyy")}}),
         "f: \"w.npy\" occurs twice in its directory" + damaged},
        {zipOf({{.name = "w.npy", .content = npyOf("<f4", "(1,)", "xxxx"), .flags = 1}}),
         "f, \"w.npy\": is encrypted or packed in an unusual way; save it again with numpy.savez."},
    });
}

TEST_CASE("malformed arrays of NumPy are refused") {
    const std::string magic = "\x93NUMPY";
    const std::string header = "f: its header is not {'descr', 'fortran_order', 'shape'}" + damaged;
    const auto of = [](const std::string& text) { return npyOf(text, "xxxx"); };
    check({
        {magic, "f: is cut off in its header, at byte 6" + damaged},
        {magic + "\x04\0\0\0\0\0"s,
         "f: is of version 4 of NumPy's format; versions 1 to 3 are read."},
        {magic + "\x01\0\xff\xff  "s, "f: its header claims 65535 bytes, but 2 follow" + damaged},
        {of("{'descr': '<f4', 'fortran_order': False}"), header},
        {of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}"), header},
        {of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'descr': '<f4'}"), header},
        {of("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"), header},
        {of("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), header},
        {of("{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}"), header},
        {of("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"), header},
        {of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + x"), header},
        {of("__import__('os').system('true')"), header},
        {npyOf("|O", "(1,)", "xxxx"),
         "f: holds Python objects, which are a program; save it with a numeric type."},
        {of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
         "f, tensor \"f\": is of type [...], which is listed but not read; convert it to F32, F16 "
         "or "
         "BF16."},
        {npyOf("<f4", "(2,)", "xxxx"),
         "f, tensor \"f\": its type and shape need 8 bytes, but 4 are stored" + damaged},
        {npyOf("<f4", "(4294967296, 4294967296, 4)", "xxxx"),
         "f, tensor \"f\": its shape is too large for any file" + damaged},
        {zipOf({{"w.npy", "no array"}}), "f, \"w.npy\": is not a NumPy array" + damaged},
        {zipOf({{"w.npy", npyOf("|O", "(1,)", "xxxx"), true}}),
         "f, \"w.npy\": holds Python objects, which are a program; save it with a numeric type."},
    });
    // The stream says more than it holds, and the array more than the stream.
    std::string lying = zipOf({{.name = "w.npy",
                                .content = npyOf("<f4", "(2,)", "xxxxxxxx"),
                                .deflate = true,
                                .claimedBytes = 137}});
    CHECK(refusalOf(lying) ==
          "f, tensor \"w\": its compressed bytes at 42 cannot be inflated" + damaged);
}

TEST_CASE("malformed llama2.c checkpoints are refused") {
    const std::string one = Llama2cModel{}.later(1), two = Llama2cModel{}.later(2);
    const auto changed = [](std::string bytes, std::size_t at, std::int32_t number) {
        return bytes.replace(at, 4, bytesOf(number));
    };
    const std::string whole = Llama2cModel{}.version0();
    const std::string begins = "f: begins as a llama2.c checkpoint of " +
                               std::to_string(whole.size()) + " bytes does, but has ";
    const std::string unknown =
        "f: is no kind of checkpoint that this program knows; safetensors, GGUF, PyTorch's .pt, "
        "npy, "
        "npz and llama2.c are read.";
    check({
        {one.substr(0, 100),
         "f: is cut off in the header of llama2.c, at byte 100 of 256" + damaged},
        {one.substr(0, 1000), "f: its header asks for " + std::to_string(one.size()) +
                                  " bytes, but the file has 1000" + damaged},
        {one + "x", "f: its header asks for " + std::to_string(one.size()) +
                        " bytes, but the file has " + std::to_string(one.size() + 1) + damaged},
        {changed(one, 4, 3),
         "f: is of version 3 of llama2.c's form; versions 0, 1 and 2 are read."},
        {changed(one, 8, -8),
         "f: its header has impossible sizes: dim -8, hidden 12, layers 2, heads 4, kv heads 2, "
         "vocabulary 6, context 3" +
             damaged},
        {changed(one, 20, 3),
         "f: its header has impossible sizes: dim 8, hidden 12, layers 2, heads 3, kv heads 2, "
         "vocabulary 6, context 3" +
             damaged},
        {changed(one, 12, 0x7fffffff),
         "f: its header has impossible sizes: dim 8, hidden 2147483647, layers 2, heads 4, kv "
         "heads "
         "2, vocabulary 6, context 3" +
             damaged},
        {changed(two, 37, 0), "f: its group size is 0" + damaged},
        {changed(two, 37, -4), "f: its group size is -4" + damaged},
        // without a magic number, seven plausible sizes are a hint at a file that was cut off
        {whole.substr(0, 100), begins + "100; download or save it again."},
        {whole + "x", begins + std::to_string(whole.size() + 1) + "; download or save it again."},
        {changed(whole, 20, -2147483647 - 1), unknown},
    });
}

TEST_CASE("pickles that would do anything but describe tensors are refused by name") {
    const std::string w = tensor({.elements = 6, .size = {6}, .stride = {1}});
    const auto of = [](const std::string& object) {
        return archive(object, {std::string(24, 'x')});
    };
    const auto at = [](int byte, const std::string& what) {
        return "f: its pickle, at byte " + std::to_string(byte) + ": " + what + stateDict;
    };
    check({
        {of(global("posix", "system") + "(" + pickle::text("exit") + "tR"),
         "f: holds posix.system, which is no tensor and was not run; save the model's state_dict() "
         "with torch.save."},
        // the same hidden in a state dict is passed over, and by STACK_GLOBAL and the memo too
        {of("I1\n"), at(2, "the opcode INT is not one that checkpoints use")},
        {of("(S'id'\niposix\nsystem\n"),
         at(3, "the opcode STRING is not one that checkpoints use")},
        {of("(iposix\nsystem\n"), at(3, "the opcode INST is not one that checkpoints use")},
        {of("(cposix\nsystem\no"), at(17, "the opcode OBJ is not one that checkpoints use")},
        {of("\x82\x01"), at(2, "the opcode EXT1 is not one that checkpoints use")},
        {of("N0"), at(3, "the opcode POP is not one that checkpoints use")},
        {of("N2"), at(3, "the opcode DUP is not one that checkpoints use")},
        {of("\xff"), at(2, "0xff is no opcode")},
        {of("X\xff\xff\xff\xff"), at(2, "4294967295 bytes should follow, but 1 do")},
        {of("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"),
         at(2, "18446744073709551615 bytes should follow, but 1 do")},
        {of("\x95\xff\xff\xff\xff\xff\xff\xff\x7f"),
         at(2, "a frame of 9223372036854775807 bytes, but 1 follow")},
        {of("cposix"), at(2, "a name does not end")},
        {of("h\x05"), at(2, "nothing was put under 5")},
        {of("j\xff\xff\xff\xff"), at(2, "nothing was put under 4294967295")},
        {of("q\x01"), at(2, "PUT takes 1 objects, but 0 are there")},
        {of("("), at(3, "STOP takes 1 objects, but 0 are there")},
        {of("t"), at(2, "a mark is missing")},
        {of("\x86"), at(2, "TUPLE takes 2 objects, but 0 are there")},
        {of("K\x01K\x02" + "a"s), at(6, "APPEND on an int")},
        {of(")K\x01K\x02s"), at(7, "SETITEM on a tuple")},
        {of("](K\x01K\x02u"), at(8, "SETITEMS on a list")},
        {of("}(K\x01u"), at(6, "SETITEMS with a key that has no value")},
        {of("N}b"), at(4, "BUILD on None")},
        {of("NK\x01\x93"), at(5, "STACK_GLOBAL of None and an int")},
        {of("N)R"), at(4, "REDUCE of None")},
        {of(global("torch", "Size") + "NR"), at(15, "REDUCE with None for arguments")},
        {of(global("collections", "OrderedDict") + "(](K\x01" + "etR"s),
         at(34, "an OrderedDict of what are no pairs")},
        {zipOf({{"a/data.pkl", "\x80\x02N"}}), at(2, "ends without STOP")},
        {zipOf({{"a/data.pkl", ""}}), at(0, "ends without STOP")},
        {zipOf({{"a/data.pkl", "N."}, {"b/data.pkl", "N."}}),
         "f: holds 2 files named data.pkl, where PyTorch writes one; save it again with "
         "torch.save."},
        {zipOf({{"a/data.pkl", "N."}, {"a/constants.pkl", "N."}, {"a/code/x.py", ""}}),
         "f: is a TorchScript archive, which is a program; load it in PyTorch and save its "
         "state_dict() with torch.save."},
        {zipOf({{.name = "a/data.pkl", .content = "N.", .flags = 1}}),
         "f, \"a/data.pkl\": is encrypted or packed in an unusual way; pack the archive again with "
         "plain zip."},
        // a dict that holds itself, one too deep, a name too long
        {of("}q\x01" + pickle::text("x") + "h\x01s"),
         "f: its objects hold each other again and again" + stateDict},
        {of(nested(70, w)), "f: its objects nest deeper than 64 levels" + stateDict},
        {of(dict({{std::string(2000, 'n'), w}})),
         "f: a name is longer than 1024 characters" + stateDict},
        {of(dict({{"w", w}, {"_orig_mod.w", w}})),
         "f: \"w\" and \"_orig_mod.w\" are the same tensor without their prefixes; remove one of "
         "them from the checkpoint."},
    });
}

TEST_CASE("tensors that contradict their storage are refused") {
    const auto of = [](TensorSpec spec) {
        return archive(dict({{"w", tensor(spec)}}), {std::string(24, 'x')});
    };
    const std::string w = "f, tensor \"w\": ";
    const TensorSpec fine = {.elements = 6, .size = {2, 3}, .stride = {3, 1}};
    const auto with = [&](const std::function<void(TensorSpec&)>& change) {
        TensorSpec spec = fine;
        change(spec);
        return of(spec);
    };
    REQUIRE(refusalOf(of(fine)) == "");
    check({
        {with([](TensorSpec& s) { s.elements = 1000000000; }),
         w +
             "its storage claims 1000000000 elements of 4 bytes, but \"archive/data/0\" has 24 "
             "bytes" +
             damaged},
        {with([](TensorSpec& s) { s.elements = -1; }),
         w + "its storage is not described as (\"storage\", type, key, place, size)" + damaged},
        {with([](TensorSpec& s) { s.elements = 1ll << 62; }),
         w +
             "its storage claims 4611686018427387904 elements of 4 bytes, but \"archive/data/0\" "
             "has "
             "24 bytes" +
             damaged},
        {with([](TensorSpec& s) { s.key = "1"; }),
         w + "the archive has no \"archive/data/1\"" + damaged},
        {with([](TensorSpec& s) { s.key = "../version"; }),
         w + "the archive has no \"archive/data/../version\"" + damaged},
        {with([](TensorSpec& s) { s.offset = 7; }),
         w + "its offset of 7 elements lies outside its storage of 24 bytes" + damaged},
        {with([](TensorSpec& s) { s.offset = -1; }),
         w + "its offset of -1 elements lies outside its storage of 24 bytes" + damaged},
        {with([](TensorSpec& s) { s.offset = 1ll << 62; }),
         w + "its offset of 4611686018427387904 elements lies outside its storage of 24 bytes" +
             damaged},
        {with([](TensorSpec& s) { s.offset = 1; }),
         w + "its type and shape need 24 bytes, but 20 are stored" + damaged},
        {with([](TensorSpec& s) {
             s.size = {2, -3};
         }),
         w + "its size is no tuple of numbers from 0 on" + damaged},
        {with([](TensorSpec& s) {
             s.stride = {3, -1};
         }),
         w + "its stride is no tuple of numbers from 0 on" + damaged},
        {with([](TensorSpec& s) { s.stride = {1}; }), w + "has 2 axes but 1 strides" + damaged},
        {with([](TensorSpec& s) {
             s.stride = {1ll << 61, 1};
         }),
         w + "its strides step backwards or beyond any file" + damaged},
        {with([](TensorSpec& s) {
             s.size = {1ll << 40, 1ll << 40};
         }),
         w + "its shape is too large for any file" + damaged},
        {with([](TensorSpec& s) {
             s.size = {1 << 20, 1 << 20};
             s.stride = {0, 0};
         }),
         w + "would take 4398046511104 bytes of memory, but only 4 are stored; save it without "
             "repeated elements."},
        {with([](TensorSpec& s) { s.storage = "UntypedStorage"; }),
         w + "has an untyped storage and names no type" + damaged},
        {archive(dict({{"w", pickle::call(global("torch._utils", "_rebuild_tensor_v2"), {"N"})}})),
         w + "is described by too few arguments" + damaged},
        {archive(dict({{"w", pickle::call(global("torch._utils", "_rebuild_tensor_v2"),
                                          {"N", "K\x01", ")", ")"})}})),
         w + "its storage is None" + damaged},
    });
}

TEST_CASE("an unknown object beside the tensors costs only itself") {
    const std::string w = tensor({.elements = 6, .size = {6}, .stride = {1}});
    const std::string hidden = pickle::text("posix") + "q\x01" + pickle::text("system") + "\x93(" +
                               pickle::text("exit") + "tR";
    const auto source = opened(archive(
        dict({{"w", w}, {"x", hidden}, {"y", hidden}, {"z", "\x8f"}}), {std::string(24, 'x')}));
    CHECK(namesOf(*source) == std::vector<std::string>{"w"});
    CHECK(source->warnings() ==
          std::vector<std::string>{"skipped a set in \"z\"",
                                   "skipped posix.system in \"x\" and 1 more place"});
}
