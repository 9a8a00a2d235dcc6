#pragma once

#include "app/cli/checkpoint_options.h"
#include "app/cli/edit_options.h"
#include "core/session/chain_run.h"
#include "core/session/open_model.h"
#include "core/tasks/task.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// A model with something to read.
struct PromptedModel {
    OpenedModel opened;            ///< with its edits
    std::unique_ptr<Task> task;    ///< of the model's recipe; null for a model without one
    std::vector<int> prompt;       ///< token ids
    std::optional<Example> truth;  ///< where the prompt is one of the task's; none: free text

    /// A run over it that stops where the user interrupts the program.
    ChainRequest request() const;
};

/// What every command that lets a model read something asks for: MODEL, --example, --prompt, --ids,
/// --tokenizer, what is to be said about a checkpoint, and what is changed in the mixing.
struct PromptOptions {
    std::string model;
    std::optional<std::int64_t> example;
    std::optional<std::string> prompt, ids, tokenizer;
    CheckpointOptions checkpoint;
    EditOptions edits;

    /// `must`: whether MODEL has to be given; if not, the other options need it.
    void addTo(CLI::App& command, bool must = true);
    /// What a report calls the model: its name, and its edits.
    std::string named() const { return edits.named(model); }
    /// Errors: a model that does not open, a prompt its tokenizer cannot read, no prompt at all,
    /// edits of weights that it does not have.
    Result<PromptedModel> open() const;
    /// The model alone, for commands that choose what it reads. Errors: the same but a prompt's.
    Result<PromptedModel> openModel() const;
};

}  // namespace headloom::cli
