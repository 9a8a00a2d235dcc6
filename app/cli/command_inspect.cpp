#include "app/cli/checkpoint_options.h"
#include "app/cli/command.h"
#include "app/cli/inspect_report.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/analysis/head_circuits.h"
#include "core/base/utf8.h"
#include "core/session/doctor.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>

namespace headloom::cli {

namespace {

struct InspectOptions {
    std::string file;
    bool json = false, check = false, statistics = false;
    std::string reference, head;
    std::vector<int> ids;
    CheckpointOptions checkpoint;
    BackendOptions backend;
};

/// Reads every tensor that can be read and says in the report which have numbers that are not
/// finite. Error: interrupted.
Result<void> addStatistics(Inspected& found) {
    const TensorSource& source = *found.loaded.source;
    std::size_t unread = 0;
    for (const TensorEntry& entry : source.entries()) {
        std::optional<TensorStatistics>& made = found.statistics.emplace_back();
        const auto reader = source.reader(entry);
        if (!reader) {
            ++unread;
            continue;
        }
        const ElementSource elements = {
            reader->count(),
            [&reader](std::int64_t first, std::span<float> out) { reader->read(first, out); }};
        made = statisticsOf(elements, 0, interrupted);
        if (!made) return fail(Error::Kind::interrupted, {}, "stopped");
        if (made->finite() != made->count)
            found.loaded.report.warnings.push_back(
                fmt::format("{} of {} numbers of {} are not finite", made->count - made->finite(),
                            made->count, visible(entry.name)));
    }
    if (unread > 0)
        found.loaded.report.notes.push_back(
            fmt::format("{} no statistics: what is of such a type is listed but not read",
                        unread == 1 ? "1 tensor has" : fmt::format("{} tensors have", unread)));
    return {};
}

/// "L.H" as two numbers that the model has.
Result<std::pair<int, int>> headNamed(const std::string& text, const ModelConfig& config) {
    std::pair<int, int> named;
    const char* const end = text.data() + text.size();
    const auto [dot, noLayer] = std::from_chars(text.data(), end, named.first);
    if (noLayer != std::errc() || dot == end || *dot != '.')
        return fail(Error::Kind::badInput, "--head", "\"" + text + "\" is not LAYER.HEAD",
                    "write for example --head 0.3");
    const auto [last, noHead] = std::from_chars(dot + 1, end, named.second);
    if (noHead != std::errc() || last != end)
        return fail(Error::Kind::badInput, "--head", "\"" + text + "\" is not LAYER.HEAD",
                    "write for example --head 0.3");
    if (named.first < 0 || named.first >= config.nLayers() || named.second < 0 ||
        named.second >= config.nHeads)
        return fail(Error::Kind::badInput, "--head", "there is no head " + text,
                    fmt::format("layers are 0 to {}, heads 0 to {}", config.nLayers() - 1,
                                config.nHeads - 1));
    return named;
}

Result<void> addHead(const std::string& text, Inspected& found) {
    if (!found.loaded.model)
        return fail(Error::Kind::unsupported, "--head",
                    "the checkpoint does not run, so it has no heads",
                    "leave --head out: the report says why");
    const Model& model = *found.loaded.model;
    const auto named = headNamed(text, model.config);
    if (!named) return tl::unexpected(named.error());
    const auto values = [&](Circuit circuit) {
        return circuitSingularValues(model.config, model.weights, named->first, named->second,
                                     circuit, {}, interrupted);
    };
    found.head = {named->first, named->second, values(Circuit::qk), values(Circuit::ov)};
    if (interrupted()) return fail(Error::Kind::interrupted, {}, "stopped");
    return {};
}

/// Runs the model for what only running tells, and adds it to the report.
Result<void> examine(const InspectOptions& options, LoadedCheckpoint& loaded) {
    if (!loaded.model) return {};
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const auto distance = distanceFromUniform(*loaded.model, **backend, interrupted);
    if (!distance) return tl::unexpected(distance.error());
    if (const std::string hint = attentionHint(*distance); !hint.empty())
        loaded.report.warnings.push_back(hint);
    else
        loaded.report.notes.push_back(fmt::format(
            "attention tells tokens apart (distance from uniform {:.2f} of 1)", *distance));
    if (options.reference.empty()) return {};
    const auto parity =
        compareLogits(*loaded.model, options.reference, options.ids, **backend, interrupted);
    if (!parity) return tl::unexpected(parity.error());
    (parity->firstDifferent < 0 ? loaded.report.notes : loaded.report.warnings)
        .push_back(parity->sentence());
    return {};
}

Result<ExitCode> inspect(const InspectOptions& options) {
    auto how = options.checkpoint.read();
    if (!how) return tl::unexpected(how.error());
    if (!options.ids.empty() && options.reference.empty())
        return fail(Error::Kind::badInput, "--ids", "there is nothing to compare with",
                    "give --reference too");
    const bool runs = options.check || !options.reference.empty();
    how->weights = runs || !options.head.empty();
    auto loaded = loadCheckpoint(options.file, *how);
    if (!loaded) return tl::unexpected(loaded.error());
    Inspected found{options.file, std::move(*loaded), {}, {}};
    if (runs)
        if (auto done = examine(options, found.loaded); !done) return tl::unexpected(done.error());
    if (options.statistics)
        if (auto done = addStatistics(found); !done) return tl::unexpected(done.error());
    if (!options.head.empty())
        if (auto done = addHead(options.head, found); !done) return tl::unexpected(done.error());
    const std::string text = options.json ? inspectedAsJson(found) : inspectedAsText(found);
    print(text);
    return exitDone;
}

}  // namespace

void addInspectCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* command =
        program.add_subcommand("inspect", "Show what is in a checkpoint, and whether it runs");
    command
        ->add_option("FILE", options->file,
                     "safetensors, PyTorch, GGUF, npz or llama2.c; or a\n"
                     "folder of shards")
        ->required()
        ->type_name("PATH");
    command->add_flag("--json", options->json, "print JSON");
    command->add_flag("--stats", options->statistics,
                      "read every tensor: min, max, mean, std, zeros and\n"
                      "what is not finite");
    command
        ->add_option("--head", options->head,
                     "norms, ranks and leading singular values of a head's\n"
                     "W_QK and W_OV: layer and head, as in 0.3")
        ->type_name("L.H");
    command->add_flag("--check", options->check,
                      "load the weights too: numbers that are not finite\n"
                      "or implausible, and attention that is uniform");
    auto* reference = command->add_option("--reference", options->reference,
                                          "compare with another program's logits: a file with\n"
                                          "\"logits\" [N, V] and \"ids\" [N], or an .npy");
    reference->type_name("FILE");
    command->add_option("--ids", options->ids, "tokens of a --reference that does not name them")
        ->delimiter(',')
        ->type_name("IDS");
    options->checkpoint.addTo(*command);
    options->backend.addTo(*command);
    command->footer(
        "Reads names and sizes only, unless a check is asked for. A file that is no checkpoint, "
        "or\n"
        "is damaged, ends with 2 and one sentence. JSON: {\"file\", \"container\", \"metadata\",\n"
        "\"tensors\": [{\"name\", \"type\", \"shape\", \"count\", \"bytes\", \"use\", "
        "\"becomes\"}],\n"
        "\"report\": {\"architecture\", \"title\", \"reason\", \"configuration\", \"runs\", "
        "\"why_not\",\n"
        "\"question\": {\"setting\", \"answers\"}, \"head_tied\", \"types\", \"dimensions\":\n"
        "[{\"name\", \"used\", \"inferred\", \"configured\"}], \"used\", \"tied\", \"ignored\",\n"
        "\"missing\", \"unexpected\", \"notes\", \"warnings\"}}. With --stats a tensor also has\n"
        "\"statistics\": {\"nans\", \"infinities\", \"zeros\", \"min\", \"max\", \"mean\", "
        "\"std\"},\n"
        "null where it is not read; with --head there is \"head\": {\"layer\", \"head\", \"W_QK\" "
        "and\n"
        "\"W_OV\": {\"norm\", \"effective_rank\", \"singular_values\"}}.");
    command->callback([options, &work] { work = [options] { return inspect(*options); }; });
}

}  // namespace headloom::cli
