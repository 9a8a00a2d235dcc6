#include "views/viewmodels/heads_model.h"

#include "core/session/map_figure.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"

#include <algorithm>

namespace headloom {

bool HeadsModel::Asked::sameHeads(const Asked& other) const {
    const ModelConfig& one = run.model->config;
    const ModelConfig& another = other.run.model->config;
    if (run.tokens != other.run.tokens || kind != other.kind || one.nHeads != another.nHeads ||
        one.nLayers() != another.nLayers())
        return false;
    return std::equal(one.layers.begin(), one.layers.end(), another.layers.begin(),
                      [](const LayerConfig& a, const LayerConfig& b) {
                          return a.nPseudo == b.nPseudo && a.kind == b.kind;
                      });
}

HeadsModel::HeadsModel(ExploreViewModel& explore, QObject* parent)
    : QObject(parent), explore_(&explore), list_(table_), backend_(explore.session()) {
    connect(&explore, &ExploreViewModel::runsChanged, this, &HeadsModel::refresh);
    connect(&job_, &LatestJob::busyChanged, this, &HeadsModel::changed);
}

void HeadsModel::setWanted(bool wanted) {
    if (wanted == wanted_) return;
    wanted_ = wanted;
    refresh();
}

void HeadsModel::setSide(Side side) {
    if (side == side_) return;
    side_ = side;
    refresh();
}

void HeadsModel::setKind(PatternKind kind) {
    if (kind == kind_) return;
    kind_ = kind;
    refresh();
}

void HeadsModel::setSimilar(double cosine) {
    if (cosine == thresholds_.similar) return;
    thresholds_.similar = cosine;
    emit changed();
}

void HeadsModel::refresh() {
    if (!wanted_) return;
    const ColumnRunPtr& column = explore_->session().runs().at(indexOf(side_));
    if (!column) {
        job_.cancel();
        asked_.reset();
        return publish({}, {});
    }
    Asked asked{RunKey::of(*column->run), kind_};
    if (asked_ == asked) return emit changed();  // the layer in view may be another one
    const bool keep = asked_ && asked_->sameHeads(asked);
    asked_ = std::move(asked);
    if (!keep) publish({}, {});
    start(column->run);
}

void HeadsModel::start(std::shared_ptr<const ChainRun> run) {
    job_.start([this, run = std::move(run), kind = kind_, backend = backend_.turn()](
                   const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        std::vector<LayerSurvey> surveys;
        for (int layer = 0; layer < run->model->config.nLayers(); ++layer) {
            auto found = backend.run([&](Backend& computes) {
                return surveyLayer(*run, layer, kind, computes, cancelled);
            });
            if (!found)
                return [this, problem = QString::fromStdString(found.error().sentence())] {
                    publish({}, problem);
                };
            surveys.push_back(std::move(*found));
        }
        return [this, surveys = std::move(surveys)]() mutable { publish(std::move(surveys), {}); };
    });
}

void HeadsModel::publish(std::vector<LayerSurvey> surveys, const QString& problem) {
    surveys_ = std::move(surveys);
    problem_ = problem;
    std::vector<HeadLine> lines;
    for (const LayerSurvey& survey : surveys_)
        for (const HeadScores& scores : survey.scores) lines.push_back({survey.layer, scores});
    table_.show(std::move(lines));
    emit changed();
}

QString HeadsModel::hint() const {
    if (!surveys_.empty()) return {};
    if (!problem_.isEmpty()) return problem_;
    if (asked_) return tr("Looking at all heads…");
    return tr("No model stands in this column. Choose one above the maps, or open an example");
}

const LayerSurvey* HeadsModel::surveyInView() const {
    if (surveys_.empty()) return nullptr;
    const int last = static_cast<int>(surveys_.size()) - 1;
    return &surveys_[static_cast<std::size_t>(std::clamp(explore_->selection().layer(), 0, last))];
}

SimilarityShown HeadsModel::similarity() const {
    SimilarityShown shown;
    const LayerSurvey* survey = surveyInView();
    if (!survey) return shown;
    if (survey->redundancy.count > 0) {
        shown = similarityOf(survey->layer, survey->patterns, survey->redundancy,
                             clustersOf(survey->redundancy, thresholds_));
        shown.note = tr("layer %1 · effective rank %2 · dead: mass below %3")
                         .arg(survey->layer)
                         .arg(survey->redundancy.effectiveRank, 0, 'f', 1)
                         .arg(thresholds_.dead);
    }
    shown.layer = survey->layer;
    shown.hint = QString::fromStdString(survey->noPatterns);
    return shown;
}

std::function<std::vector<std::string>()> HeadsModel::provenance() const {
    const ColumnRunPtr& column = explore_->session().runs().at(indexOf(side_));
    if (!column) return [] { return std::vector<std::string>(); };
    return [run = column->run, name = explore_->head(side_).title.toStdString()] {
        return provenanceOf(*run, name);
    };
}

void HeadsModel::open(int layer, const Pattern& pattern) {
    DisplayOptions::Values shown = explore_->display().values();
    shown.effective = pattern.source >= 0;
    if (shown.scope == DisplayOptions::Scope::overview) shown.scope = DisplayOptions::Scope::head;
    explore_->display().setValues(shown);
    explore_->setLayer(layer);
    explore_->selection().setOpen(
        side_, shown.effective
                   ? MapRef::effectiveMap(pattern.head, pattern.source)
                   : MapRef::tile(pattern.head, std::max(0, pattern.p), std::max(0, pattern.r)));
}

}  // namespace headloom
