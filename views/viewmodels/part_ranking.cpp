#include "views/viewmodels/part_ranking.h"

#include "core/session/donor.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <algorithm>

namespace headloom {

namespace {
constexpr int progressBeatMilliseconds = 100;
}

PartRanking::PartRanking(ExploreViewModel& model, QObject* parent)
    : QObject(parent), model_(model), backend_(model.session()) {
    beat_.setInterval(progressBeatMilliseconds);
    connect(&beat_, &QTimer::timeout, this, &PartRanking::changed);
    connect(&job_, &LatestJob::busyChanged, this, [this] {
        job_.busy() ? beat_.start() : beat_.stop();
        emit changed();
    });
    connect(&model.session(), &ExploreSession::answered, this, &PartRanking::forget);
}

PartRanking::~PartRanking() = default;

double PartRanking::progress() const {
    return progress_ ? progress_->load() : 0;
}

/// A ranking is of one run; of another it says nothing.
void PartRanking::forget() {
    const ColumnRunPtr& column = model_.session().runs().at(indexOf(side_));
    if (!asked_ || (column && column->run->trace.logits.raw() == asked_->trace.logits.raw()))
        return;
    asked_ = nullptr;
    job_.cancel();
    effects_.clear();
    text_.clear();
    emit changed();
}

void PartRanking::start(const Question& question) {
    effects_.clear();
    side_ = question.side;
    const ColumnRunPtr& column = model_.session().runs().at(indexOf(side_));
    if (!column || column->run->model->filter) {
        text_ = column ? tr("A filter says nothing that could be lost")
                       : tr("No model stands in this column");
        emit changed();
        return;
    }
    asked_ = column->run;
    RankRequest ranking;
    const ModelConfig& config = column->config();
    for (int layer = 0; layer < config.nLayers(); ++layer) {
        if (question.layerOnly && layer != column->clampedLayer(model_.selection().layer()))
            continue;
        for (ModelPart& part : partsOf(question.kind, config, layer)) {
            Cut cut;
            cut.part = std::move(part);
            cut.instead = question.instead;
            ranking.cuts.push_back(std::move(cut));
        }
    }
    if (ranking.cuts.empty()) {
        text_ = tr("This model has no such parts");
        emit changed();
        return;
    }
    ChainRequest request;
    request.model = column->run->model;
    request.mode = column->run->mode;
    request.truth = column->run->truth;
    request.ablation = column->run->ablation;
    request.editOf = column->run;
    request.maps = request.activations = false;
    request.keepResiduals = true;
    std::vector<int> otherPrompt;
    if (question.instead == Instead::other) {
        auto tokens = model_.edits().otherTokens(side_);
        if (!tokens) {
            text_ = sentenceOf(tokens.error());
            emit changed();
            return;
        }
        otherPrompt = std::move(*tokens);
    }
    progress_ = std::make_shared<std::atomic<double>>(0);
    ranking.progress = [progress = progress_](double share) { *progress = share; };
    text_.clear();
    std::optional<int> step;
    if (question.stepOnly) step = model_.selection().step();
    job_.start([this, request, ranking, step, otherPrompt, backend = backend_.turn()](
                   const LatestJob::Cancelled& cancelled) mutable -> LatestJob::Deliver {
        request.cancelled = ranking.cancelled = cancelled;
        Answer made = rank(std::move(request), std::move(ranking), step, otherPrompt, backend);
        return [this, made = std::move(made)] {
            effects_ = made.effects;
            text_ = made.text;
            emit changed();
        };
    });
}

PartRanking::Answer PartRanking::rank(ChainRequest request, RankRequest ranking,
                                      std::optional<int> step, const std::vector<int>& otherPrompt,
                                      const JobBackend::Turn& backend) {
    const auto sentence = [](const Error& error) { return Answer{{}, sentenceOf(error)}; };
    auto whole = backend.run([&](Backend& computes) { return runChain(request, computes); });
    if (!whole) return sentence(whole.error());
    ranking.run = std::make_shared<const ChainRun>(std::move(*whole));
    if (!otherPrompt.empty()) {
        Ablation asked;
        asked.cuts = ranking.cuts;
        asked.otherPrompt = otherPrompt;
        const ChainRun& run = *ranking.run;
        if (auto fine = checkAblation(asked, run.model->config, run.rows); !fine)
            return sentence(fine.error());
        auto donor = backend.run([&](Backend& computes) {
            return donorOver(run.rows, otherPrompt, run.model, computes, ranking.cancelled);
        });
        if (!donor) return sentence(donor.error());
        ranking.donor = std::move(*donor);
    }
    for (const AnswerAt& at : answersOf(*ranking.run))
        if (!step || at.row == *step) ranking.answers.push_back(at);
    if (ranking.answers.empty())
        return {{}, tr("Nothing is said at this step that could be lost; choose another")};
    const std::size_t answers = ranking.answers.size();
    auto effects = backend.run([&](Backend& computes) { return rankCuts(ranking, computes); });
    if (!effects) return sentence(effects.error());
    const double before = effects->empty() ? 0 : effects->front().before;
    return {std::move(*effects),
            tr("%1 parts, each off alone; mean probability of %2 answer(s), %3 with all on")
                .arg(ranking.cuts.size())
                .arg(answers)
                .arg(before, 0, 'f', 3)};
}

}  // namespace headloom
