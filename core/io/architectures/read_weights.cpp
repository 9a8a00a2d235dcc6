#include "core/io/architectures/read_weights.h"

#include "core/base/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace headloom {

namespace {

/// What of ours is filled in where a file leaves it out.
enum class Filler { none, zeros, ones, identity, factor };

Filler fillerOf(const std::string& name, const ModelPlan& plan, const MatchedTensors& tensors) {
    const bool isNorm = name.ends_with("ln1.w") || name.ends_with("ln2.w") || name == "ln_final.w";
    if (plan.foldedNorms && isNorm) return Filler::ones;
    if (plan.qkNormFactor > 0 && (name.ends_with(".ln_q.w") || name.ends_with(".ln_k.w")))
        return Filler::factor;
    if (name.ends_with("mlp.b_gate") && !tensors.any("mlp.b_gate")) return Filler::zeros;
    if (name == "unembed.b_U") return Filler::zeros;
    // a mixing of queries and keys alone leaves the values as they are
    if (name.ends_with("attn.alpha_V") && !tensors.any("attn.alpha_V") &&
        plan.config.layers[0].kind == AttentionKind::ihaLite)
        return Filler::identity;
    return Filler::none;
}

/// A stored matrix read as [in, out], whichever way it lies.
struct Strided {
    const float* data = nullptr;
    std::int64_t in = 0, out = 0, inStep = 0, outStep = 0;
};

/// Turns stored tensors into ours, one after the other.
class WeightReader {
  public:
    WeightReader(const ModelPlan& plan, const TensorSource& source, const MatchedTensors& tensors,
                 std::function<bool()> goOn)
        : plan_(plan), source_(source), tensors_(tensors), goOn_(std::move(goOn)) {}

    Result<Tensor> read(const WeightSpec& spec, const Piece& piece) {
        return plan_.foldedPseudo > 0 && isPerHead(spec) ? folded(spec, piece)
                                                         : stored(spec, piece);
    }

  private:
    /// As the file has it.
    Result<Tensor> stored(const WeightSpec& spec, const Piece& piece) {
        if (auto fine = fetch(piece); !fine) return tl::unexpected(fine.error());
        const Tensor made = Tensor::host(spec.shape, DType::f32);
        if (spec.role == WeightRole::mixing) return mixing(spec, piece);
        const bool fits = spec.shape.rank() == 1 || isBias(spec)     ? vector(piece, made)
                          : piece.rule->layout == MatrixLayout::ours ? copy(spec, made)
                                                                     : matrix(spec, piece, made);
        if (!fits) return misfit(spec, piece);
        if (piece.rule->plus != 0)
            for (float& value : made.values<float>()) value += static_cast<float>(piece.rule->plus);
        if (plan_.interleavedRotary && rotates(spec)) byHalves(made);
        if (plan_.backwardsRotary && rotates(spec)) swapHalves(made);
        if (plan_.normedEmbedding && spec.name == "embed.W_E") normRows(made);
        return made;
    }

    static bool isPerHead(const WeightSpec& spec) {
        for (const char* name : {".W_Q", ".W_K", ".W_V", ".W_O", ".b_Q", ".b_K", ".b_V"})
            if (spec.name.ends_with(name)) return true;
        return false;
    }

    /// Pseudo-heads as heads of their own: what makes queries, keys and values is mixed, and each
    /// gets its head's share of what comes out.
    Result<Tensor> folded(const WeightSpec& spec, const Piece& piece) {
        const std::int64_t targets = spec.shape[0], heads = targets / plan_.foldedPseudo;
        WeightSpec plain = spec;
        std::vector<std::int64_t> sizes(spec.shape.sizes().begin(), spec.shape.sizes().end());
        sizes[0] = heads;
        plain.shape = Shape(sizes);
        const auto base = stored(plain, piece);
        if (!base) return base;
        const Tensor made = Tensor::host(spec.shape, DType::f32);
        if (spec.name.ends_with(".W_O")) {
            const auto share = 1 / static_cast<float>(plan_.foldedPseudo);
            for (std::int64_t target = 0; target < targets; ++target)
                add(base->at(target / plan_.foldedPseudo), share, made.at(target));
            return made;
        }
        const std::string layer = spec.name.substr(0, spec.name.rfind('.'));
        const WeightSpec mixed = {
            layer + ".alpha_" + spec.name.back(), {heads, targets}, WeightRole::mixing};
        const Piece* alpha = tensors_.find(mixed.name);
        if (!alpha)
            return fail(Error::Kind::badFile, layer, "has no mixing of its heads",
                        "download the rest of the checkpoint");
        const auto weights = stored(mixed, *alpha);
        if (!weights) return weights;
        for (std::int64_t source = 0; source < heads; ++source)
            for (std::int64_t target = 0; target < targets; ++target)
                add(base->at(source), weights->data<float>()[source * targets + target],
                    made.at(target));
        return made;
    }
    static void add(const Tensor& from, float times, const Tensor& to) {
        for (std::int64_t i = 0; i < from.count(); ++i)
            to.data<float>()[i] += times * from.data<float>()[i];
    }

    static bool isBias(const WeightSpec& spec) { return spec.role == WeightRole::bias; }
    static bool rotates(const WeightSpec& spec) {
        for (const char* name : {".W_Q", ".W_K", ".b_Q", ".b_K", ".ln_q.w", ".ln_k.w"})
            if (spec.name.ends_with(name)) return true;
        return false;
    }

    tl::unexpected<Error> misfit(const WeightSpec& spec, const Piece& piece) const {
        return fail(Error::Kind::unsupported, piece.entry->name,
                    fmt::format("has shape {}, which does not become {} of {}",
                                stored_.shape().text(), spec.name, spec.shape.text()),
                    "the file does not belong to this configuration");
    }

    /// Its axes brought in our order: source, target, pseudo.
    Result<Tensor> mixing(const WeightSpec& spec, const Piece& piece) const {
        const char* const ours[] = {"source", "target", "pseudo"};
        const int rank = spec.shape.rank();
        if (stored_.shape().rank() != rank) return misfit(spec, piece);
        std::int64_t sizes[3] = {1, 1, 1}, steps[3] = {0, 0, 0};
        std::int64_t step = stored_.count();
        for (int axis = 0; axis < rank; ++axis) {
            step /= std::max<std::int64_t>(stored_.size(axis), 1);
            int to = axis;
            for (int i = 0; i < rank && !plan_.mixingAxes.empty(); ++i)
                if (plan_.mixingAxes[static_cast<std::size_t>(axis)] == ours[i]) to = i;
            sizes[to] = stored_.size(axis);
            steps[to] = step;
        }
        for (int axis = 0; axis < rank; ++axis)
            if (sizes[axis] != spec.shape[axis]) return misfit(spec, piece);
        const Tensor made = Tensor::host(spec.shape, DType::f32);
        float* to = made.data<float>();
        for (std::int64_t m = 0; m < sizes[0]; ++m)
            for (std::int64_t h = 0; h < sizes[1]; ++h)
                for (std::int64_t p = 0; p < sizes[2]; ++p)
                    *to++ = stored_.data<float>()[m * steps[0] + h * steps[1] + p * steps[2]];
        return made;
    }

    /// A fused tensor is read once for all of its parts.
    Result<void> fetch(const Piece& piece) {
        if (held_ == piece.entry) return {};
        auto tensor = source_.read(*piece.entry, DType::f32, goOn_);
        if (!tensor) return tl::unexpected(tensor.error());
        stored_ = std::move(*tensor);
        held_ = piece.entry;
        return {};
    }

    /// Outputs before those of this part, and all of them.
    std::pair<std::int64_t, std::int64_t> partOf(const Piece& piece) const {
        const ModelConfig& config = plan_.config;
        std::int64_t before = 0, all = 0;
        for (std::size_t i = 0; i < piece.rule->to.size(); ++i) {
            const std::string& name = piece.rule->to[i];
            const std::int64_t heads = name.ends_with("_Q") ? config.nHeads : config.kvHeads();
            const std::int64_t size =
                name.starts_with("mlp.") ? config.dMlp : heads * config.dHead();
            if (i < piece.part) before += size;
            all += size;
        }
        return {before, all};
    }

    bool vector(const Piece& piece, const Tensor& made) const {
        std::int64_t first = 0, all = made.count();
        if (piece.fused()) std::tie(first, all) = partOf(piece);
        const bool padded = piece.rule->to[0] == "unembed.b_U" && stored_.count() <= made.count();
        if (stored_.count() != all && !padded) return false;
        std::copy_n(stored_.data<float>() + first, std::min(made.count(), stored_.count()),
                    made.data<float>());
        return true;
    }

    /// As it is; a table or a head with fewer tokens than the other is filled up with zeros.
    bool copy(const WeightSpec& spec, const Tensor& made) const {
        if (stored_.shape() == made.shape()) {
            std::copy_n(stored_.data<float>(), made.count(), made.data<float>());
            return true;
        }
        if (stored_.shape().rank() != 2) return false;
        const bool isTable = spec.name == "embed.W_E", isHead = spec.name == "unembed.W_U";
        const std::int64_t rows = stored_.size(0), columns = stored_.size(1);
        if (!(isTable && columns == made.size(1) && rows <= made.size(0)) &&
            !(isHead && rows == made.size(0) && columns <= made.size(1)))
            return false;
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(stored_.data<float>() + row * columns, columns,
                        made.data<float>() + row * made.size(1));
        return true;
    }

    bool matrix(const WeightSpec& spec, const Piece& piece, const Tensor& made) const {
        if (stored_.shape().rank() != 2) return false;
        Strided from;
        from.data = stored_.data<float>();
        const bool transposed = piece.rule->layout == MatrixLayout::linear;
        from.in = stored_.size(transposed ? 1 : 0);
        from.out = stored_.size(transposed ? 0 : 1);
        from.inStep = transposed ? 1 : from.out;
        from.outStep = transposed ? from.in : 1;
        if (piece.fused()) {
            const auto [first, all] = partOf(piece);
            if (from.out != all) return false;
            from.data += first * from.outStep;
        }
        const bool intoHeads = spec.shape.rank() == 3 && !spec.name.ends_with("W_O");
        // the last axis is what comes out, what goes in is before it (W_O: two axes of it)
        const std::int64_t heads = intoHeads ? spec.shape[0] : 1, width = spec.shape[-1],
                           in = made.count() / (heads * width);
        const bool isHead = spec.name == "unembed.W_U", padded = isHead && from.out < width,
                   cropped = isHead && plan_.config.dVocabOut > 0 && from.out > width;
        if (from.in != in || (!piece.fused() && from.out != heads * width && !padded && !cropped))
            return false;
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t c = 0; c < (padded ? from.out : width); ++c) {
                const float* column = from.data + (h * width + c) * from.outStep;
                float* to = made.data<float>() + h * in * width + c;
                for (std::int64_t i = 0; i < in; ++i) to[i * width] = column[i * from.inStep];
            }
        return true;
    }

    /// Columns 2i and 2i + 1 of what rotates become i and i + w/2.
    void byHalves(const Tensor& made) const {
        const std::int64_t d = made.size(-1);
        const std::int64_t width = plan_.config.rotaryWidth > 0 ? plan_.config.rotaryWidth : d;
        std::vector<float> row(static_cast<std::size_t>(width));
        for (std::int64_t at = 0; at < made.count(); at += d) {
            float* values = made.data<float>() + at;
            for (std::int64_t i = 0; i < width / 2; ++i) {
                row[static_cast<std::size_t>(i)] = values[2 * i];
                row[static_cast<std::size_t>(i + width / 2)] = values[2 * i + 1];
            }
            std::copy(row.begin(), row.end(), values);
        }
    }

    /// Turning back what has its halves swapped is turning on what has not.
    static void swapHalves(const Tensor& made) {
        const std::int64_t d = made.size(-1);
        for (std::int64_t at = 0; at < made.count(); at += d) {
            float* values = made.data<float>() + at;
            std::swap_ranges(values, values + d / 2, values + d / 2);
        }
    }

    void normRows(const Tensor& made) const {
        const std::int64_t width = made.size(-1);
        for (std::int64_t at = 0; at < made.count(); at += width) {
            float* row = made.data<float>() + at;
            double squares = 0;
            for (std::int64_t i = 0; i < width; ++i) squares += double{row[i]} * row[i];
            const double length =
                std::sqrt(squares / static_cast<double>(width) + plan_.config.normEpsilon);
            for (std::int64_t i = 0; i < width; ++i) row[i] = static_cast<float>(row[i] / length);
        }
    }

    const ModelPlan& plan_;
    const TensorSource& source_;
    const MatchedTensors& tensors_;
    std::function<bool()> goOn_;
    const TensorEntry* held_ = nullptr;
    Tensor stored_;
};

Tensor filled(const Shape& shape, Filler filler, const ModelPlan& plan) {
    const Tensor made = Tensor::host(shape, DType::f32);
    const auto values = made.values<float>();
    std::fill(values.begin(), values.end(),
              filler == Filler::ones     ? 1.f
              : filler == Filler::factor ? static_cast<float>(plan.qkNormFactor)
                                         : 0.f);
    if (filler == Filler::identity)
        for (std::int64_t i = 0; i < shape[0]; ++i) made.data<float>()[i * shape[1] + i] = 1;
    return made;
}

/// Outputs that the file's head does not have are never chosen.
void silenceMissingOutputs(const MatchedTensors& tensors, const Tensor& bias) {
    constexpr float never = -1e9f;
    const Piece* head = tensors.find("unembed.W_U");
    if (!head) return;
    const auto& shape = head->entry->shape;
    const std::int64_t outputs = shape.size() != 2                          ? bias.count()
                                 : head->rule->layout == MatrixLayout::ours ? shape[1]
                                                                            : head->out();
    for (std::int64_t id = outputs; id < bias.count(); ++id) bias.data<float>()[id] = never;
}

std::uint64_t bytesOf(const WeightSpec& spec) {
    return static_cast<std::uint64_t>(spec.shape.count()) * sizeof(float);
}

/// The weights, and beside them the one tensor of the file that is being turned into them.
Result<void> checkRoom(std::uint64_t weights, const MatchedTensors& tensors) {
    std::int64_t largest = 0;
    for (const auto& [name, piece] : tensors.pieces)
        largest = std::max(largest, piece.entry->count());
    return checkMemory(static_cast<double>(weights) + sizeof(float) * static_cast<double>(largest),
                       "weights in float32", "open a smaller model, or close what else is open");
}

}  // namespace

std::vector<std::string> missingTensors(const ModelPlan& plan, const ArchitectureMap& map,
                                        const MatchedTensors& tensors) {
    std::vector<std::string> missing;
    for (const WeightSpec& spec : weightSpecs(plan.config)) {
        if (tensors.find(spec.name) || fillerOf(spec.name, plan, tensors) != Filler::none) continue;
        // spelled as the first rule that gives this tensor has it
        std::string spelled = spec.name;
        for (const TensorRule& rule : map.tensors) {
            const auto is = [&](const std::string& to) {
                if (!rule.from.hasLayer()) return to == spec.name;
                return spec.name.starts_with("blocks.") && spec.name.ends_with("." + to);
            };
            if (!std::any_of(rule.to.begin(), rule.to.end(), is)) continue;
            const int layer =
                rule.from.hasLayer()
                    ? NameTemplate("blocks.{layer}." + rule.to[0]).match(spec.name).value_or(0)
                    : 0;
            spelled = rule.from.of(layer);
            break;
        }
        missing.push_back(std::move(spelled));
    }
    return missing;
}

Result<Weights> readWeights(const ModelPlan& plan, const TensorSource& source,
                            const MatchedTensors& tensors, const Progress& progress) {
    const std::vector<WeightSpec> specs = weightSpecs(plan.config);
    LoadProgress reached;
    for (const WeightSpec& spec : specs) reached.total += bytesOf(spec);
    if (auto fits = checkRoom(reached.total, tensors); !fits) return tl::unexpected(fits.error());
    const auto goOn = [&] { return !progress || progress(reached); };
    WeightReader reader(plan, source, tensors, goOn);
    Weights weights;
    for (const WeightSpec& spec : specs) {
        if (!goOn()) return fail(Error::Kind::interrupted, {}, "stopped");
        const Piece* piece = tensors.find(spec.name);
        if (piece) {
            auto tensor = reader.read(spec, *piece);
            if (!tensor) return tl::unexpected(tensor.error());
            weights.add(spec.name, std::move(*tensor));
        } else {
            weights.add(spec.name, filled(spec.shape, fillerOf(spec.name, plan, tensors), plan));
        }
        reached.done += bytesOf(spec);
    }
    if (!goOn()) return fail(Error::Kind::interrupted, {}, "stopped");
    if (const Tensor bias = weights.find("unembed.b_U")) silenceMissingOutputs(tensors, bias);
    return weights;
}

}  // namespace headloom
