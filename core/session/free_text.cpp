#include "core/session/free_text.h"

namespace headloom {

FreeText::FreeText(const Model& model, std::vector<int> start) : start_(std::move(start)) {
    info_.id = "text";
    info_.title = model.name;
    info_.explanation =
        "A model from a file. Type any prompt; what it says next is shown for every token, and "
        "on its own it goes on writing. Nothing is known to be true here, so nothing is marked "
        "as evidence.";
    info_.vocabulary = model.vocabulary;
    info_.inputLength = model.config.nCtx;
    info_.generated = model.config.causal();
}

Example FreeText::example(Split, std::uint64_t, std::uint64_t) const {
    Example example;
    example.tokens = start_;
    example.promptLength = example.inputLength = static_cast<int>(start_.size());
    return example;
}

Result<Example> FreeText::fromPrompt(const std::vector<int>&) const {
    return fail(Error::Kind::notFound, "prompt", "free text has no true continuation",
                "read what the model says instead");
}

bool hasTruth(const Example& example) {
    return !example.targets.empty();
}

}  // namespace headloom
