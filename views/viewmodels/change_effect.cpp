#include "views/viewmodels/change_effect.h"

#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr std::int64_t mostMapBytes = std::int64_t{64} << 20;

QString smallNumber(double value) {
    return QString::number(value, 'g', 2);
}

const SessionState::Column& shownColumn(const ExploreViewModel& model, Side side) {
    return model.session().shownState().columns[static_cast<std::size_t>(indexOf(side))];
}

bool mixesHeads(const Model& model) {
    return std::any_of(model.config.layers.begin(), model.config.layers.end(),
                       [](const LayerConfig& layer) { return !mixingTensorsOf(layer).empty(); });
}

QString mhaWords(const MhaDifference& found) {
    QString largest;
    if (found.maps && found.logits)
        largest = ChangeEffect::tr("largest difference %1 in the maps, %2 in the logits")
                      .arg(smallNumber(*found.maps), smallNumber(*found.logits));
    else if (found.logits)
        largest =
            ChangeEffect::tr("largest difference %1 in the logits").arg(smallNumber(*found.logits));
    return (found.exact ? ChangeEffect::tr("This is plain MHA (%1): %2.")
                        : ChangeEffect::tr("Not plain MHA (%1): %2."))
        .arg(largest, QString::fromStdString(found.reason));
}

}  // namespace

ChangeEffect::ChangeEffect(ExploreViewModel& model, QObject* parent)
    : QObject(parent), model_(model), backend_(model.session()) {
    connect(&model.session(), &ExploreSession::answered, this, &ChangeEffect::start);
}

ChangeEffect::~ChangeEffect() = default;

void ChangeEffect::setWanted(bool wanted) {
    wanted_ = wanted;
    if (wanted)
        start();
    else
        job_.cancel();
}

void ChangeEffect::setSide(Side side) {
    if (side == side_) return;
    side_ = side;
    start();
    emit changed();
}

void ChangeEffect::start() {
    if (!wanted_) return;
    const ColumnRunPtr& column = model_.session().runs().at(indexOf(side_));
    const auto run = column ? column->run : nullptr;
    if (run == asked_ && (job_.busy() || measured_.run == run)) return;
    asked_ = run;
    if (!run || run->model->filter) {
        measured_ = {};
        emit changed();
        return;
    }
    job_.start([this, run, opened = shownColumn(model_, side_).model, backend = backend_.turn()](
                   const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        Measured made = measure(run, opened, backend, cancelled);
        return [this, made = std::move(made)] {
            measured_ = made;
            emit changed();
        };
    });
}

ChangeEffect::Measured ChangeEffect::measure(const std::shared_ptr<const ChainRun>& run,
                                             const std::shared_ptr<const Model>& opened,
                                             const JobBackend::Turn& backend,
                                             const LatestJob::Cancelled& cancelled) {
    Measured made;
    made.run = run;
    if (mixesHeads(*run->model)) {
        const auto found = backend.run([&](Backend& computes) {
            return differenceToMha(*run, mostMapBytes, computes, cancelled);
        });
        if (found) made.mha = *found;
    }
    if (run->model == opened && run->ablation.empty()) return made;
    ChainRequest request;
    request.model = opened;
    request.mode = run->mode;
    request.truth = run->truth;
    request.editOf = run;
    request.activations = request.maps = false;
    request.cancelled = cancelled;
    auto whole = backend.run([&](Backend& computes) { return runChain(request, computes); });
    if (!whole) {
        made.problem = QString::fromStdString(whole.error().sentence());
        return made;
    }
    made.whole = std::make_shared<const ChainRun>(std::move(*whole));
    made.answers = answersOf(*made.whole);
    if (!made.answers.empty()) made.effect = answersEffect(*made.whole, *run, made.answers);
    return made;
}

bool ChangeEffect::followsSoon() const {
    return measured_.whole && asked_ && measured_.run != asked_ && job_.busy() &&
           measured_.whole->model == shownColumn(model_, side_).model &&
           measured_.run->tokens == asked_->tokens;
}

std::vector<ChangeEffect::Row> ChangeEffect::rows(int count) const {
    std::vector<Row> made;
    if (!measured_.whole || measured_.run != asked_) return made;
    const Vocabulary& vocabulary = measured_.run->model->vocabulary;
    const int row = std::clamp(model_.selection().step(), 0, measured_.run->rows - 1);
    for (const AnswerAt& at : measured_.answers) {
        if (at.row != row) continue;
        for (const TokenChange& one : tokenChanges(*measured_.whole, *measured_.run, at, count))
            made.push_back({visibleToken(QString::fromStdString(vocabulary.text(one.token))),
                            one.before, one.after, one.rankBefore, one.rankAfter,
                            at.isTrue && one.token == at.token});
    }
    return made;
}

QString ChangeEffect::chainText() const {
    const ColumnRunPtr& column = model_.session().runs().at(indexOf(side_));
    if (!column) return tr("No model stands in this column");
    if (column->run->model->filter)
        return tr("A filter says nothing that could change without a part of it");
    const SessionState::Column& shown = shownColumn(model_, side_);
    if (!shown.changes || shown.changes->empty())
        return tr(
            "Nothing is changed in this model. Drag a mixing weight below its maps, or switch "
            "a part off");
    if (!measured_.problem.isEmpty()) return measured_.problem;
    if (!measured_.whole || measured_.run != asked_) return tr("Measuring…");
    if (measured_.answers.empty()) return tr("Nothing is said here that could be another answer");
    return tr("%1 of %2 answers are other ones now. The %3 tokens had %4 on average, now %5")
        .arg(measured_.effect.flipped)
        .arg(measured_.answers.size())
        .arg(measured_.answers.front().isTrue ? tr("right") : tr("most probable"))
        .arg(measured_.effect.before, 0, 'f', 3)
        .arg(measured_.effect.after, 0, 'f', 3);
}

QString ChangeEffect::mhaText() const {
    return measured_.mha && measured_.run == asked_ ? mhaWords(*measured_.mha) : QString();
}

}  // namespace headloom
