#pragma once

#include "core/session/prompt_question.h"
#include "core/session/prompt_set.h"

namespace headloom {

struct ManyPromptsRequest {
    std::shared_ptr<const Model> model;
    std::vector<Cut> cuts;  ///< switched off while every prompt is read
    PromptSet prompts;
    std::vector<std::shared_ptr<const PromptQuestion>> questions;
    std::string backend = "auto";
    int threads = 1;
    /// Prompts that are done. Called on one thread at a time, not always the same one.
    std::function<void(int done)> progress;
    std::function<bool()> cancelled;
};

/// What questions are answered by, on average.
struct ManyAverages {
    std::vector<AveragedTable> tables;  ///< of the questions, one after the other
    int asked = 0;                      ///< prompts that there were
    int done = 0;  ///< the first so many of them count; fewer where it was cancelled
    /// Why the later prompts were read on the processor: the device that was asked for failed.
    std::optional<Error> fellBack;
};

/// Answers questions for every prompt, one prompt at a time on each thread, and averages. What a
/// prompt is answered is what the single-prompt functions say of it, and it is added in the order
/// of the prompts: any number of threads gives the same numbers. Errors: the first prompt's that
/// cannot be answered, which it names; an unknown backend; cancelled before the first was done.
Result<ManyAverages> averageOver(const ManyPromptsRequest& request);

}  // namespace headloom
