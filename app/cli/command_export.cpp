#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "core/io/atomic_file.h"
#include "core/io/npz_write.h"
#include "core/io/safetensors.h"
#include "core/session/bundled.h"
#include "core/session/map_figure.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace headloom::cli {

namespace {

struct ExportOptions {
    PromptOptions read;
    std::string part = "L0", output;
    std::vector<std::string> off;
    bool effective = false;
    BackendOptions backend;
};

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

Result<ChainRun> runOf(const ExportOptions& options, const ModelPart& shown) {
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request = read->request();
    request.activations = false;
    request.mapLayers = {shown.layer};
    request.effectiveMaps = options.effective;
    for (const std::string& name : options.off) {
        const auto part = partFrom(name);
        if (!part) return tl::unexpected(part.error());
        Cut cut;
        cut.part = *part;
        request.ablation.cuts.push_back(cut);
    }
    return runChain(request, **backend);
}

Result<void> writeTensors(const Figure& figure, const std::filesystem::path& path) {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const FigurePanel& panel : figure.panels)
        tensors.emplace_back(panel.title,
                             Tensor::of<float>({figure.rows(), figure.columns()}, panel.values));
    std::string provenance;
    for (const std::string& line : figure.provenance) provenance += line + "\n";
    if (path.extension() == ".npz")
        return writeNpz(path, tensors, figure.title + "\n" + provenance);
    return writeSafetensors(
        path, std::move(tensors),
        {{"headloom.figure", figure.title}, {"headloom.provenance", provenance}});
}

Result<ExitCode> exportMaps(const ExportOptions& options) {
    const std::filesystem::path path = options.output;
    const std::string kind = path.extension().string();
    if (kind != ".svg" && kind != ".csv" && kind != ".npz" && kind != ".safetensors")
        return bad("--output",
                   fmt::format("\"{}\" does not end as a file that can be written", options.output),
                   "end it in .svg (a picture), .csv (its numbers), .npz or .safetensors");
    const auto part = partFrom(options.part);
    if (!part) return tl::unexpected(part.error());
    const auto run = runOf(options, *part);
    if (!run) return tl::unexpected(run.error());
    const auto assets = assetsFolder();
    if (!assets) return tl::unexpected(assets.error());
    auto figure = mapFigure(*run, *part, options.effective, *assets);
    if (!figure) return tl::unexpected(figure.error());
    figure->title =
        fmt::format("{}, {} {}", options.read.named(),
                    options.effective ? "effective maps of" : "attention of", nameOf(*part));
    figure->provenance = provenanceOf(*run, options.read.named());
    const auto written = kind == ".svg"   ? writeFileAtomically(path, figureAsSvg(*figure))
                         : kind == ".csv" ? writeFileAtomically(path, figureAsCsv(*figure))
                                          : writeTensors(*figure, path);
    if (!written) return tl::unexpected(written.error());
    return exitDone;
}

}  // namespace

void addExportCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* command =
        program.add_subcommand("export", "Maps as a picture to print, or as numbers");
    options->read.addTo(*command);
    command
        ->add_option("--part", options->part,
                     "whose maps: a layer (L1), a head (L1H3) or a tile\n"
                     "(L1H3.q0k1); default L0")
        ->type_name("PART");
    command->add_flag("--effective", options->effective,
                      "effective maps M[target, source] of a layer or of a\n"
                      "target head instead of tiles");
    command
        ->add_option("--off", options->off,
                     "a part that is switched off, as often as wanted; see\n"
                     "\"ablate\"")
        ->type_name("PART")
        ->expected(1)
        ->take_all();
    command
        ->add_option("-o,--output", options->output,
                     "FILE.svg with axes, words and colour bar; FILE.csv,\n"
                     "a line a cell; FILE.npz or FILE.safetensors, a tensor\n"
                     "a map")
        ->type_name("FILE")
        ->required();
    options->backend.addTo(*command);
    command->footer(
        "The model is fed the true chain of the example, or the prompt. A picture of up to 20,000\n"
        "cells is all vectors; above that each map is one image of a pixel a cell. The lines "
        "below\n"
        "it say which weights, tokens and switched-off parts it is of.");
    command->callback([options, &work] { work = [options] { return exportMaps(*options); }; });
}

}  // namespace headloom::cli
