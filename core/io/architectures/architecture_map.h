#pragma once

#include "core/base/error.h"
#include "core/io/architectures/name_template.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Values by name, as text: "silu", "1e-6", "true".
using Settings = std::map<std::string, std::string>;

/// How a matrix is stored.
enum class MatrixLayout {
    ours,    ///< as core/models/weights.h has it, per head where that is
    linear,  ///< [out, in], heads one after the other: torch.nn.Linear
    conv1d   ///< [in, out], heads one after the other: GPT-2's Conv1D
};

/// What becomes of one family of stored tensors.
struct TensorRule {
    NameTemplate from;
    /// Names of core/models/weights.h without "blocks.N."; several for a tensor that holds their
    /// outputs one after the other. "rope.divisors" is ModelConfig::ropeDivisors.
    std::vector<std::string> to;
    MatrixLayout layout = MatrixLayout::ours;
    double plus = 0;  ///< added to every number
};

/// What must be there for an architecture to be recognised.
struct TensorNeed {
    enum class Shape {
        any,
        wide,  ///< [D, more than D]: told apart from its transpose
        tall
    };
    NameTemplate name;
    Shape shape = Shape::any;
};

/// One architecture as data: how its tensors are named and stored, and what its configuration calls
/// things. A file of assets/architectures, whose README.md describes the fields.
struct ArchitectureMap {
    std::string name, title;
    std::vector<TensorNeed> needs;
    /// Values of the setting "type" that it stands for, each with its defaults; empty: any.
    std::map<std::string, Settings> types;
    std::vector<std::string> prefixes;  ///< removed from a tensor's name, the first that fits
    bool interleavedRotary = false;     ///< pairs (2i, 2i + 1) instead of (i, i + w/2)
    bool backwardsRotary = false;       ///< turns the other way round
    bool whole = false;  ///< a file with a tensor that is not listed is another model
    std::vector<TensorRule> tensors;
    std::vector<NameTemplate> ignore;  ///< buffers that training code leaves in the file
    /// Parts of names that this map's arithmetic does not cover, each with the reason.
    std::map<std::string, std::string> refuse;
    std::string attention;  ///< what the names of an attention's tensors begin with; may be empty
    Settings fixed;         ///< what the architecture is, whatever a configuration says
    Settings assumed;       ///< where neither file nor configuration says it; the report tells
    /// Names of a configuration beside the checkpoint; {number} is that at the end of its own name.
    std::vector<std::string> files;
    std::map<std::string, std::vector<std::string>> config;  ///< keys of each setting, the first
                                                             ///< that is there

    /// The name without the prefix.
    std::string_view bare(std::string_view tensorName) const;
};

/// Errors say which field is wrong.
Result<ArchitectureMap> architectureFromJson(std::string_view text);

/// A map of a whole model whose attention is stored by another map, one of
/// assets/architectures/attention: names of that one go on behind `host.attention`.
ArchitectureMap withAttention(const ArchitectureMap& host, const ArchitectureMap& attention);

/// The maps of assets/architectures as they were when the program was built: they travel in it, so
/// that the command line works wherever it is copied. Those with interleaved heads come first: the
/// others would take their files for plain ones.
const std::vector<ArchitectureMap>& builtinArchitectures();

}  // namespace headloom
