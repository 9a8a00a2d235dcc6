#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// What became of a tensor of the file.
enum class TensorUse {
    used,
    tied,       ///< equal to the embedding, which is used in its place
    ignored,    ///< a buffer that the architecture is known to leave in files
    unexpected  ///< nothing is known of it
};
const char* nameOf(TensorUse use);

struct TensorFate {
    std::string name;
    TensorUse use = TensorUse::unexpected;
    std::vector<std::string> becomes;  ///< names of core/models/weights.h
};

/// A size as the tensors give it and as the configuration states it. Tensors win.
struct DimensionCheck {
    std::string name;  ///< "nHeads"
    std::optional<std::int64_t> inferred, configured;
    std::int64_t used = 0;
    bool filledUp = false;  ///< the tensors are longer on purpose: what is beyond means nothing

    bool differs() const { return inferred && configured && *inferred != *configured && !filledUp; }
};

/// What only the user can say, where each answer gives another model.
struct LoadQuestion {
    std::string setting;               ///< of LoadOptions::settings, "alphaOrder"
    std::vector<std::string> answers;  ///< its values
};

/// What loading found, for a user who has to trust the model.
struct LoadReport {
    std::string container;     ///< "safetensors, 2 shards"
    std::string architecture;  ///< "llama"; empty: none is recognised
    std::string title;
    std::string reason;                ///< why that one, a sentence
    std::string configSource;          ///< a path, or "the file itself"; empty: there is none
    std::vector<TensorFate> tensors;   ///< in the order of the file
    std::vector<std::string> missing;  ///< as the architecture names them
    std::vector<DimensionCheck> dimensions;
    std::map<std::string, std::size_t> types;  ///< how many tensors of the model are stored so
    bool headTied = false;
    std::vector<std::string> notes;     ///< what was assumed or chosen
    std::vector<std::string> warnings;  ///< what deserves a look
    std::string notRunnable;            ///< a sentence; empty: the model runs
    /// What keeps it from running, where that is an answer.
    std::optional<LoadQuestion> question;

    std::size_t count(TensorUse use) const;
    std::vector<std::string> named(TensorUse use) const;
    /// The report as lines for people.
    std::string text() const;
};

}  // namespace headloom
