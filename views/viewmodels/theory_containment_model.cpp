#include "views/viewmodels/theory_containment_model.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// The s of the curve: around zero, further where s lies further out, and s itself.
std::vector<double> placesAround(double s) {
    constexpr int points = 81;
    constexpr double bound = 4;
    std::vector<double> places = witnessPlaces(points, std::max(bound, std::abs(s)));
    const auto after = std::lower_bound(places.begin(), places.end(), s);
    if (after == places.end() || *after != s) places.insert(after, s);
    return places;
}

Result<std::vector<ContainmentRun>> tableFor(const ContainmentCase& from, Backend& backend,
                                             const LatestJob::Cancelled& cancelled) {
    std::vector<ContainmentRun> table;
    for (ContainmentCase asked : containmentRows(from))
        for (asked.selected = 0; asked.selected < from.nPseudo; ++asked.selected) {
            if (cancelled()) return fail(Error::Kind::interrupted, "containment", "was stopped");
            auto run = runContainment(asked, DType::f32, backend);
            if (!run) return tl::unexpected(run.error());
            table.push_back(std::move(*run));
        }
    return table;
}

template <class Kind>
QStringList namesOf(std::initializer_list<Kind> kinds) {
    QStringList names;
    for (const Kind kind : kinds) {
        const std::string_view name = nameOf(kind);
        names << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    return names;
}

bool needsAnotherTable(const ContainmentCase& a, const ContainmentCase& b) {
    return a.score != b.score || a.nPseudo != b.nPseudo || a.dividedByP != b.dividedByP;
}

}  // namespace

TheoryContainmentModel::TheoryContainmentModel(QObject* parent) : QObject(parent) {}

void TheoryContainmentModel::begin() {
    if (backend_) return;
    backend_ = makeCpuBackend(1);
    witnessBackend_ = makeCpuBackend(1);
    start();
    startWitness();
}

QStringList TheoryContainmentModel::maskNames() {
    return namesOf({MaskKind::flat, MaskKind::token, MaskKind::none});
}

QStringList TheoryContainmentModel::positionNames() {
    return namesOf({PositionKind::virtualToken, PositionKind::token, PositionKind::none});
}

QStringList TheoryContainmentModel::scoreNames() {
    return namesOf({ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard});
}

void TheoryContainmentModel::setCase(const ContainmentCase& wanted) {
    const ContainmentCase before = case_;
    case_ = wanted;
    case_.nPseudo = std::clamp(case_.nPseudo, 1, ContainmentCase::mostPseudo);
    case_.selected = std::clamp(case_.selected, 0, case_.nPseudo - 1);
    if (needsAnotherTable(before, case_) && backend_) start();
    emit caseChanged();
}

void TheoryContainmentModel::step(int by) {
    const int rows = static_cast<int>(containmentRows(case_).size()), copies = case_.nPseudo,
              place = std::clamp(row() * copies + case_.selected + by, 0, rows * copies - 1);
    setCase(caseAt(place / copies, place % copies));
}

int TheoryContainmentModel::row() const {
    const auto rows = containmentRows(case_);
    const auto same = std::find_if(rows.begin(), rows.end(), [this](const ContainmentCase& one) {
        return one.mask == case_.mask && one.positions == case_.positions;
    });
    return static_cast<int>(same - rows.begin());
}

ContainmentCase TheoryContainmentModel::caseAt(int row, int selected) const {
    ContainmentCase asked = containmentRows(case_).at(static_cast<std::size_t>(row));
    asked.selected = selected;
    return asked;
}

const ContainmentRun* TheoryContainmentModel::run() const {
    if (table_.empty() || needsAnotherTable(table_.front().asked, case_)) return nullptr;
    return &table_[static_cast<std::size_t>(row() * case_.nPseudo + case_.selected)];
}

std::vector<float> TheoryContainmentModel::mapDifference() const {
    std::vector<float> difference;
    if (const ContainmentRun* shown = run()) {
        const auto iha = shown->ihaMaps.values<float>(), mha = shown->mhaMaps.values<float>();
        for (std::size_t i = 0; i < iha.size(); ++i) difference.push_back(iha[i] - mha[i]);
    }
    return difference;
}

void TheoryContainmentModel::start() {
    job_.start([this, asked = case_,
                backend = backend_](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        auto made = tableFor(asked, *backend, cancelled);
        return [this, made = std::move(made)] {
            if (!made) return void(emit failed(QString::fromStdString(made.error().sentence())));
            table_ = *made;
            emit tableChanged();
        };
    });
}

void TheoryContainmentModel::setWitnessPlace(WitnessPlace wanted) {
    place_.s = std::clamp(wanted.s, -Witness::mostS, Witness::mostS);
    place_.v = std::clamp(wanted.v, -Witness::mostV, Witness::mostV);
    if (witnessBackend_) startWitness();
    emit witnessPlaceChanged();
}

void TheoryContainmentModel::startWitness() {
    witnessJob_.start([this, asked = place_, backend = witnessBackend_](
                          const LatestJob::Cancelled&) -> LatestJob::Deliver {
        auto made = runWitness(placesAround(asked.s), asked.v, DType::f32, *backend);
        return [this, made = std::move(made)] {
            if (!made) return void(emit failed(QString::fromStdString(made.error().sentence())));
            witness_ = std::make_shared<const Witness>(*made);
            emit witnessChanged();
        };
    });
}

}  // namespace headloom
