#pragma once

#include "core/session/open_model.h"
#include "core/tasks/task.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace headloom {

/// A model from elsewhere with the tokens it reads, ready for prompts.
struct TextModel {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Task> text;  ///< core/session/free_text.h
    std::string beginning;             ///< a prompt to show it with; may be empty
    std::string vocabulary;            ///< where its tokens come from, in words
};

/// Gives an opened model its tokenizer: the one named, or else the file's own or one beside it that
/// fits. Without any, prompts are ids. Errors: a named tokenizer that cannot be read or has more
/// tokens than the model.
Result<TextModel> withTokenizer(const OpenedModel& opened, const std::filesystem::path& path,
                                const std::optional<std::filesystem::path>& tokenizer = {});

}  // namespace headloom
