#include "views/viewmodels/why_model.h"

#include "core/session/row_of_run.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

namespace headloom {

namespace {

QString tokenShown(const ChainRun& run, int token) {
    return visibleToken(QString::fromStdString(run.model->vocabulary.text(token)));
}

QString tokenShownAt(const ChainRun& run, int row) {
    return tokenShown(run, run.tokens[static_cast<std::size_t>(row)]);
}

}  // namespace

struct WhyModel::Residual {
    std::shared_ptr<const ChainRun> run;
    int layer = -1;
    Tensor input;
};

WhyModel::WhyModel(ExploreViewModel& model, QObject* parent)
    : QObject(parent),
      model_(model),
      cellText_(tr("Point at a cell of a tile, or walk there with the arrow keys")),
      residual_(std::make_shared<Residual>()),
      cellBackend_(model.session()),
      logitBackend_(model.session()) {
    connect(&model.selection(), &Selection::cellChanged, this, &WhyModel::startCell);
    connect(&model.selection(), &Selection::stepChanged, this, &WhyModel::startLogit);
    connect(&model.session(), &ExploreSession::answered, this, &WhyModel::startAll);
}

WhyModel::~WhyModel() = default;

void WhyModel::setWanted(bool wanted) {
    wanted_ = wanted;
    if (wanted) return startAll();
    cellJob_.cancel();
    logitJob_.cancel();
}

void WhyModel::setSide(Side side) {
    if (side == side_) return;
    side_ = side;
    startLogit();
}

void WhyModel::startAll() {
    startCell();
    startLogit();
}

/// The cell that was left stays explained: on the way to the explanation the pointer leaves the
/// map.
void WhyModel::startCell() {
    if (!wanted_) return;
    std::optional<ModelPart> part;
    Side side = Side::right;
    if (const auto& pointed = model_.selection().cell()) {
        side = pointed->side;
        const MapRef& map = pointed->map;
        if (map.effective) {
            cell_ = std::nullopt;
            cellText_ =
                tr("An effective map is made of many tiles; turn to Tiles (Ctrl+E) for a "
                   "score of its own");
            emit cellChanged();
            return;
        }
        part = ModelPart::ofTile(model_.selection().layer(), map.head, map.p, map.r);
        part->kind = ModelPart::Kind::cell;
        part->query = model_.tokenOf(side, pointed->query, true);
        part->key = model_.tokenOf(side, pointed->key, false);
    } else if (cell_) {
        side = cell_->side;
        part = cell_->part;
    }
    const ColumnRunPtr& column = model_.session().runs().at(indexOf(side));
    if (!part || !column || part->query < 0 || part->key < 0) return;
    part->layer = column->clampedLayer(part->layer);
    cellJob_.start([this, run = column->run, side, part = *part, kept = residual_,
                    backend = cellBackend_.turn()](
                       const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        FoundCell found = explainCell(run, side, part, *kept, backend, cancelled);
        return [this, found = std::move(found)] {
            cell_ = found.why;
            cellText_ = found.text;
            emit cellChanged();
        };
    });
}

WhyModel::FoundCell WhyModel::explainCell(const std::shared_ptr<const ChainRun>& run, Side side,
                                          const ModelPart& part, Residual& kept,
                                          const JobBackend::Turn& backend,
                                          const LatestJob::Cancelled& cancelled) {
    const ModelConfig& config = run->model->config;
    if (const auto fine = checkPart(part, config, run->rows); !fine)
        return {std::nullopt, tr("Point at a cell of a tile, or walk there with the arrow keys")};
    if (kept.run != run || kept.layer != part.layer) {
        auto input = backend.run([&](Backend& computes) {
            return residualOfRun(*run, part.layer, computes, cancelled);
        });
        if (!input) return {std::nullopt, sentenceOf(input.error())};
        kept = {run, part.layer, std::move(*input)};
    }
    const std::vector<int> marked = run->evidence(part.query);
    std::vector<int> rows = marked;
    rows.insert(rows.end(), {part.query, part.key});
    const auto scores = LayerScores::of(config, withoutWeights(run->ablation, run->model->weights),
                                        part.layer, kept.input, rows);
    if (!scores) return {std::nullopt, sentenceOf(scores.error())};
    const ScoreCell at{part.head, part.queryPseudo, part.keyPseudo, part.query, part.key};
    auto split = scores->split(at);
    if (!split) return {std::nullopt, sentenceOf(split.error())};
    CellWhy why;
    why.side = side;
    why.part = part;
    why.split = std::move(*split);
    CrossHead share;
    share.add(why.split);
    why.share = share.share();
    if (!marked.empty()) why.evidenceShare = scores->crossHead(at, marked).share();
    why.from = tokenShownAt(*run, part.query);
    why.to = tokenShownAt(*run, part.key);
    return {std::move(why), {}};
}

void WhyModel::startLogit() {
    if (!wanted_) return;
    const ColumnRunPtr& column = model_.session().runs().at(indexOf(side_));
    if (!column) {
        logitJob_.cancel();
        logit_ = std::nullopt;
        logitText_ = tr("No model stands in this column");
        emit logitChanged();
        return;
    }
    const int row = column->clampedRow(model_.selection().step());
    logitJob_.start([this, run = column->run, side = side_, row, backend = logitBackend_.turn()](
                        const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        FoundLogit found = explainLogit(*run, side, row, backend, cancelled);
        return [this, found = std::move(found)] {
            logit_ = found.why;
            logitText_ = found.text;
            emit logitChanged();
        };
    });
}

WhyModel::FoundLogit WhyModel::explainLogit(const ChainRun& run, Side side, int row,
                                            const JobBackend::Turn& backend,
                                            const LatestJob::Cancelled& cancelled) {
    std::optional<AnswerAt> answer;
    if (!run.model->filter)
        for (const AnswerAt& at : answersOf(run))
            if (at.row == row && !answer) answer = at;
    auto trace =
        backend.run([&](Backend& computes) { return rowOfRun(run, row, computes, cancelled); });
    if (!trace) return {std::nullopt, sentenceOf(trace.error())};
    if (!answer) return {std::nullopt, tr("Nothing is answered at this token; choose a step")};
    const Model& model = *run.model;
    auto attribution =
        attributeLogit(model.config, model.weights, *trace, {answer->token, -1, answer->slot});
    if (!attribution) return {std::nullopt, sentenceOf(attribution.error())};
    LogitWhy why;
    why.side = side;
    why.at = *answer;
    why.token = tokenShown(run, answer->token);
    why.attribution = std::move(*attribution);
    why.lens = logitLens(model.config, model.weights, *trace, answer->slot, answer->token, 1);
    for (const LensPoint& point : why.lens)
        why.lensTop.push_back(point.top.empty() ? QString() : tokenShown(run, point.top[0].id));
    return {std::move(why), {}};
}

}  // namespace headloom
