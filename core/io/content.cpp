#include "core/io/content.h"

#include "core/io/llama2c.h"

#include <fmt/format.h>

#include <cctype>

namespace headloom {

namespace {

using std::literals::operator""sv;

constexpr std::string_view lfsStart = "version https://git-lfs";

struct Magic {
    std::string_view bytes;
    Content content;
};
constexpr Magic magics[] = {
    {lfsStart, Content::lfsPointer},
    {"PK\x03\x04"sv, Content::zip},
    {"PK\x05\x06"sv, Content::zip},  // one without members
    {"GGUF"sv, Content::gguf},
    {"\x93NUMPY"sv, Content::npy},
    {"24ka"sv, Content::llama2c},
    // a pickle of PyTorch's magic number, in protocol 2 and later
    {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."sv, Content::legacyTorch},
    {"\x80\x02"sv, Content::pickle},
    {"\x80\x03"sv, Content::pickle},
    {"\x80\x04"sv, Content::pickle},
    {"\x80\x05"sv, Content::pickle},
    {"\x1f\x8b"sv, Content::gzip},
    {"\x89HDF\r\n"sv, Content::hdf5},
    {"lmgg"sv, Content::ggml},
    {"fmgg"sv, Content::ggml},
    {"tjgg"sv, Content::ggml},
    {"\xc6\xd7\x34\x01"sv, Content::llmc},  // 20240326
};

bool looksLikeWebPage(std::string_view text) {
    std::string start;
    for (const char c : text.substr(0, 256))
        if (!start.empty() || c == '<')
            start += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return start.starts_with("<!doctype html") || start.starts_with("<html");
}

/// A ModelProto begins with its ir_version, a small number, and then as a rule the producer's name.
bool looksLikeOnnx(std::string_view text) {
    if (text.size() < 5 || text[0] != 0x08 || text[1] < 1 || text[1] > 31 || text[2] != 0x12)
        return false;
    const auto length = static_cast<unsigned char>(text[3]);
    const std::string_view producer = text.substr(4, length);
    for (const char c : producer)
        if (!std::isprint(static_cast<unsigned char>(c))) return false;
    return length > 0 && producer.size() == length;
}

/// Protocol 0 has no magic number, but what imports something begins with two names on two lines.
bool looksLikeTextPickle(std::string_view text) {
    if (text.empty() || text[0] != 'c') return false;
    std::size_t at = 1;
    for (int line = 0; line < 2; ++line) {
        const std::size_t end = text.substr(0, 256).find('\n', at);
        if (end == std::string_view::npos || end == at) return false;
        for (; at < end; ++at)
            if (!std::isalnum(static_cast<unsigned char>(text[at])) && text[at] != '_' &&
                text[at] != '.')
                return false;
        at = end + 1;
    }
    return true;
}

std::string_view firstWord(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

/// The size in a Git LFS pointer, as written; empty where there is none.
std::string_view lfsSize(std::string_view text) {
    constexpr std::string_view key = "\nsize ";
    const std::size_t found = text.substr(0, 1024).find(key);
    if (found == std::string_view::npos) return {};
    const std::string_view rest = text.substr(found + key.size());
    return rest.substr(0, std::min<std::size_t>(rest.find_first_not_of("0123456789"), 20));
}

}  // namespace

Content contentOf(std::string_view text) {
    if (text.empty()) return Content::empty;
    for (const Magic& magic : magics)
        if (text.starts_with(magic.bytes)) return magic.content;
    if (looksLikeWebPage(text)) return Content::webPage;
    if (isHeadlessLlama2c(text)) return Content::llama2c;
    if (text.size() > 8 && text[8] == '{') return Content::safetensors;
    if (text.size() > 262 && text.substr(257, 5) == "ustar") return Content::tar;
    if (looksLikeOnnx(text)) return Content::onnx;
    if (looksLikeTextPickle(text)) return Content::pickle;
    if (firstWord(text).starts_with('{')) return Content::json;
    return Content::unknown;
}

tl::unexpected<Error> notATensorFile(const SourceFile& file, Content content) {
    const auto refuse = [&file](std::string what, std::string remedy) {
        return fail(Error::Kind::badFile, file.name(), std::move(what), std::move(remedy));
    };
    switch (content) {
        case Content::empty:
            return refuse("is empty", "download or save it again");
        case Content::lfsPointer: {
            const std::string_view size = lfsSize(file.text());
            return refuse(fmt::format("is a Git LFS pointer{}, not the file itself",
                                      size.empty() ? "" : fmt::format(" to {} bytes", size)),
                          "run \"git lfs pull\" in its folder");
        }
        case Content::webPage:
            return refuse("is a web page", "download the file itself, not the page that shows it");
        case Content::legacyTorch:
            return refuse("was saved by PyTorch before 1.6, or in its form",
                          "load it in PyTorch and save it again with torch.save");
        case Content::pickle:
            return refuse("is a Python pickle, which is a program; it was not run",
                          "load it where you trust it and save its tensors as safetensors");
        case Content::tar:
            return refuse("is a tar archive",
                          "unpack it; if PyTorch wrote it, load it there and save it again");
        case Content::onnx:
            return refuse("is an ONNX model", "open the checkpoint that it was exported from");
        case Content::gzip:
            return refuse("is compressed with gzip", "unpack it with \"gunzip\"");
        case Content::hdf5:
            return refuse("is an HDF5 file, as Keras writes it",
                          "save its weights as safetensors or npz");
        case Content::ggml:
            return refuse("is a GGML file, older than GGUF",
                          "convert it with llama.cpp, or fetch it as GGUF");
        case Content::llmc:
            return refuse("is an llm.c checkpoint", "save it as safetensors");
        case Content::json:
            return refuse("is a JSON file, not a set of tensors",
                          "name the checkpoint beside it, or their folder");
        default:
            if (const auto bytes = bytesOfHeadlessLlama2c(file.text()))
                return refuse(fmt::format("begins as a llama2.c checkpoint of {} bytes does, but "
                                          "has {}",
                                          *bytes, file.bytes.size()),
                              "download or save it again");
            return refuse("is no kind of checkpoint that this program knows",
                          "safetensors, GGUF, PyTorch's .pt, npy, npz and llama2.c are read");
    }
}

}  // namespace headloom
