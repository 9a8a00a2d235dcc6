#include "core/session/ablation_effect.h"
#include "core/session/prompt_questions.h"

namespace headloom {

namespace {

/// Where a part that is switched off is to be seen.
Pattern mapOf(const ModelPart& part) {
    using Kind = ModelPart::Kind;
    switch (part.kind) {
        case Kind::head:
            return {part.head, -1, -1, -1};
        case Kind::pseudoQuery:
            return {part.head, part.queryPseudo, 0, -1};
        case Kind::pseudoKey:
            return {part.head, 0, part.keyPseudo, -1};
        case Kind::pseudo:
        case Kind::tile:
        case Kind::cell:
            return {part.head, part.queryPseudo, part.keyPseudo, -1};
        case Kind::layer:
        case Kind::attention:
        case Kind::mlp:
        case Kind::weight:
            return {-1, -1, -1, -1};
    }
    return {};
}

class CutsQuestion : public PromptQuestion {
  public:
    explicit CutsQuestion(CutsAsked asked) : asked_(std::move(asked)) {}

    std::vector<AveragedTable> tables() const override {
        AveragedTable ranking{
            "ranking",
            {{"probability", "mean probability of the answers without the part"},
             {"change", "how far that is above the probability with it", true},
             {"log-ratio", "mean of log(without / with), in nats", true},
             {"rank", "mean rank of the answers' tokens without the part, from 0"},
             {"rank-change", "how far that is above the rank with it", true},
             {"flipped", "share of the answers that become other ones"}},
            {},
            {}};
        for (const Cut& cut : asked_.cuts)
            ranking.lines.push_back({nameOf(cut.part), cut.part.layer, mapOf(cut.part)});
        return {std::move(ranking)};
    }

    void prepare(ChainRequest& request) const override { request.keepResiduals = true; }

    Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run, Backend& backend,
                                       const std::function<bool()>& cancelled) const override {
        RankRequest request;
        request.run = run;
        request.cuts = asked_.cuts;
        request.answers = answersAsked(*run, asked_.answer);
        request.cancelled = cancelled;
        if (request.answers.empty())
            return std::vector<double>(6 * asked_.cuts.size(),
                                       std::numeric_limits<double>::quiet_NaN());
        const auto effects = effectsOf(request, backend);
        if (!effects) return tl::unexpected(effects.error());
        std::vector<double> numbers;
        for (const PartEffect& effect : *effects) {
            const double share =
                double(effect.flipped) / static_cast<double>(request.answers.size());
            numbers.insert(numbers.end(),
                           {effect.after, effect.after - effect.before, effect.logRatio,
                            effect.rankAfter, effect.rankAfter - effect.rankBefore, share});
        }
        return numbers;
    }

  private:
    CutsAsked asked_;
};

}  // namespace

Question askCuts(const CutsAsked& asked) {
    return std::make_shared<CutsQuestion>(asked);
}

}  // namespace headloom
