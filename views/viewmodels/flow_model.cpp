#include "views/viewmodels/flow_model.h"

#include "core/session/layer_maps.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// Rows whose lines are worked out at once: more would keep the window waiting.
constexpr int mostRows = 256;

/// Sum of some maps, times `factor`, in one row.
std::vector<double> rowOfMaps(const std::vector<MapView>& views, int row, double factor) {
    std::vector<double> sum(views.empty() ? 0 : static_cast<std::size_t>(views.front().cols));
    for (const MapView& view : views) {
        const float* cells = view.values.get() + std::ptrdiff_t{row} * view.cols;
        for (std::size_t key = 0; key < sum.size(); ++key) sum[key] += factor * double{cells[key]};
    }
    return sum;
}

/// Maps that are drawn as one.
struct Drawn {
    FlowSource source;
    std::vector<MapView> views;
    double factor = 1;
};

std::vector<Drawn> headsOf(const ColumnRun& column, int layer, int row) {
    std::vector<Drawn> all;
    for (int head = 0; head < column.heads(); ++head)
        all.push_back({{FlowModel::tr("head %1").arg(head), head},
                       tileViews(column, layer, head, row),
                       1.0 / column.pseudos(layer)});
    return all;
}

std::vector<Drawn> tilesOf(const ColumnRun& column, int layer, int head, int row) {
    std::vector<Drawn> all;
    const bool many = column.pseudos(layer) > 1;
    for (const MapView& view : tileViews(column, layer, head, row))
        all.push_back({{many ? FlowModel::tr("q%1 k%2").arg(view.ref.p).arg(view.ref.r)
                             : FlowModel::tr("head %1").arg(head),
                        many ? view.ref.p * column.pseudos(layer) + view.ref.r : head},
                       {view}});
    return all;
}

/// Every tile of the layer, in the colour of its head.
std::vector<Drawn> layerTilesOf(const ColumnRun& column, int layer, int row) {
    std::vector<Drawn> all;
    const bool many = column.pseudos(layer) > 1;
    for (int head = 0; head < column.heads(); ++head)
        for (Drawn& drawn : tilesOf(column, layer, head, row)) {
            if (many) drawn.source.name.prepend(FlowModel::tr("h%1 ").arg(head));
            drawn.source.colour = head;
            all.push_back(std::move(drawn));
        }
    return all;
}

/// Those of one target head in the colours of their sources; of all, in the colours of the targets.
std::vector<Drawn> effectiveOf(const ColumnRun& column, int layer, std::optional<int> head) {
    std::vector<Drawn> all;
    for (const MapView& view : effectiveViews(column, layer))
        if (!head || view.ref.head == *head)
            all.push_back(
                {{mapName(view.ref, column.iha(layer)), head ? view.ref.source : view.ref.head},
                 {view}});
    return all;
}

void addLines(int source, int from, const std::vector<double>& weights, double threshold,
              std::vector<FlowLine>& lines) {
    for (std::size_t to = 0; to < weights.size(); ++to)
        if (std::isfinite(weights[to]) && std::abs(weights[to]) > threshold)
            lines.push_back({source, from, static_cast<int>(to), weights[to]});
}

}  // namespace

FlowModel::FlowModel(ExploreViewModel& explore, QObject* parent)
    : QObject(parent), explore_(&explore), backend_(explore.session()) {
    connect(&explore, &ExploreViewModel::runsChanged, this, &FlowModel::refresh);
    connect(&explore.selection(), &Selection::stepChanged, this, &FlowModel::refresh);
    connect(&explore.selection(), &Selection::openChanged, this, &FlowModel::refresh);
}

void FlowModel::setWanted(bool wanted) {
    if (wanted == wanted_) return;
    wanted_ = wanted;
    refresh();
}

void FlowModel::setSide(Side side) {
    if (side == side_) return;
    side_ = side;
    hidden_.clear();
    refresh();
}

void FlowModel::setMaps(Maps maps) {
    if (maps == maps_) return;
    maps_ = maps;
    hidden_.clear();
    if (ofEffectiveMaps()) {
        DisplayOptions::Values shown = explore_->display().values();
        shown.effective = true;  // only then are there such maps
        explore_->display().setValues(shown);
    }
    refresh();
}

void FlowModel::setThreshold(double weight) {
    if (weight == threshold_) return;
    threshold_ = weight;
    emit changed();
}

void FlowModel::setAllRows(bool all) {
    if (all == allRows_) return;
    allRows_ = all;
    emit changed();
}

void FlowModel::setShown(int source, bool shown) {
    if (shown)
        hidden_.erase(source);
    else
        hidden_.insert(source);
    emit changed();
}

void FlowModel::setAllShown(bool shown) {
    hidden_.clear();
    const std::size_t count = this->shown().sources.size();
    if (!shown)
        for (std::size_t source = 0; source < count; ++source)
            hidden_.insert(static_cast<int>(source));
    emit changed();
}

const ColumnRun* FlowModel::column() const {
    return explore_->session().runs().at(indexOf(side_)).get();
}

void FlowModel::refresh() {
    if (!wanted_) return;
    const ColumnRun* shown = column();
    if (shown && throughLayers()) {
        RunKey key = RunKey::of(*shown->run);
        const int row = shown->clampedRow(explore_->selection().step());
        const bool other = asked_ != key;
        if (other) {
            asked_ = std::move(key);
            attention_.reset();
            problem_.clear();
            flowRow_ = flowAsked_ = -1;
        }
        if (other || (maps_ == Maps::flow && flowAsked_ != row)) start(shown->run, row);
    }
    emit changed();
}

void FlowModel::start(std::shared_ptr<const ChainRun> run, int row) {
    const bool flow = maps_ == Maps::flow;
    flowAsked_ = flow ? row : -1;
    job_.start(
        [this, run = std::move(run), row, flow, known = attention_,
         backend = backend_.turn()](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
            const auto refuse = [this](const Error& error) {
                return [this, problem = QString::fromStdString(error.sentence())] {
                    problem_ = problem;
                    emit changed();
                };
            };
            auto attention = known;
            if (!attention) {
                auto made = backend.run(
                    [&](Backend& computes) { return layeredAttention(*run, computes, cancelled); });
                if (!made) return refuse(made.error());
                attention = std::make_shared<const LayeredAttention>(std::move(*made));
            }
            std::vector<double> flows;
            if (flow) {
                auto made = attentionFlow(*attention, row, cancelled);
                if (!made) return refuse(made.error());
                flows = std::move(*made);
            }
            return [this, attention, flow, row, flows = std::move(flows)] {
                attention_ = attention;
                if (flow) {
                    flows_ = flows;
                    flowRow_ = row;
                }
                emit changed();
            };
        });
}

FlowShown FlowModel::shown() const {
    FlowShown shown;
    const ColumnRun* column = this->column();
    if (!column) {
        shown.hint =
            tr("No model stands in this column. Choose one above the maps, or open an example");
        return shown;
    }
    const ChainRun& run = *column->run;
    shown.row = column->clampedRow(explore_->selection().step());
    shown.evidence = run.evidence(shown.row);
    for (int row = 0; row < run.rows; ++row)
        shown.tokens << visibleToken(QString::fromStdString(
            run.model->vocabulary.text(run.tokens[static_cast<std::size_t>(row)])));
    if (throughLayers())
        addThroughLayers(shown);
    else
        addMaps(*column, shown);
    std::stable_sort(shown.lines.begin(), shown.lines.end(),
                     [](const FlowLine& a, const FlowLine& b) {
                         return std::abs(a.weight) < std::abs(b.weight);
                     });
    return shown;
}

void FlowModel::addMaps(const ColumnRun& column, FlowShown& shown) const {
    const int layer = column.clampedLayer(explore_->selection().layer()),
              head = explore_->selection().open(side_).head;
    const std::vector<Drawn> all = [&] {
        switch (maps_) {
            case Maps::heads:
                return headsOf(column, layer, shown.row);
            case Maps::tiles:
                return tilesOf(column, layer, head, shown.row);
            case Maps::layerTiles:
                return layerTilesOf(column, layer, shown.row);
            case Maps::effective:
                return effectiveOf(column, layer, head);
            default:
                return effectiveOf(column, layer, std::nullopt);
        }
    }();
    if (all.empty()) shown.hint = QString::fromStdString(column.run->noEffective);
    if (allRows_ && shown.row >= mostRows)
        shown.hint = tr("Lines are of the last %1 rows").arg(mostRows);
    const int first = allRows_ ? std::max(0, shown.row - mostRows + 1) : shown.row;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int source = static_cast<int>(i);
        shown.sources.push_back(all[i].source);
        shown.sources.back().shown = hidden_.count(source) == 0;
        if (!shown.sources.back().shown || all[i].views.empty()) continue;
        for (int row = first; row <= shown.row; ++row)
            addLines(source, row, rowOfMaps(all[i].views, row, all[i].factor), threshold_,
                     shown.lines);
    }
}

void FlowModel::addThroughLayers(FlowShown& shown) const {
    const bool flow = maps_ == Maps::flow;
    shown.formula = QStringLiteral("%1\n%2").arg(
        QLatin1String(layerFormula()), QLatin1String(flow ? flowFormula() : rolloutFormula()));
    shown.sources.push_back({flow ? tr("flow") : tr("rollout"), 0});
    if (!problem_.isEmpty()) shown.hint = problem_;
    // of an older run until the worker has answered
    if (!attention_ || attention_->tokens != shown.tokens.size()) return;
    if (!flow) addLines(0, shown.row, rollout(*attention_, shown.row), threshold_, shown.lines);
    if (flow && flowRow_ == shown.row) addLines(0, shown.row, flows_, threshold_, shown.lines);
}

}  // namespace headloom
