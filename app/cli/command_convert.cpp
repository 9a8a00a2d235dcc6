#include "app/cli/checkpoint_options.h"
#include "app/cli/command.h"
#include "core/base/utf8.h"
#include "core/io/model_file.h"
#include "core/session/bundled.h"
#include "core/session/iha_from_mha.h"
#include "core/session/open_model.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct ConvertOptions {
    std::string file, output;
    std::optional<int> pseudo;
    CheckpointOptions checkpoint;
};

Result<ExitCode> convert(const ConvertOptions& options) {
    const auto file = findModelFile(options.file);
    if (!file) return tl::unexpected(file.error());
    std::error_code ignored;
    if (std::filesystem::equivalent(*file, options.output, ignored))
        return fail(Error::Kind::badInput, options.output, "is the input", "write to another file");
    const auto how = options.checkpoint.read();
    if (!how) return tl::unexpected(how.error());
    auto opened = openModel(options.file, *how);
    if (!opened) return tl::unexpected(opened.error());
    if (options.pseudo) {
        auto made = ihaFromMha(*opened->model, *options.pseudo);
        if (!made) return tl::unexpected(made.error());
        opened->model = std::move(*made);
    }
    const Model& model = *opened->model;
    if (auto done = saveModel(options.output, model); !done) return tl::unexpected(done.error());
    fmt::print("Written: {}: {}, {} parameters\n", visible(options.output), model.config.summary(),
               model.weights.parameterCount());
    for (const std::string& warning : opened->report.warnings)
        fmt::print("warning: {}.\n", visible(warning));
    return exitDone;
}

}  // namespace

void addConvertCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<ConvertOptions>();
    CLI::App* command = program.add_subcommand(
        "convert", "Save any model that runs as safetensors, or make an IHA of it");
    command
        ->add_option("FILE", options->file,
                     "a checkpoint (file or folder), or the name of a\n"
                     "bundled model")
        ->required()
        ->type_name("NAME");
    command
        ->add_option("--output", options->output,
                     "the safetensors file to write; replaced as a whole\n"
                     "if it is there")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--iha", options->pseudo,
                     "give every ordinary head P pseudo-heads, mixed by\n"
                     "the identity: the same answers, to be edited")
        ->type_name("P");
    options->checkpoint.addTo(*command);
    command->footer(
        "Weights are written as float32 under TransformerLens names, with the configuration in\n"
        "the metadata: \"run\", \"inspect\" and the window open the file as a model of their own.\n"
        "Converting it again gives the same bytes. A tokenizer of others is not written: leave it\n"
        "beside the file, or name it with \"run --tokenizer\".");
    command->callback([options, &work] { work = [options] { return convert(*options); }; });
}

}  // namespace headloom::cli
