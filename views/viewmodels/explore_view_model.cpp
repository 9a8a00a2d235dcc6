#include "views/viewmodels/explore_view_model.h"

#include "core/tasks/task.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/mixing_sheet.h"
#include "views/viewmodels/words.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr int beatMilliseconds = 900;
/// From here on a model opens with the grid of all its heads.
constexpr int manyHeads = 256;

const ColumnRunPtr& columnOf(const ColumnPair& pair, Side side) {
    return pair.at(indexOf(side));
}

}  // namespace

ExploreViewModel::ExploreViewModel(QObject* parent) : QObject(parent) {
    player_.setInterval(beatMilliseconds);
    connect(&player_, &QTimer::timeout, this, &ExploreViewModel::playOn);
    connect(&edits_, &ColumnEdits::refused, &session_, &ExploreSession::failed);
    connect(&session_, &ExploreSession::answered, this, &ExploreViewModel::adopt);
    connect(&selection_, &Selection::layerChanged, this, &ExploreViewModel::runsChanged);
    connect(&selection_, &Selection::layerChanged, this, &ExploreViewModel::followSelection);
    connect(&selection_, &Selection::openChanged, this, &ExploreViewModel::followOpen);
    connect(&display_, &DisplayOptions::changed, this, &ExploreViewModel::followDisplay);
}

void ExploreViewModel::followDisplay() {
    const bool effective = display_.values().effective;
    for (const Side side : bothSides) {
        const MapRef open = selection_.open(side);
        if (open.effective == effective) continue;
        selection_.setOpen(
            side, effective ? MapRef::effectiveMap(open.head, open.head) : MapRef::tile(open.head));
    }
    selection_.setCell(std::nullopt);
    session_.setEffectiveMaps(effective);
    session_.setGridWanted(display_.values().scope == DisplayOptions::Scope::overview);
}

void ExploreViewModel::followSelection() {
    session_.setView(selection_.layer(), selection_.open(Side::left).head,
                     selection_.open(Side::right).head);
}

void ExploreViewModel::followOpen(Side side) {
    lookedAt_ = side;
    followSelection();
}

void ExploreViewModel::toggleOpenMap() {
    const MapRef open = selection_.open(lookedAt_);
    // An effective map is made of many tiles; what can be switched off there is its target head.
    if (open.effective || head(lookedAt_).pseudos == 1) return toggleOpenHead();
    edits_.toggle(lookedAt_, ModelPart::ofTile(selection_.layer(), open.head, open.p, open.r));
}

void ExploreViewModel::toggleOpenHead() {
    edits_.toggle(lookedAt_,
                  ModelPart::ofHead(selection_.layer(), selection_.open(lookedAt_).head));
}

void ExploreViewModel::setScope(DisplayOptions::Scope scope) {
    DisplayOptions::Values shown = display_.values();
    shown.scope = scope;
    display_.setValues(shown);
}

/// Of a model with many heads all are shown first, of a small one the heads of a layer.
void ExploreViewModel::chooseScope() {
    int most = 0;
    for (const Side side : bothSides) most = std::max(most, head(side).heads * head(side).layers);
    setScope(most >= manyHeads ? DisplayOptions::Scope::overview : DisplayOptions::Scope::layer);
}

std::optional<double> ExploreViewModel::gridValue(Side side, int layer, int head,
                                                  DisplayOptions::Measure measure) const {
    const HeadGrid& grid = session_.grid(side);
    if (measure == DisplayOptions::Measure::evidence) {
        const ColumnRunPtr& column = columnOf(session_.runs(), side);
        const auto views =
            column ? tileViews(*column, layer, head, selection_.step()) : std::vector<MapView>();
        if (views.empty()) return std::nullopt;
        double sum = 0;
        for (const MapView& view : views) sum += view.evidence;
        return sum / column->pseudos(layer);
    }
    const HeadCell* cell = grid.find(layer, head);
    if (!cell) return std::nullopt;
    if (measure == DisplayOptions::Measure::first) return cell->first;
    // a causal head that looks at all tokens alike is at a quarter of the length: half the scale
    return std::min(1.0, cell->distance / std::max(1.0, grid.rows / 2.0));
}

QString ExploreViewModel::gridWords(Side side, int layer, int head) const {
    const HeadCell* cell = session_.grid(side).find(layer, head);
    QString words = tr("layer %1 · head %2").arg(layer).arg(head);
    if (!cell) return tr("%1: not there yet").arg(words);
    words += tr(": looks %1 tokens away on average, %2 on the first token")
                 .arg(cell->distance, 0, 'f', 1)
                 .arg(shareText(cell->first));
    const auto evidence = gridValue(side, layer, head, DisplayOptions::Measure::evidence);
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (evidence && !column->run->evidence(column->clampedRow(selection_.step())).empty())
        words += tr(", %1 on the evidence of this row").arg(shareText(*evidence));
    return words;
}

void ExploreViewModel::openHead(Side side, int layer, int head) {
    setScope(DisplayOptions::Scope::head);  // first: the worker leaves the grid for the head
    setLayer(layer);
    selection_.setOpen(
        side, display_.values().effective ? MapRef::effectiveMap(head, head) : MapRef::tile(head));
}

void ExploreViewModel::adopt() {
    const ColumnPair& runs = session_.runs();
    steps_ = chainSteps(runs);
    const SessionState& state = session_.shownState();
    const QString sequence = QStringLiteral("%1/%2/%3")
                                 .arg(state.exampleId)
                                 .arg(state.exampleIndex)
                                 .arg(state.typedPrompt);
    clampSelection();
    if (sequence != sequence_ && !steps_.empty()) {
        sequence_ = sequence;
        selection_.setCell(std::nullopt);
        const int row = std::exchange(startRow_, -1);
        if (row >= 0)
            selection_.setStep(std::min(row, runs.leader()->run->rows - 1));
        else
            goToStep(tellingStep(steps_));
    } else if (!steps_.empty()) {
        selection_.setStep(std::clamp(selection_.step(), 0, steps_.back().row));
    }
    const QString example =
        state.exampleId + QLatin1Char('/') +
        (session_.freeText() ? state.columns[0].choice.id + state.columns[1].choice.id : QString());
    if (std::exchange(example_, example) != example) {
        openBest();
        chooseScope();
    }
    emit runsChanged();
}

void ExploreViewModel::clampSelection() {
    selection_.setLayer(std::clamp(selection_.layer(), 0, std::max(0, layerCount() - 1)));
    for (const Side side : bothSides) {
        const ColumnHead shown = head(side);
        MapRef open = selection_.open(side);
        const int highest = std::max(0, shown.heads - 1);
        open.head = std::min(open.head, highest);
        open.source = std::min(open.source, highest);
        open.p = std::min(open.p, shown.pseudos - 1);
        open.r = std::min(open.r, shown.pseudos - 1);
        selection_.setOpen(side, open);
    }
}

void ExploreViewModel::openBest() {
    selection_.setLayer(std::max(0, layerCount() - 1));
    if (display_.values().effective) return;
    for (const Side side : bothSides) {
        MapView best;
        for (int head = 0; head < this->head(side).heads; ++head)
            for (const MapView& view : tiles(side, head))
                if (!best.values || view.evidence > best.evidence) best = view;
        if (best.values) selection_.setOpen(side, best.ref);
    }
}

int ExploreViewModel::stepIndex() const {
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (steps_[i].row == selection_.step()) return static_cast<int>(i);
    return -1;
}

void ExploreViewModel::goToStep(int index) {
    if (steps_.empty()) return;
    const int last = static_cast<int>(steps_.size()) - 1;
    selection_.setStep(steps_[static_cast<std::size_t>(std::clamp(index, 0, last))].row);
}

void ExploreViewModel::goForward() {
    for (const ChainStep& step : steps_)
        if (step.row > selection_.step()) return selection_.setStep(step.row);
}

void ExploreViewModel::goBack() {
    int before = -1;
    for (const ChainStep& step : steps_)
        if (step.row < selection_.step()) before = step.row;
    if (before >= 0) selection_.setStep(before);
}

void ExploreViewModel::goToFirst() {
    goToStep(0);
}

void ExploreViewModel::goToLast() {
    goToStep(static_cast<int>(steps_.size()) - 1);
}

void ExploreViewModel::setPlaying(bool playing) {
    if (playing == player_.isActive()) return;
    if (playing) {
        if (!steps_.empty() && selection_.step() >= steps_.back().row) goToFirst();
        player_.start();
    } else {
        player_.stop();
    }
    emit playingChanged();
}

void ExploreViewModel::playOn() {
    goForward();
    const int index = stepIndex();
    if (index < 0) return setPlaying(false);
    const ChainStep& step = steps_[static_cast<std::size_t>(index)];
    const bool own = session_.shownState().onItsOwn;
    const bool errs = own && (step.marks[0].wrong || step.marks[1].wrong);
    if (errs || index + 1 == static_cast<int>(steps_.size())) setPlaying(false);
}

int ExploreViewModel::layerCount() const {
    int count = 0;
    for (const Side side : bothSides)
        if (const ColumnRunPtr& column = columnOf(session_.runs(), side))
            count = std::max(count, column->config().nLayers());
    return count;
}

void ExploreViewModel::setLayer(int layer) {
    selection_.setLayer(std::clamp(layer, 0, std::max(0, layerCount() - 1)));
}

ColumnHead ExploreViewModel::head(Side side) const {
    ColumnHead shown;
    const auto at = static_cast<std::size_t>(indexOf(side));
    shown.title = session_.shownState().columns[at].choice.title;
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return shown;
    const int layer = selection_.layer();
    shown.present = true;
    shown.iha = column->iha(layer);
    shown.mixes = !mixingSheets(*column->run->model, column->clampedLayer(layer), 0).empty();
    shown.unordered = !column->config().causal();
    shown.signedMaps = column->signedMaps(layer);
    shown.linear = column->linear(layer);
    shown.heads = column->heads();
    shown.pseudos = column->pseudos(layer);
    shown.layers = column->config().nLayers();
    shown.perHeadCollapse =
        column->config().layers[static_cast<std::size_t>(column->clampedLayer(layer))].collapse ==
        CollapseKind::perHead;
    shown.rows = column->run->rows;
    shown.row = column->clampedRow(selection_.step());
    shown.ended = selection_.step() >= column->run->rows;
    QStringList cuts;
    for (const Cut& cut : column->run->ablation.cuts)
        cuts << QString::fromStdString(nameOf(cut.part));
    shown.cuts = cuts.join(QStringLiteral(", "));
    shown.edited = edits_.editedMatrices(side);
    shown.tokensKept = session_.shownState().columns[at].tokensKept;
    shown.memory = tr("Memory: weights %1, maps %2")
                       .arg(bytesText(column->weightBytes()), bytesText(column->mapBytes()));
    shown.alone = display_.values().scope == DisplayOptions::Scope::head;
    if (column->run->mapLayer >= 0) {
        const bool oneHead = static_cast<int>(column->run->mapHeads.size()) < shown.heads;
        shown.alone = shown.alone || oneHead;
        shown.bound = oneHead ? tr("%1 tokens: only the maps of the open head are kept in memory")
                              : tr("%1 tokens: only the maps of this layer are kept in memory");
        shown.bound = shown.bound.arg(shown.rows);
    }
    const auto& alike = column->copies[static_cast<std::size_t>(column->clampedLayer(layer))];
    if (std::any_of(alike.begin(), alike.end(), [](const auto& one) { return one.copies(); }))
        shown.copies = QString::fromStdString(copiesSentence(alike));
    const bool effective = display_.values().effective;
    if (effective && !column->run->effective.empty() && !column->effectiveMaps(layer))
        shown.summary =
            column->run->mapLayer >= 0
                ? QString::fromStdString(column->run->noEffective)
                : tr("differential attention has no effective maps: each row of a head is "
                     "divided by its length after them");
    else
        shown.summary = kindSummary(*column, layer);
    return shown;
}

bool ExploreViewModel::interleaves(Side side) const {
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return false;
    const std::vector<LayerConfig>& layers = column->config().layers;
    return std::any_of(layers.begin(), layers.end(),
                       [](const LayerConfig& layer) { return layer.kind == AttentionKind::iha; });
}

QString ExploreViewModel::shortName(Side side) const {
    const auto parts = [this](Side one) {
        const auto at = static_cast<std::size_t>(indexOf(one));
        return session_.shownState().columns[at].choice.title.split(QStringLiteral(", "));
    };
    const QStringList own = parts(side);
    const QStringList other = parts(side == Side::left ? Side::right : Side::left);
    qsizetype alike = 0;
    while (alike < own.size() && alike < other.size() && own[alike] == other[alike]) ++alike;
    if (alike == 0) return own.front();
    return alike < own.size() ? own[alike] : own.back();
}

std::vector<TokenChip> ExploreViewModel::tokens() const {
    return tokenChips(session_.runs(), selection_.step(), display_.values().words);
}

const WordGroups* ExploreViewModel::merging(Side side) const {
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    return column && display_.values().words && column->words.merges() ? &column->words : nullptr;
}

MapAxis ExploreViewModel::axis(Side side) const {
    MapAxis axis;
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return axis;
    const ChainRun& run = *column->run;
    const int row = column->clampedRow(selection_.step());
    axis.current = cellOf(side, row);
    for (const int token : run.evidence(row))
        if (axis.evidence.empty() || axis.evidence.back() != cellOf(side, token))
            axis.evidence.push_back(cellOf(side, token));
    if (const WordGroups* groups = merging(side)) {
        const int words = cellOf(side, run.rows - 1) + 1;
        axis.labels.assign(groups->texts.begin(), groups->texts.begin() + words);
        return axis;
    }
    for (int at = 0; at < run.rows; ++at)
        axis.labels.push_back(visibleToken(QString::fromStdString(
            run.model->vocabulary.text(run.tokens[static_cast<std::size_t>(at)]))));
    return axis;
}

int ExploreViewModel::tokenOf(Side side, int cell, bool query) const {
    const WordGroups* groups = merging(side);
    if (!groups || cell < 0) return cell;
    if (cell >= groups->words()) return -1;
    const int rows = columnOf(session_.runs(), side)->run->rows;
    return query ? std::min(groups->last(cell), rows - 1)
                 : groups->first[static_cast<std::size_t>(cell)];
}

int ExploreViewModel::cellOf(Side side, int token) const {
    const WordGroups* groups = merging(side);
    if (!groups || token < 0) return token;
    const auto at = static_cast<std::size_t>(token);
    return at < groups->wordOf.size() ? groups->wordOf[at] : -1;
}

std::vector<MapView> ExploreViewModel::asShown(Side side, std::vector<MapView> views) const {
    const WordGroups* groups = merging(side);
    if (!groups) return views;
    const int row = columnOf(session_.runs(), side)->clampedRow(selection_.step());
    for (MapView& view : views) view = merged(view, *groups, row);
    return views;
}

std::vector<MapView> ExploreViewModel::tiles(Side side, int head) const {
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return {};
    return asShown(side, tileViews(*column, selection_.layer(), head, selection_.step()));
}

std::vector<double> ExploreViewModel::masses(Side side, int head) const {
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return {};
    return tileMasses(*column, selection_.layer(), head, selection_.step());
}

std::vector<MapView> ExploreViewModel::effective(Side side) const {
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return {};
    return asShown(side, effectiveViews(*column, selection_.layer()));
}

std::vector<MixingSheet> ExploreViewModel::mixing(Side side) const {
    const ColumnRunPtr& column = columnOf(session_.runs(), side);
    if (!column) return {};
    // while a weight is dragged it is shown as it is wanted, ahead of the run
    const auto at = static_cast<std::size_t>(indexOf(side));
    const bool ahead = session_.state().columns[at].seat == session_.shownState().columns[at].seat;
    const auto model = ahead ? edits_.wanted(side) : nullptr;
    return mixingSheets(model ? *model : *column->run->model,
                        column->clampedLayer(selection_.layer()), selection_.open(side).head);
}

TablePlace ExploreViewModel::place() const {
    return {selection_.layer(), selection_.step(), selection_.open(Side::left),
            selection_.open(Side::right)};
}

std::vector<ComparisonRow> ExploreViewModel::answers(int count) const {
    return answerRows(session_.runs(), selection_.step(), temperature_, count,
                      session_.slotNames());
}

std::vector<ComparisonRow> ExploreViewModel::evidenceTable() const {
    return evidenceRows(session_.runs(), place());
}

std::vector<ComparisonRow> ExploreViewModel::tileTable() const {
    return tileRows(session_.runs(), place());
}

std::vector<ComparisonRow> ExploreViewModel::costTable() const {
    return costRows(session_.runs(), selection_.layer());
}

QString ExploreViewModel::cellText() const {
    if (!selection_.cell()) return {};
    const ColumnRunPtr& column = columnOf(session_.runs(), selection_.cell()->side);
    if (!column) return {};
    const int row = column->clampedRow(selection_.step());
    if (merging(selection_.cell()->side))
        return mergedCellWords(*column, selection_.layer(), row, *selection_.cell());
    return cellWords(*column, selection_.layer(), row, *selection_.cell());
}

QString ExploreViewModel::cellValue() const {
    if (!selection_.cell()) return {};
    const ColumnRunPtr& column = columnOf(session_.runs(), selection_.cell()->side);
    const CellRef& cell = *selection_.cell();
    const int row = column ? column->clampedRow(selection_.step()) : 0;
    if (const WordGroups* groups = merging(cell.side)) {
        const double value = mergedValue(*column, selection_.layer(), row, cell, *groups);
        return std::isnan(value) ? QString() : QString::number(value, 'g', 9);
    }
    if (!column || cell.query > row || isMasked(*column, selection_.layer(), cell)) return {};
    const double value = valueAt(*column, selection_.layer(), cell);
    return std::isnan(value) ? QString() : QString::number(value, 'g', 9);
}

QString ExploreViewModel::tokenText() const {
    const int position = selection_.hoveredToken();
    for (const TokenChip& chip : tokens())
        if (position >= chip.first && position <= chip.last) return chipText(chip);
    return {};
}

QString ExploreViewModel::chipText(const TokenChip& chip) const {
    const QString where = chip.first == chip.last ? QString::number(chip.first)
                                                  : tr("%1–%2").arg(chip.first).arg(chip.last);
    const QString what = tr("“%1” (%2)").arg(chip.text, where);
    // tokens of our own vocabularies are what they are written as; nobody knows them by number
    const Task* task = session_.shownState().task.get();
    const bool numbered = task && task->info().vocabulary.tokenizer();
    const QString named = numbered ? tr("%1, id %2").arg(what, chip.ids) : what;
    if (chip.implicit) return tr("token %1, not typed: the tokenizer adds it").arg(named);
    return (chip.given ? tr("token %1, given: click to edit the prompt")
                       : tr("token %1, of the chain: click to go to its step"))
        .arg(named);
}

QString ExploreViewModel::stepText() const {
    const int index = stepIndex();
    QString note = index < 0 ? QString() : steps_[static_cast<std::size_t>(index)].note;
    if (!note.isEmpty()) return note;
    QStringList tokens;
    for (const TokenChip& chip : this->tokens())
        if (chip.evidence) tokens << chip.text;
    if (tokens.isEmpty()) return {};
    return tr("evidence: %1").arg(tokens.join(QLatin1Char(' ')));
}

QString ExploreViewModel::deviceText() const {
    if (const auto share = session_.running()) return tr("running… %1 %").arg(qRound(*share * 100));
    if (session_.busy()) return tr("running…");
    QStringList parts;
    for (const Side side : bothSides)
        if (const ColumnRunPtr& column = columnOf(session_.runs(), side))
            parts << (side == Side::left ? tr("left %1") : tr("right %1"))
                         .arg(millisecondsText(column->run->milliseconds));
    if (parts.isEmpty()) return {};
    parts.prepend(QString::fromStdString(session_.device().description));
    return parts.join(QStringLiteral(" · "));
}

void ExploreViewModel::setPointedText(const QString& text) {
    if (text == pointedText_) return;
    pointedText_ = text;
    emit pointedTextChanged();
}

void ExploreViewModel::setTemperature(double temperature) {
    if (temperature == temperature_) return;
    temperature_ = temperature;
    emit temperatureChanged();
}

}  // namespace headloom
