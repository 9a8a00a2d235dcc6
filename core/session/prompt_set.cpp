#include "core/session/prompt_set.h"

#include "core/base/counted.h"
#include "core/base/utf8.h"

#include <fmt/format.h>

#include <fstream>

namespace headloom {

namespace {

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

tl::unexpected<Error> badLine(const std::string& name, std::size_t line, std::string what,
                              std::string remedy) {
    return fail(Error::Kind::badInput, fmt::format("{}, line {}", name, line), std::move(what),
                std::move(remedy));
}

/// Takes the first line off the text, without what ends it.
std::string_view takeLine(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Result<NamedPrompt> promptOfLine(std::string_view line, std::size_t number, const std::string& name,
                                 const Model& model, const Task* task) {
    if (const auto wrong = firstNotUtf8(line))
        return badLine(name, number, fmt::format("byte {} is not UTF-8", *wrong + 1),
                       "save the file as UTF-8");
    auto tokens = model.vocabulary.encode(line);
    if (!tokens) return badLine(name, number, tokens.error().what, tokens.error().remedy);
    NamedPrompt prompt{fmt::format("line {}", number), std::move(*tokens), {}};
    if (static_cast<int>(prompt.tokens.size()) > model.config.nCtx)
        return badLine(name, number, fmt::format("{} tokens are too many", prompt.tokens.size()),
                       fmt::format("this model reads at most {}", model.config.nCtx));
    if (task)
        if (auto truth = task->fromPrompt(prompt.tokens)) prompt.truth = std::move(*truth);
    return prompt;
}

}  // namespace

Result<PromptSet> PromptSet::ofTask(std::shared_ptr<const Task> task, std::int64_t first,
                                    int count) {
    if (count < 1)
        return fail(Error::Kind::badInput, "examples", "there must be at least one example",
                    "give a number from 1 up");
    if (first < 0)
        return fail(Error::Kind::badInput, "examples", fmt::format("there is no example {}", first),
                    "count from 0");
    PromptSet set;
    set.words_ =
        fmt::format("held-out examples {} to {} of {}", first, first + count - 1, task->info().id);
    set.exactRows_ = task->info().exactRows;
    set.task_ = std::move(task);
    set.first_ = first;
    set.count_ = count;
    return set;
}

Result<PromptSet> PromptSet::ofText(std::string_view text, const std::string& name,
                                    const Model& model, const Task* task) {
    PromptSet set;
    if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = takeLine(text);
        if (line.find_first_not_of(" \t\v\f") == std::string_view::npos) continue;
        auto prompt = promptOfLine(line, number, name, model, task);
        if (!prompt) return tl::unexpected(prompt.error());
        set.typed_.push_back(std::move(*prompt));
    }
    if (set.typed_.empty())
        return fail(Error::Kind::badInput, name, "there is no prompt in it",
                    "write one prompt a line");
    set.exactRows_ = task && task->info().exactRows;
    set.words_ = counted(set.typed_.size(), "prompt") + " of " + name;
    return set;
}

Result<PromptSet> PromptSet::ofFile(const std::filesystem::path& path, const Model& model,
                                    const Task* task) {
    const std::string name = asUtf8(path.filename().string());
    std::ifstream in(path, std::ios::binary);
    std::string text(mostBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.eof() && !in.good())
        return fail(Error::Kind::notFound, asUtf8(path.string()), "the file cannot be read",
                    "check its name and whether you may read it");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > mostBytes)
        return fail(Error::Kind::badFile, asUtf8(path.string()),
                    fmt::format("it has more than {} MiB", mostBytes >> 20),
                    "split it into smaller files");
    return ofText(text, name, model, task);
}

NamedPrompt PromptSet::at(int index) const {
    if (!task_) return typed_[static_cast<std::size_t>(index)];
    const std::int64_t number = first_ + index;
    NamedPrompt prompt{fmt::format("example {}", number), {}, {}};
    prompt.truth = task_->example(Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(number));
    prompt.tokens.assign(prompt.truth->tokens.begin(),
                         prompt.truth->tokens.begin() + prompt.truth->promptLength);
    return prompt;
}

std::optional<int> PromptSet::length() const {
    if (task_) return task_->info().inputLength;  // of every example
    std::optional<int> length;
    for (const NamedPrompt& prompt : typed_) {
        const int own = prompt.truth ? prompt.truth->inputLength : int(prompt.tokens.size());
        if (length && *length != own) return std::nullopt;
        length = own;
    }
    return length;
}

}  // namespace headloom
