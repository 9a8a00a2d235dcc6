#include "app/cli/checkpoint_options.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/base/utf8.h"
#include "core/session/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace headloom::cli {

namespace {

using json = nlohmann::ordered_json;

struct InspectOptions {
    std::string file;
    bool json = false, check = false;
    std::string reference;
    std::vector<int> ids;
    CheckpointOptions checkpoint;
    BackendOptions backend;
};

std::string shapeText(const TensorEntry& entry) {
    return fmt::format("[{}]", fmt::join(entry.shape, ", "));
}

const TensorFate* fateOf(const LoadReport& report, std::size_t at) {
    return at < report.tensors.size() ? &report.tensors[at] : nullptr;
}

json reportJson(const LoadReport& report) {
    json dimensions = json::array();
    for (const DimensionCheck& check : report.dimensions) {
        json entry = {{"name", check.name}, {"used", check.used}};
        entry["inferred"] = check.inferred ? json(*check.inferred) : json();
        entry["configured"] = check.configured ? json(*check.configured) : json();
        dimensions.push_back(std::move(entry));
    }
    const auto lists = [](const std::vector<std::string>& texts) {
        json all = json::array();
        for (const std::string& text : texts) all.push_back(asUtf8(text));
        return all;
    };
    json types = json::object();
    for (const auto& [type, count] : report.types) types[asUtf8(type)] = count;
    return {{"architecture", report.architecture},
            {"title", report.title},
            {"reason", asUtf8(report.reason)},
            {"configuration", asUtf8(report.configSource)},
            {"runs", report.notRunnable.empty()},
            {"why_not", asUtf8(report.notRunnable)},
            {"head_tied", report.headTied},
            {"types", std::move(types)},
            {"dimensions", std::move(dimensions)},
            {"used", lists(report.named(TensorUse::used))},
            {"tied", lists(report.named(TensorUse::tied))},
            {"ignored", lists(report.named(TensorUse::ignored))},
            {"missing", lists(report.missing)},
            {"unexpected", lists(report.named(TensorUse::unexpected))},
            {"notes", lists(report.notes)},
            {"warnings", lists(report.warnings)}};
}

std::string asJson(const InspectOptions& options, const LoadedCheckpoint& loaded) {
    json tensors = json::array(), metadata = json::object();
    for (std::size_t i = 0; i < loaded.source->entries().size(); ++i) {
        const TensorEntry& entry = loaded.source->entries()[i];
        const TensorFate* fate = fateOf(loaded.report, i);
        tensors.push_back({{"name", asUtf8(entry.name)},
                           {"type", asUtf8(entry.typeName)},
                           {"shape", entry.shape},
                           {"count", entry.count()},
                           {"bytes", entry.bytes},
                           {"use", fate ? nameOf(fate->use) : "unexpected"},
                           {"becomes", fate ? fate->becomes : std::vector<std::string>{}}});
    }
    for (const auto& [key, value] : loaded.source->metadata())
        metadata[asUtf8(key)] = asUtf8(value);
    const json root = {{"file", asUtf8(options.file)},
                       {"container", loaded.source->format()},
                       {"metadata", std::move(metadata)},
                       {"tensors", std::move(tensors)},
                       {"report", reportJson(loaded.report)}};
    return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

constexpr std::size_t deepest = 32;  ///< parts of a name; more than any module nests

/// Names by their dots, each part once; what is the same in every line above is left out.
std::string treeText(const LoadedCheckpoint& loaded) {
    Table table({"numbers", "type", "shape", "use", "tensor"});
    std::vector<std::string> open;
    for (std::size_t i = 0; i < loaded.source->entries().size(); ++i) {
        const TensorEntry& entry = loaded.source->entries()[i];
        std::vector<std::string> parts;
        for (std::size_t at = 0; at <= entry.name.size();) {
            // A hostile name may be a million dots: indenting them all would fill the memory.
            const std::size_t end = parts.size() + 1 == deepest
                                        ? entry.name.size()
                                        : std::min(entry.name.find('.', at), entry.name.size());
            parts.push_back(entry.name.substr(at, end - at));
            at = end + 1;
        }
        std::size_t same = 0;
        while (same + 1 < parts.size() && same < open.size() && parts[same] == open[same]) ++same;
        for (std::size_t depth = same; depth + 1 < parts.size(); ++depth)
            table.add({"", "", "", "", std::string(2 * depth, ' ') + visible(parts[depth])});
        const TensorFate* fate = fateOf(loaded.report, i);
        table.add({std::to_string(entry.count()), visible(entry.typeName), shapeText(entry),
                   fate ? nameOf(fate->use) : "",
                   std::string(2 * (parts.size() - 1), ' ') + visible(parts.back())});
        parts.pop_back();
        open = std::move(parts);
    }
    return table.text();
}

/// Runs the model for what only running tells, and adds it to the report.
Result<void> examine(const InspectOptions& options, LoadedCheckpoint& loaded) {
    if (!loaded.model) return {};
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const auto distance = distanceFromUniform(*loaded.model, **backend);
    if (!distance) return tl::unexpected(distance.error());
    if (const std::string hint = uniformAttentionHint(*distance); !hint.empty())
        loaded.report.warnings.push_back(hint);
    if (options.reference.empty()) return {};
    const auto parity = compareLogits(*loaded.model, options.reference, options.ids, **backend);
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
    how->weights = runs;
    auto loaded = loadCheckpoint(options.file, *how);
    if (!loaded) return tl::unexpected(loaded.error());
    if (runs)
        if (auto done = examine(options, *loaded); !done) return tl::unexpected(done.error());
    const std::string text = options.json ? asJson(options, *loaded)
                                          : treeText(*loaded) + "\n" + visible(options.file) +
                                                "\n" + loaded->report.text();
    std::fwrite(text.data(), 1, text.size(), stdout);
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
        "\"head_tied\", \"types\", \"dimensions\": [{\"name\", \"used\", \"inferred\", "
        "\"configured\"}],\n"
        "\"used\", \"tied\", \"ignored\", \"missing\", \"unexpected\", \"notes\", \"warnings\"}}.");
    command->callback([options, &work] { work = [options] { return inspect(*options); }; });
}

}  // namespace headloom::cli
