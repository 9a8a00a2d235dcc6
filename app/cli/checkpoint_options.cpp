#include "app/cli/checkpoint_options.h"

#include "app/cli/interrupt.h"
#include "core/io/source_file.h"

namespace headloom::cli {

void CheckpointOptions::addTo(CLI::App& command) {
    command
        .add_option("--set", settings,
                    "what a checkpoint's configuration does not say or\n"
                    "says wrongly, as nHeads=8; as often as wanted")
        ->type_name("NAME=VALUE");
    command
        .add_option("--alpha-order", alphaOrder,
                    "axes of interleaved heads' alphas in the file:\n"
                    "source-target or target-source")
        ->type_name("ORDER");
    command
        .add_option("--map", maps,
                    "an architecture map (JSON) beside the built-in\n"
                    "ones; see assets/architectures/README.md")
        ->type_name("FILE");
}

Result<LoadOptions> CheckpointOptions::read() const {
    LoadOptions options;
    options.progress = [](const LoadProgress&) { return !interrupted(); };
    for (const std::string& each : settings) {
        const std::size_t at = each.find('=');
        if (at == std::string::npos || at == 0)
            return fail(Error::Kind::badInput, "--set", "\"" + each + "\" is not NAME=VALUE",
                        "write for example --set nHeads=8");
        options.settings[each.substr(0, at)] = each.substr(at + 1);
    }
    if (!alphaOrder.empty()) options.settings["alphaOrder"] = alphaOrder;
    for (const std::string& path : maps) {
        const auto file = SourceFile::open(path);
        if (!file) return tl::unexpected(file.error());
        auto map = architectureFromJson(file->text());
        if (!map) {
            Error error = map.error();
            error.where = path + ", " + error.where;
            return tl::unexpected(std::move(error));
        }
        options.maps.push_back(std::move(*map));
    }
    return options;
}

}  // namespace headloom::cli
