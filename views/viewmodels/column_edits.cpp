#include "views/viewmodels/column_edits.h"

#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_session.h"
#include "views/viewmodels/prompt.h"
#include "views/viewmodels/words.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <set>

namespace headloom {

namespace {

const SessionState::Column& columnIn(const SessionState& state, Side side) {
    return state.columns[static_cast<std::size_t>(indexOf(side))];
}

QString shortNumber(float value) {
    return QString::number(value, 'g', 4);
}

QString wordsOf(const MixingPreset& preset) {
    return QString::fromStdString(textOf(preset));
}

QString wordsOf(const ColumnEdits::OtherPrompt& other) {
    return other.text.isEmpty() ? ColumnEdits::tr("example %1").arg(other.example)
                                : QStringLiteral("“%1”").arg(other.text);
}

}  // namespace

ColumnEdits::ColumnEdits(ExploreSession& session, QObject* parent)
    : QObject(parent), session_(session) {
    connect(&session, &ExploreSession::stateChanged, this, &ColumnEdits::follow);
    connect(&session, &ExploreSession::answered, this, &ColumnEdits::follow);
}

std::shared_ptr<const Model> ColumnEdits::wanted(Side side) const {
    return columnIn(session_.state(), side).changed();
}

ColumnChanges ColumnEdits::changesOf(Side side) const {
    const auto& changes = columnIn(session_.state(), side).changes;
    return changes ? *changes : ColumnChanges();
}

QString ColumnEdits::place(Side side) const {
    const auto& columns = session_.state().columns;
    if (!columns[0].model || !columns[1].model) return {};
    return side == Side::left ? tr("left: ") : tr("right: ");
}

void ColumnEdits::setWeight(Side side, const MixingWeight& weight, float value, int gesture) {
    const auto& model = columnIn(session_.state(), side).model;
    if (!model) return;
    const ColumnChanges now = changesOf(side);
    const auto made = withWeight(*model, now, weight, value);
    if (!made) {
        emit refused(QString::fromStdString(made.error().sentence()));
        return;
    }
    const EditHistory::State before =
        history_.stateBefore(columnIn(session_.state(), side).seat, gesture);
    const float was = weightOf(*model, before ? *before : ColumnChanges(), weight);
    push(side,
         tr("%1 %2 to %3")
             .arg(QString::fromStdString(textOf(weight, *model)), shortNumber(was),
                  shortNumber(value)),
         *made, gesture);
}

void ColumnEdits::setMixing(Side side, const MixingScope& scope, const MixingPreset& from,
                            const MixingPreset& to, double share, int gesture) {
    const auto& model = columnIn(session_.state(), side).model;
    if (!model) return;
    const auto made = withMixing(*model, changesOf(side), scope, from, to, share);
    if (!made) {
        emit refused(QString::fromStdString(made.error().sentence()));
        return;
    }
    const QString what = scope.layer ? tr("mixing of layer %1").arg(*scope.layer) : tr("mixing");
    const QString where =
        share == 0 ? wordsOf(from)
        : share == 1
            ? wordsOf(to)
            : tr("%1 % from %2 to %3").arg(qRound(100 * share)).arg(wordsOf(from), wordsOf(to));
    push(side, tr("%1: %2").arg(what, where), *made, gesture);
}

bool ColumnEdits::mixingEdited(Side side) const {
    return columnIn(session_.state(), side).weightsChanged();
}

void ColumnEdits::resetMixing(Side side) {
    const auto& model = columnIn(session_.state(), side).model;
    if (model && mixingEdited(side))
        push(side, tr("reset to trained"), withTrainedMixing(*model, changesOf(side), {}));
}

void ColumnEdits::resetMixing() {
    for (const Side side : bothSides) resetMixing(side);
}

QString ColumnEdits::editedMatrices(Side side) const {
    const SessionState::Column& column = columnIn(session_.state(), side);
    if (!column.weightsChanged()) return {};
    QStringList names;
    const ModelConfig& config = column.model->config;
    for (int layer = 0; layer < config.nLayers(); ++layer)
        for (const MixingTensor matrix :
             mixingTensorsOf(config.layers[static_cast<std::size_t>(layer)])) {
            if (column.changes->weights.count(tensorNameOf(matrix, layer)) == 0) continue;
            const QString name = QString::fromUtf8(nameOf(matrix).data());
            names << (config.nLayers() > 1 ? QStringLiteral("L%1.%2").arg(layer).arg(name) : name);
        }
    return names.join(QStringLiteral(", "));
}

const std::vector<Cut>& ColumnEdits::cuts(Side side) const {
    static const std::vector<Cut> none;
    const auto& changes = columnIn(session_.state(), side).changes;
    return changes ? changes->cuts : none;
}

void ColumnEdits::toggle(Side side, const ModelPart& part, Instead instead) {
    if (!columnIn(session_.state(), side).model) return;
    ColumnChanges changes = changesOf(side);
    const auto same = std::find_if(changes.cuts.begin(), changes.cuts.end(),
                                   [&part](const Cut& cut) { return cut.part == part; });
    if (same == changes.cuts.end()) {
        Cut cut;
        cut.part = part;
        cut.instead = instead;
        return addCut(side, cut);
    }
    changes.cuts.erase(same);
    if (!changes.ablation().takesFromOther()) changes.otherPrompt.clear();
    push(side, tr("%1 on").arg(QString::fromStdString(nameOf(part))), changes);
}

void ColumnEdits::addCut(Side side, const Cut& cut) {
    ColumnChanges changes = changesOf(side);
    changes.cuts.push_back(cut);
    if (cut.instead == Instead::other) {
        auto tokens = otherTokens(side);
        if (!tokens) {
            emit refused(sentenceOf(tokens.error()));
            return;
        }
        changes.otherPrompt = std::move(*tokens);
    }
    QString name = tr("%1 off").arg(QString::fromStdString(nameOf(cut.part)));
    if (cut.row >= 0) name += tr(" at token %1").arg(cut.row);
    if (cut.renormalise) name += tr(", renormalised");
    if (cut.instead == Instead::other)
        name += tr(", that of %1 instead").arg(wordsOf(other_));
    else if (cut.instead != Instead::zero)
        name += tr(", %1 instead").arg(QString::fromUtf8(nameOf(cut.instead).data()));
    push(side, name, changes);
}

QString ColumnEdits::switchOff(Side side, const QString& name, Cut how) {
    const ColumnRunPtr& column = session_.runs().at(indexOf(side));
    if (!column) return tr("No model stands in this column");
    auto part = partFrom(name.toStdString());
    if (!part) return sentenceOf(part.error());
    how.part = std::move(*part);
    Ablation ablation;
    ablation.cuts.push_back(how);
    if (how.instead == Instead::other) {
        auto tokens = otherTokens(side);
        if (!tokens) return sentenceOf(tokens.error());
        ablation.otherPrompt = std::move(*tokens);
    }
    const auto fine = checkAblation(ablation, column->config(), column->run->rows);
    if (!fine) return sentenceOf(fine.error());
    const std::vector<Cut>& off = cuts(side);
    const bool already =
        std::any_of(off.begin(), off.end(), [&](const Cut& cut) { return cut.part == how.part; });
    if (already) return tr("%1 is off already").arg(name);
    addCut(side, how);
    return {};
}

Result<std::vector<int>> ColumnEdits::tokensOf(Side side, const OtherPrompt& other) const {
    const SessionState& state = session_.state();
    const auto model = columnIn(state, side).model;
    const bool free = session_.freeText();
    if (free && other.text.isEmpty())
        return fail(Error::Kind::badInput, tr("other prompt").toStdString(),
                    tr("there is none").toStdString(),
                    tr("type one of as many tokens as this one has").toStdString());
    PromptPlan plan;
    if (other.text.isEmpty()) {
        plan = examplePlan(*state.task, other.example);
    } else {
        auto typed = typedPlan(*state.task, other.text.toStdString());
        if (!typed) return tl::unexpected(typed.error());
        plan = std::move(*typed);
    }
    const auto request = requestFor(plan, *state.task, model, false);
    if (!request) return tl::unexpected(request.error());
    if (!request->truth) return request->prompt;
    const auto first = request->truth->tokens.begin();
    return std::vector<int>(first, first + request->truth->inputLength);
}

Result<std::vector<int>> ColumnEdits::otherTokens(Side side) const {
    return tokensOf(side, other_);
}

QString ColumnEdits::setOtherPrompt(const OtherPrompt& other, int gesture) {
    std::array<std::optional<ColumnChanges>, 2> changed;
    for (const Side side : bothSides) {
        ColumnChanges changes = changesOf(side);
        const ColumnRunPtr& column = session_.runs().at(indexOf(side));
        if (!column || !changes.ablation().takesFromOther()) continue;
        auto tokens = tokensOf(side, other);
        if (!tokens) return sentenceOf(tokens.error());
        changes.otherPrompt = std::move(*tokens);
        const auto fine = checkAblation(changes.ablation(), column->config(), column->run->rows);
        if (!fine) return sentenceOf(fine.error());
        changed[static_cast<std::size_t>(indexOf(side))] = std::move(changes);
    }
    other_ = other;
    for (const Side side : bothSides)
        if (const auto& changes = changed[static_cast<std::size_t>(indexOf(side))])
            push(side, tr("other prompt: %1").arg(wordsOf(other)), *changes, gesture);
    emit this->changed();
    return {};
}

void ColumnEdits::allOn() {
    for (const Side side : bothSides) {
        ColumnChanges changes = changesOf(side);
        if (changes.cuts.empty()) continue;
        changes.cuts.clear();
        changes.otherPrompt.clear();
        push(side, tr("everything on"), changes);
    }
}

void ColumnEdits::push(Side side, const QString& name, const ColumnChanges& changes, int gesture) {
    EditHistory::State state;
    if (!changes.empty()) state = std::make_shared<const ColumnChanges>(changes);
    history_.push((place(side) + name).toStdString(), columnIn(session_.state(), side).seat,
                  std::move(state), gesture);
    apply();
}

void ColumnEdits::undo() {
    if (history_.undo()) apply();
}

void ColumnEdits::redo() {
    if (history_.redo()) apply();
}

void ColumnEdits::jump(std::size_t position) {
    history_.jump(position);
    apply();
}

void ColumnEdits::apply() {
    for (const Side side : bothSides) {
        const SessionState::Column& column = columnIn(session_.state(), side);
        const EditHistory::State state = history_.stateOf(column.seat);
        if (state != column.changes) session_.setChanges(side, state);
    }
    emit changed();
}

bool ColumnEdits::agrees() const {
    return std::all_of(std::begin(bothSides), std::end(bothSides), [this](Side side) {
        const SessionState::Column& column = columnIn(session_.state(), side);
        return history_.stateOf(column.seat) == column.changes;
    });
}

/// Models that left take their entries with them; and where the session gave up, the history goes
/// back to what is shown.
void ColumnEdits::follow() {
    std::set<int> staying;
    for (const SessionState* state : {&session_.state(), &session_.shownState()})
        for (const SessionState::Column& column : state->columns) staying.insert(column.seat);
    std::set<int> gone;
    for (const EditHistory::Entry& entry : history_.entries())
        if (staying.count(entry.owner) == 0) gone.insert(entry.owner);
    for (const int owner : gone) history_.forget(owner);
    const std::size_t position = history_.position();
    for (std::size_t tried = 0; !agrees() && tried <= position; ++tried)
        history_.jump(position - tried);
    emit changed();
}

}  // namespace headloom
