#include "views/viewmodels/theory_look_back_model.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

QString shortName(const OffsetMap& map, TheoryLookBackModel::View view, int nPseudo) {
    using View = TheoryLookBackModel::View;
    if (view == View::effective) return QStringLiteral("M[%1,%2]").arg(map.head).arg(map.source);
    QString name = QStringLiteral("h%1").arg(map.head);
    if (nPseudo > 1) name += QStringLiteral(" q%1").arg(map.p);
    if (nPseudo > 1 && view == View::tiles) name += QStringLiteral(" k%1").arg(map.r);
    return name;
}

OffsetMaps kindOf(TheoryLookBackModel::View view) {
    using View = TheoryLookBackModel::View;
    return view == View::queries ? OffsetMaps::queries
           : view == View::tiles ? OffsetMaps::tiles
                                 : OffsetMaps::effective;
}

}  // namespace

LookBackScale scaleOf(const std::vector<LookBackColumn>& columns, const std::vector<int>& rows) {
    LookBackScale scale;
    for (const LookBackColumn& column : columns)
        for (const LookBackMap& map : column.maps) {
            for (const int row : rows)
                for (const float cell : map.values.at(row).values<float>())
                    if (std::isfinite(cell)) scale.cell = std::max(scale.cell, std::fabs(cell));
            for (int offset = 0; offset < map.profile.offsets(); ++offset)
                scale.weight = std::max(scale.weight, std::abs(map.profile.weight(offset)));
        }
    return scale;
}

TheoryLookBackModel::TheoryLookBackModel(QObject* parent) : QObject(parent) {}

QStringList TheoryLookBackModel::viewNames() {
    return {tr("Effective maps"), tr("Pseudo-queries"), tr("Tiles"), tr("Best mixes")};
}

void TheoryLookBackModel::begin() {
    if (opened_ || opening_.busy()) return;
    if (!backend_) {
        backend_ = makeCpuBackend(1);
        readingBackend_ = makeCpuBackend(1);
    }
    opening_.start(
        [this, backend = backend_](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
            auto made = open(*backend, cancelled);
            return [this, made = std::move(made)] {
                if (!made) return fail(made.error());
                problem_.clear();
                opened_ = std::make_shared<const Opened>(*made);
                emit openedChanged();
                read();
            };
        });
}

Result<TheoryLookBackModel::Opened> TheoryLookBackModel::open(
    Backend& backend, const LatestJob::Cancelled& cancelled) {
    auto arms = openLookBackArms();
    if (!arms) return tl::unexpected(arms.error());
    Opened opened{std::move(*arms), {}, {}};
    for (const LookBackArm& arm : opened.arms.arms) {
        const auto reading = offsetsOver(opened.arms, arm, OffsetMaps::effective, 0, mixedExamples,
                                         backend, cancelled);
        if (!reading) return tl::unexpected(reading.error());
        opened.mixes.push_back(reading->mixes());
    }
    auto evaluations = evaluateLookBack(opened.arms, evaluatedExamples, "cpu", 1);
    if (!evaluations) return tl::unexpected(evaluations.error());
    opened.evaluations = std::move(*evaluations);
    return opened;
}

void TheoryLookBackModel::fail(const Error& error) {
    problem_ = QString::fromStdString(error.sentence());
    emit openedChanged();
}

void TheoryLookBackModel::setView(View view) {
    if (view == view_) return;
    view_ = view;
    emit askedChanged();
}

void TheoryLookBackModel::setExample(int example) {
    const int within = std::max(0, example);
    if (within == example_) return;
    example_ = within;
    emit askedChanged();
    if (opened_) read();
}

void TheoryLookBackModel::read() {
    reading_.start(
        [this, opened = opened_, number = static_cast<std::uint64_t>(example_),
         backend = readingBackend_](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
            std::vector<ChainRun> runs;
            for (const LookBackArm& arm : opened->arms.arms) {
                auto run = readLookBack(opened->arms, arm, number, *backend, cancelled);
                if (!run) return [this, error = run.error()] { fail(error); };
                runs.push_back(std::move(*run));
            }
            return [this, runs = std::move(runs)] {
                runs_ = runs;
                emit exampleChanged();
            };
        });
}

std::vector<int> TheoryLookBackModel::rows() const {
    return runs_.empty() ? std::vector<int>()
                         : rowsWithTarget(*runs_.front().truth, opened_->arms.reach());
}

QStringList TheoryLookBackModel::tokens() const {
    QStringList names;
    if (runs_.empty()) return names;
    for (int row = 0; row < runs_.front().rows; ++row)
        names << QString::fromStdString(opened_->arms.task->info().vocabulary.text(
            runs_.front().tokens[static_cast<std::size_t>(row)]));
    return names;
}

std::vector<LookBackMap> TheoryLookBackModel::mapsOf(std::size_t arm) const {
    const ChainRun& run = runs_[arm];
    const std::vector<OffsetMap> maps = mapsFor(run, kindOf(view_));
    std::vector<LookBackMap> made;
    if (view_ == View::mixes) {
        for (const OffsetMix& mix : opened_->mixes[arm])
            made.push_back(
                {tr("%1 back").arg(mix.offset), mixed(valuesOf(maps), mix), {}, mix.weights});
    } else {
        const int nPseudo = run.model->config.layers.front().nPseudo;
        for (const OffsetMap& map : maps)
            made.push_back({shortName(map, view_, nPseudo), map.values, {}, {}});
    }
    const std::vector<int> counted = rows();
    for (LookBackMap& map : made) map.profile.add(map.values, counted);
    return made;
}

std::vector<LookBackColumn> TheoryLookBackModel::columns() const {
    std::vector<LookBackColumn> columns;
    for (std::size_t i = 0; opened_ && i < opened_->arms.arms.size(); ++i) {
        const LookBackArm& arm = opened_->arms.arms[i];
        LookBackColumn column;
        column.title = QString::fromStdString(arm.model->name);
        column.interleaved = arm.model->config.layers.front().kind == AttentionKind::iha;
        column.parameters = arm.parameters;
        column.score = opened_->evaluations[i].teacherForced;
        column.mixes = opened_->mixes[i];
        if (!column.mixes.empty()) column.nMaps = static_cast<int>(column.mixes[0].weights.size());
        if (i < runs_.size()) column.maps = mapsOf(i);
        columns.push_back(std::move(column));
    }
    return columns;
}

QString TheoryLookBackModel::verdict() const {
    return opened_ ? QString::fromStdString(lookBackVerdict(opened_->arms, opened_->evaluations))
                   : QString();
}

}  // namespace headloom
