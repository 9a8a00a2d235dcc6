#include "core/io/tokenizers/tokenizer_files.h"

namespace headloom {

TokenizerResult openTokenizer(const std::filesystem::path& path) {
    const auto file = SourceFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (file->text().starts_with("GGUF")) {
        const auto gguf = GgufFile::parse(*file);
        if (!gguf) return tl::unexpected(gguf.error());
        return readGgufTokenizer(*gguf);
    }
    return readLlama2cTokenizer(*file);
}

}  // namespace headloom
