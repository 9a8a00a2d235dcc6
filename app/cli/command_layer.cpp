#include "app/cli/command.h"
#include "app/cli/options.h"
#include "core/base/memory.h"
#include "core/io/layer_file.h"
#include "core/models/guarded.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct LayerOptions {
    std::string in, out;
    std::optional<int> heads, pseudo, window;
    std::string mask = "flat", positions = "virtual", score = "softmax";
    BackendOptions backend;
};

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

/// The layer as a model of its own, so that one function says what is impossible.
Result<LayerConfig> layerConfig(const LayerOptions& options, const LayerFile& file) {
    ModelConfig config;
    config.dModel = static_cast<int>(file.width());
    config.nHeads = options.heads.value_or(file.nHeads);
    config.dVocab = 1;
    config.nCtx = static_cast<int>(file.tokens());
    LayerConfig layer;
    layer.kind = file.kind;
    layer.collapse = file.collapse;
    layer.nPseudo = options.pseudo.value_or(file.nPseudo);
    const auto mask = maskFrom(options.mask);
    if (!mask) return tl::unexpected(mask.error());
    const auto positions = positionsFrom(options.positions);
    if (!positions) return tl::unexpected(positions.error());
    const auto score = scoreFrom(options.score);
    if (!score) return tl::unexpected(score.error());
    layer.mask = *mask;
    layer.positions = *positions;
    layer.score = *score;
    if (options.window && *options.window < 1)
        return bad("--window", fmt::format("{} tokens are too few", *options.window),
                   "a window has at least 1 token; leave it out for none");
    layer.window = options.window.value_or(0);
    config.layers = {layer};
    if (auto fine = validate(config); !fine) return tl::unexpected(fine.error());
    if (config.nHeads != file.nHeads)
        return bad(
            "--heads",
            fmt::format("the file's weights have H = {}, not {}", file.nHeads, config.nHeads),
            "leave it out: H follows from the shape of wq");
    if (layer.nPseudo != file.nPseudo)
        return bad(
            "--pseudo",
            fmt::format("the file's weights have P = {}, not {}", file.nPseudo, layer.nPseudo),
            "leave it out: P follows from the shape of alpha_q");
    return layer;
}

/// The maps as computed, interleaved, and as float32 for the file.
Result<void> checkMaps(const LayerFile& file) {
    const double size = static_cast<double>(file.tokens()) * file.nPseudo;
    const auto cell = static_cast<double>(sizeOf(file.x.dtype()));
    return checkMemory(file.nHeads * size * size * (2 * cell + sizeof(float)),
                       fmt::format("maps [{0}, {1:.0f}, {1:.0f}]", file.nHeads, size),
                       "use fewer tokens");
}

Result<LayerFile> load(const LayerOptions& options, const BackendOptions& backend) {
    // Only `reference` computes in double.
    if (backend.name == "reference") return loadLayerFile(options.in);
    return loadLayerFile(options.in, DType::f32);
}

Result<ExitCode> runLayer(LayerOptions options) {
    std::error_code ignored;
    if (std::filesystem::equivalent(options.in, options.out, ignored))
        return bad(options.out, "is the input", "write to another file");
    auto file = loadLayerFile(options.in);
    if (!file) return tl::unexpected(file.error());
    if (options.backend.name == "auto" && file->x.dtype() == DType::f64)
        options.backend.name = "reference";
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    file = load(options, options.backend);
    if (!file) return tl::unexpected(file.error());
    const auto layer = layerConfig(options, *file);
    if (!layer) return tl::unexpected(layer.error());
    if (auto fine = checkMaps(*file); !fine) return tl::unexpected(fine.error());

    constexpr double ropeTheta = 10000.0;
    const auto result = guarded([&]() -> Result<AttentionLayerResult> {
        return runAttentionLayer(*layer, ropeTheta, file->weights, file->x, **backend);
    });
    if (!result) return tl::unexpected(result.error());
    if (auto saved = saveLayerResult(options.out, result->out, result->maps); !saved)
        return tl::unexpected(saved.error());
    const std::int64_t size = file->tokens() * file->nPseudo;
    fmt::print("{}: y {}, maps [{}, {}, {}], computed in {} by {}\n", options.out,
               Shape{file->tokens(), result->out.size(2)}.text(), file->nHeads, size, size,
               file->x.dtype() == DType::f64 ? "double" : "float", (*backend)->info().name);
    return exitDone;
}

}  // namespace

void addLayerCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<LayerOptions>();
    CLI::App* command = program.add_subcommand(
        "layer", "Run one attention layer: layer file in, output and maps out");
    command
        ->add_option("IN", options->in,
                     "safetensors file with x [N, D], wq wk wv [H, D, d],\n"
                     "optional wo [D, D], and for IHA alpha_q alpha_k alpha_v\n"
                     "[H, H, P] (source, target, pseudo) and collapse\n"
                     "[H, H*P] or [H, P]")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("OUT", options->out,
                     "safetensors file to write: y [N, D] and\nmaps [H, N*P, N*P], F32")
        ->required()
        ->type_name("FILE");
    command->add_option("--heads", options->heads, "H; must agree with the file")->type_name("H");
    command->add_option("--pseudo", options->pseudo, "P; must agree with the file")->type_name("P");
    command->add_option("--mask", options->mask, "flat, token or none (default flat)")
        ->type_name("MASK");
    command
        ->add_option("--positions", options->positions,
                     "rotary positions: virtual, token or none\n(default virtual)")
        ->type_name("KIND");
    command->add_option("--score", options->score, "softmax, linear or hard (default softmax)")
        ->type_name("SCORE");
    command
        ->add_option("--window", options->window,
                     "tokens a query sees, its own included, at least 1\n(default: all)")
        ->type_name("W");
    options->backend.addTo(*command);
    command->footer(
        "With --backend auto an F64 file is computed in double by reference, any other\n"
        "in float by cpu.");
    command->callback([options, &work] { work = [options] { return runLayer(*options); }; });
}

}  // namespace headloom::cli
