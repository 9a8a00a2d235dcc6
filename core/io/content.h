#pragma once

#include "core/base/error.h"
#include "core/io/source_file.h"

#include <string_view>

namespace headloom {

/// What a file is, told by its content; its name says nothing reliable.
enum class Content {
    // containers that are read
    safetensors,
    gguf,
    zip,  ///< PyTorch's or NumPy's: the archive's directory tells
    npy,
    llama2c,
    // recognised, not read
    empty,
    lfsPointer,
    webPage,
    legacyTorch,  ///< PyTorch before 1.6
    pickle,
    tar,
    onnx,
    gzip,
    hdf5,
    ggml,  ///< what came before GGUF
    llmc,
    json,
    unknown
};

Content contentOf(std::string_view text);

/// The sentence for content that is no container: what the file is, and the remedy.
tl::unexpected<Error> notATensorFile(const SourceFile& file, Content content);

}  // namespace headloom
