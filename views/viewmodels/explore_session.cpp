#include "views/viewmodels/explore_session.h"

#include "core/base/cores.h"
#include "core/io/model_name.h"
#include "core/models/tokenizer.h"
#include "core/session/chosen_backend.h"
#include "core/session/explorer.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/prompt.h"
#include "views/viewmodels/words.h"

#include <QFileInfo>
#include <QMetaObject>

#include <algorithm>
#include <utility>

namespace headloom {

namespace {

constexpr int runBeatMilliseconds = 200, beatsBeforeWords = 2;

/// The example of models from elsewhere, which has no tasks.
const QString textId = QStringLiteral("text");

/// One line for all errors of an answer.
QString sentences(const std::vector<Error>& errors) {
    QStringList lines;
    for (const Error& error : errors) lines << sentenceOf(error);
    return lines.join(QLatin1Char(' '));
}

bool anyWeightsChanged(const SessionState& state) {
    return state.columns[0].weightsChanged() || state.columns[1].weightsChanged();
}

bool sameSequence(const SessionState& a, const SessionState& b) {
    return a.exampleId == b.exampleId && a.task == b.task && a.exampleIndex == b.exampleIndex &&
           a.typedPrompt == b.typedPrompt && a.onItsOwn == b.onItsOwn;
}

/// But for its changes.
bool sameModel(const SessionState& a, const SessionState& b, Side side) {
    const auto at = static_cast<std::size_t>(indexOf(side));
    return a.columns[at].seat == b.columns[at].seat && a.columns[at].model == b.columns[at].model;
}

QString titled(const QString& name, const QString& alphaOrder) {
    return alphaOrder.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, alphaOrder);
}

}  // namespace

std::shared_ptr<const Model> SessionState::Column::changed() const {
    return changes ? changedModel(model, *changes) : model;
}

struct ExploreSession::Worker {
    explicit Worker(ExploreSession* session)
        : explorer([this, session](const auto& result) { answer(session, *result); },
                   [session](const std::shared_ptr<const OverviewPart>& part) {
                       QMetaObject::invokeMethod(
                           session, [session, part] { session->receivePart(*part); },
                           Qt::QueuedConnection);
                   }) {}

    /// On the worker thread: what the panels need is worked out here, once.
    void answer(ExploreSession* session, const ExploreResult& result) {
        auto pair = std::make_shared<ColumnPair>();
        pair->left = columnOf(result.left, 0);
        pair->right = columnOf(result.right, 1);
        const QString errors = sentences(result.errors);
        const QString fellBack =
            result.fellBack ? QString::fromStdString(goesOnOnCpu(*result.fellBack)) : QString();
        QMetaObject::invokeMethod(
            session,
            [session, number = result.number, made = Answer(std::move(pair)), errors,
             device = result.device,
             fellBack] { session->receive(number, made, errors, device, fellBack); },
            Qt::QueuedConnection);
    }

    /// Most of a run that differs from the last in its view alone is known.
    ColumnRunPtr columnOf(const std::shared_ptr<const ChainRun>& run, std::size_t side) {
        ColumnRunPtr& known = made[side];
        if (!run) return known = nullptr;
        const Tensor& logits = run->trace.logits;
        const bool alike = known && logits && logits.raw() == known->run->trace.logits.raw();
        if (alike && run->mapLayer < 0 && known->run->effective.size() == run->effective.size())
            return known;
        return known = std::make_shared<ColumnRun>(run, alike ? known.get() : nullptr);
    }

    std::array<ColumnRunPtr, 2> made;  ///< of the worker thread alone
    ExploreRequest last;               ///< of the session's thread
    Explorer explorer;
};

ExploreSession::ExploreSession(QObject* parent)
    : QObject(parent),
      examples_(exampleCatalogue()),
      runs_(std::make_shared<ColumnPair>()),
      worker_(std::make_unique<Worker>(this)) {
    connect(&loader_, &ModelLoader::ended, this, &ExploreSession::loaded);
    connect(&loader_, &ModelLoader::progressed, this, &ExploreSession::loadingProgressed);
    beat_.setInterval(runBeatMilliseconds);
    connect(&beat_, &QTimer::timeout, this, [this] {
        ++beats_;
        emit loadingProgressed();
    });
}

ExploreSession::~ExploreSession() = default;

bool ExploreSession::busy() const {
    return !loads_[0].isEmpty() || !loads_[1].isEmpty() || awaited_ != 0;
}

std::optional<LoadingShown> ExploreSession::loading(Side side) const {
    return loader_.progress(loads_[static_cast<std::size_t>(indexOf(side))]);
}

void ExploreSession::cancelLoading(Side side) {
    if (loading(side)) goOnWithout(side, {});
}

const ExampleInfo* ExploreSession::example() const {
    const auto found =
        std::find_if(examples_.begin(), examples_.end(),
                     [this](const ExampleInfo& one) { return one.id == wanted_.exampleId; });
    if (found != examples_.end()) return &*found;
    return wanted_.task ? &trained_ : nullptr;
}

std::optional<double> ExploreSession::running() const {
    if (awaited_ == 0 || beats_ < beatsBeforeWords) return std::nullopt;
    return worker_->explorer.progress();
}

void ExploreSession::cancelRunning() {
    if (awaited_ == 0) return;
    worker_->explorer.cancel();
    giveUp({});
}

std::vector<ModelChoice> ExploreSession::choices() const {
    std::vector<ModelChoice> all;
    for (const Held& held : held_)
        if (held.exampleId == wanted_.exampleId) all.push_back(held.live.choice);
    if (const ExampleInfo* info = example())
        all.insert(all.end(), info->models.begin(), info->models.end());
    all.insert(all.end(), opened_.begin(), opened_.end());
    return all;
}

QString ExploreSession::promptText() const {
    if (!wanted_.typedPrompt.isEmpty()) return wanted_.typedPrompt;
    if (!wanted_.task) return {};
    const PromptPlan plan = examplePlan(*wanted_.task, wanted_.exampleIndex);
    const Vocabulary& vocabulary = wanted_.task->info().vocabulary;
    // Of a text that is only what the tokenizer adds nothing was typed.
    return vocabulary.tokenizer() ? QString()
                                  : QString::fromStdString(vocabulary.decode(plan.prompt));
}

std::vector<QString> ExploreSession::slotNames() const {
    std::vector<QString> names;
    if (wanted_.task)
        for (const std::string& name : wanted_.task->info().slotNames)
            names.push_back(QString::fromStdString(name));
    return names;
}

bool ExploreSession::generated() const {
    return !wanted_.task || wanted_.task->info().generated;
}

bool ExploreSession::speaks() const {
    return !wanted_.task || wanted_.task->info().nSlots > 0;
}

bool ExploreSession::freeText() const {
    return wanted_.exampleId == textId;
}

QString ExploreSession::idsOnlyReason() const {
    const Tokenizer* tokenizer =
        wanted_.task ? wanted_.task->info().vocabulary.tokenizer() : nullptr;
    return tokenizer ? QString::fromStdString(tokenizer->idsOnlyReason()) : QString();
}

bool ExploreSession::readsText() const {
    return wanted_.task && wanted_.task->info().vocabulary.tokenizer() && idsOnlyReason().isEmpty();
}

void ExploreSession::openExample(const QString& id, int index) {
    auto task = exampleTask(id);
    if (!task) {
        emit failed(sentenceOf(task.error()));
        return;
    }
    SessionState next;
    next.exampleId = id;
    next.task = std::move(*task);
    next.exampleIndex = std::max(0, index);
    next.effectiveMaps = wanted_.effectiveMaps;
    next.onItsOwn = wanted_.onItsOwn && next.task->info().generated;
    const auto info = std::find_if(examples_.begin(), examples_.end(),
                                   [&](const ExampleInfo& one) { return one.id == id; });
    if (info != examples_.end()) {
        for (const ModelChoice& choice : info->models) {
            if (choice.id == info->left) next.columns[0].choice = choice;
            if (choice.id == info->right) next.columns[1].choice = choice;
        }
    }
    want(std::move(next));
}

void ExploreSession::openTask(const QString& id, std::shared_ptr<const Task> task) {
    SessionState next;
    next.exampleId = id;
    next.effectiveMaps = wanted_.effectiveMaps;
    next.onItsOwn = wanted_.onItsOwn && task->info().generated;
    trained_ = {};
    trained_.id = id;
    trained_.title = QString::fromStdString(task->info().title);
    trained_.look = tr("A task of the Train page (F3)");
    trained_.explanation = QString::fromStdString(task->info().explanation);
    next.task = std::move(task);
    want(std::move(next));
}

void ExploreSession::setExampleIndex(int index) {
    if (!wanted_.task || index < 0) return;
    if (index == wanted_.exampleIndex && wanted_.typedPrompt.isEmpty()) return;
    SessionState next = wanted_;
    next.exampleIndex = index;
    next.typedPrompt.clear();
    want(std::move(next));
}

Result<void> ExploreSession::setPrompt(const QString& text) {
    if (!wanted_.task) return {};
    const auto plan = typedPlan(*wanted_.task, text.toStdString());
    if (!plan) return tl::unexpected(plan.error());
    for (const SessionState::Column& column : wanted_.columns) {
        if (!column.model) continue;
        const auto request = requestFor(*plan, *wanted_.task, column.model, wanted_.onItsOwn);
        if (!request) return tl::unexpected(request.error());
    }
    SessionState next = wanted_;
    next.typedPrompt = text;
    want(std::move(next));
    return {};
}

void ExploreSession::setOnItsOwn(bool own) {
    if (own == wanted_.onItsOwn || (own && !generated())) return;
    SessionState next = wanted_;
    next.onItsOwn = own;
    want(std::move(next));
}

void ExploreSession::setEffectiveMaps(bool wanted) {
    if (wanted == wanted_.effectiveMaps) return;
    SessionState next = wanted_;
    next.effectiveMaps = wanted;
    want(std::move(next));
}

void ExploreSession::setChoice(Side side, const ModelChoice& choice) {
    SessionState next = wanted_;
    SessionState::Column& column = next.columns[static_cast<std::size_t>(indexOf(side))];
    if (column.choice.id == choice.id && column.choice.tokenizer == choice.tokenizer) return;
    column = {choice, nullptr};
    want(std::move(next));
}

void ExploreSession::openFile(Side side, const QString& path, const QString& tokenizer,
                              const QString& alphaOrder) {
    const QString file = QFileInfo(path).absoluteFilePath();
    for (const ModelChoice& known : choices())
        if (known.path == file && (tokenizer.isEmpty() || known.tokenizer == tokenizer) &&
            (alphaOrder.isEmpty() || known.alphaOrder == alphaOrder))
            return setChoice(side, known);
    // read in two ways it is two models
    const QString id = alphaOrder.isEmpty() ? file : file + QLatin1Char('\t') + alphaOrder;
    const QString name = QString::fromStdString(modelName(path.toStdString()));
    setChoice(side, {id, titled(name, alphaOrder), file, tokenizer, alphaOrder});
}

void ExploreSession::openModel(Side side, const QString& title,
                               std::shared_ptr<const Model> model) {
    const ModelChoice choice{QStringLiteral("kept:") + title, title, {}};
    if (Held* known = held(choice.id))
        known->live.model = std::move(model);
    else
        held_.push_back({wanted_.exampleId, {choice, std::move(model)}, false});
    SessionState next = wanted_;
    next.columns[static_cast<std::size_t>(indexOf(side))] = {choice, nullptr};
    want(std::move(next));
}

ExploreSession::Held* ExploreSession::held(const QString& id) {
    const auto found = std::find_if(held_.begin(), held_.end(), [&](const Held& one) {
        return one.exampleId == wanted_.exampleId && one.live.choice.id == id;
    });
    return found == held_.end() ? nullptr : &*found;
}

void ExploreSession::setLive(const QString& exampleId, std::vector<LiveModel> models) {
    std::erase_if(held_, [](const Held& one) { return one.changes; });
    std::vector<Held> fresh;
    for (LiveModel& model : models) fresh.push_back({exampleId, std::move(model), true});
    held_.insert(held_.begin(), fresh.begin(), fresh.end());
    emit stateChanged();
}

void ExploreSession::updateLive(const QString& id, std::shared_ptr<const Model> model) {
    Held* known = held(id);
    if (!known) return;
    known->live.model = std::move(model);
    bool shown = false;
    for (SessionState::Column& column : wanted_.columns) {
        if (column.choice.id != id) continue;
        column.model = known->live.model;
        shown = true;
    }
    if (!shown) return;
    // One run at a time: a run that were replaced before it ended would never be seen.
    if (busy())
        due_ = true;
    else
        submit();
}

void ExploreSession::finish() {
    worker_->explorer.finish();
}

void ExploreSession::swapColumns() {
    SessionState next = wanted_;
    std::swap(next.columns[0], next.columns[1]);
    want(std::move(next));
}

void ExploreSession::setChanges(Side side, std::shared_ptr<const ColumnChanges> changes) {
    wanted_.columns[static_cast<std::size_t>(indexOf(side))].changes = std::move(changes);
    // One run at a time: while a weight is dragged, a run that were replaced before it ended would
    // never be seen.
    if (busy())
        due_ = true;
    else
        submit();
}

void ExploreSession::setBackend(const std::string& name) {
    if (name == backend_) return;
    backend_ = name;
    ++choice_;
    emit backendChanged();
    if (busy())
        due_ = true;
    else
        submit();
}

void ExploreSession::runAgain() {
    anew_ = true;
    if (busy())
        due_ = true;
    else
        submit();
}

void ExploreSession::setTokenizer(const QString& path) {
    SessionState next = wanted_;
    for (SessionState::Column& column : next.columns) {
        if (!column.model || column.choice.path.isEmpty() || !column.model->vocabulary.tokenizer())
            continue;
        column.choice.tokenizer = QFileInfo(path).absoluteFilePath();
        column.model = nullptr;
    }
    want(std::move(next));
}

void ExploreSession::want(SessionState next) {
    wanted_ = std::move(next);
    loads_ = {};
    awaited_ = 0;
    for (SessionState::Column& column : wanted_.columns) {
        if (column.seat == 0 && !column.choice.id.isEmpty()) column.seat = ++lastSeat_;
    }
    for (const Side side : bothSides) load(side);
    letGo();
    emit stateChanged();
    submit();
}

/// What neither stands in a column nor is on its way to one is not read and not kept.
void ExploreSession::letGo() {
    QStringList wanted;
    for (const SessionState* state : {&wanted_, &shown_})
        for (const SessionState::Column& column : state->columns)
            if (!column.choice.id.isEmpty())
                wanted << ModelLoader::keyOf(state->exampleId, column.choice);
    loader_.keepOnly(wanted);
}

void ExploreSession::load(Side side) {
    const auto at = static_cast<std::size_t>(indexOf(side));
    SessionState::Column& column = wanted_.columns[at];
    if (column.model || column.choice.id.isEmpty()) return;
    if (const Held* known = held(column.choice.id)) {
        column.model = known->live.model;
        return;
    }
    const QString key = ModelLoader::keyOf(wanted_.exampleId, column.choice);
    if (const LoadedChoice* known = loader_.find(key)) return place(side, *known);
    loads_[at] = key;
    loader_.load(wanted_.exampleId, column.choice);
}

void ExploreSession::loaded(const QString& key, const QString& problem) {
    for (const Side side : bothSides) {
        QString& awaited = loads_[static_cast<std::size_t>(indexOf(side))];
        if (awaited != key) continue;
        awaited.clear();
        const LoadedChoice* found = loader_.find(key);
        if (!found) return goOnWithout(side, problem);
        takeIn(side, *found);
    }
}

/// What is on screen stays. Where there is nothing yet the other column goes on alone, and the
/// problem is said with its answer, which would wipe it away if it came later.
void ExploreSession::goOnWithout(Side side, const QString& problem) {
    if (shown_.task) return giveUp(problem);
    SessionState next = wanted_;
    next.columns[static_cast<std::size_t>(indexOf(side))] = {};
    unsaid_ = problem;
    want(std::move(next));
    if (!busy()) giveUp(std::exchange(unsaid_, {}));
}

void ExploreSession::takeIn(Side side, const LoadedChoice& found) {
    const auto at = static_cast<std::size_t>(indexOf(side));
    place(side, found);
    const SessionState::Column& column = wanted_.columns[at];
    for (ModelChoice& one : opened_)
        if (one.id == column.choice.id) one.tokenizer = column.choice.tokenizer;
    const std::vector<ModelChoice> known = choices();
    const bool listed = std::any_of(known.begin(), known.end(), [&](const ModelChoice& one) {
        return one.id == column.choice.id;
    });
    letGo();
    if (!listed) {
        wanted_.columns[at].choice.title =
            titled(QString::fromStdString(column.model->name), column.choice.alphaOrder);
        opened_.push_back(column.choice);
    }
    emit stateChanged();
    submit();
}

/// Lets a model stand in its column. One from elsewhere brings its own kind of prompt; the other
/// column stays where its model reads the same tokens.
void ExploreSession::place(Side side, const LoadedChoice& found) {
    SessionState::Column& column = wanted_.columns[static_cast<std::size_t>(indexOf(side))];
    column.model = found.model;
    const bool alike = wanted_.task && found.text &&
                       wanted_.task->info().vocabulary.tokens() == found.model->vocabulary.tokens();
    if (!found.text || alike) return;
    const std::size_t beside = side == Side::left ? 1 : 0;
    SessionState::Column& other = wanted_.columns[beside];
    const ModelChoice &here = column.choice, &there = other.choice;
    const bool willRead = !there.path.isEmpty() && there.tokenizer == here.tokenizer &&
                          (there.path == here.path || !here.tokenizer.isEmpty());
    const bool reads = other.model
                           ? other.model->vocabulary.tokens() == found.model->vocabulary.tokens()
                           : willRead;
    if (!reads) {
        other = {};
        loads_[beside].clear();  // of a model that may be on its way
    }
    wanted_.exampleId = textId;
    wanted_.task = found.text;
    wanted_.exampleIndex = 0;
    wanted_.typedPrompt = found.beginning;
    wanted_.onItsOwn = wanted_.onItsOwn && found.text->info().generated;
    trained_ = {};
    trained_.id = wanted_.exampleId;
    trained_.title = QString::fromStdString(found.model->name);
    trained_.look = QString::fromStdString(found.model->config.summary());
    trained_.explanation = found.about;
}

void ExploreSession::submit() {
    if (!wanted_.task || !loads_[0].isEmpty() || !loads_[1].isEmpty()) return;
    PromptPlan plan = examplePlan(*wanted_.task, wanted_.exampleIndex);
    if (!wanted_.typedPrompt.isEmpty()) {
        auto typed = typedPlan(*wanted_.task, wanted_.typedPrompt.toStdString());
        if (!typed) return giveUp(sentenceOf(typed.error()));
        plan = std::move(*typed);
    }
    ExploreRequest request;
    request.backend = submittedBackend_ = backend_;
    request.choice = choice_;
    request.threads = coreCount();
    const bool edited = anyWeightsChanged(wanted_);
    for (const Side side : bothSides) {
        auto& column = wanted_.columns[static_cast<std::size_t>(indexOf(side))];
        if (!column.model) continue;
        auto chain = requestFor(plan, *wanted_.task, column.changed(), wanted_.onItsOwn);
        if (!chain) return giveUp(sentenceOf(chain.error()));
        chain->editOf = editedFrom(side);
        chain->allLayers = backend_ != shownBackend_;
        const auto& shown = shown_.columns[static_cast<std::size_t>(indexOf(side))];
        column.tokensKept = wanted_.onItsOwn && chain->editOf &&
                            (shown.tokensKept || column.changes != shown.changes);
        chain->keepResiduals = edited;
        chain->effectiveMaps = wanted_.effectiveMaps;
        chain->activations = false;
        if (column.changes) chain->ablation = column.changes->ablation();
        chain->mostMapBytes = mostMapBytes_;
        chain->layer = view_.layer;
        chain->head = view_.heads[static_cast<std::size_t>(indexOf(side))];
        (side == Side::left ? request.left : request.right) = std::move(*chain);
    }
    freePromptReason_ = QString::fromStdString(plan.freeReason);
    for (int side = 0; side < 2; ++side) request.overviewFrom[side] = gridWanted_ ? 0 : -1;
    submitted_ = wanted_;
    anew_ = false;
    due_ = false;  // this run has it all
    worker_->last = request;
    awaited_ = worker_->explorer.submit(std::move(request));
    beats_ = 0;
    beat_.start();
}

/// What a column's run may begin with: the shown one, if it differs only by numbers in weights or
/// by nothing at all. Null: the run begins anew.
std::shared_ptr<const ChainRun> ExploreSession::editedFrom(Side side) const {
    const auto at = static_cast<std::size_t>(indexOf(side));
    const ColumnRunPtr& column = runs_->at(indexOf(side));
    const bool changed =
        anyWeightsChanged(wanted_) || anyWeightsChanged(shown_) || backend_ != shownBackend_;
    if (anew_ || !column || !changed) return nullptr;
    const auto offIn = [at](const SessionState& state) {
        const auto& changes = state.columns[at].changes;
        return changes ? changes->ablation() : Ablation();
    };
    const Ablation off = offIn(wanted_), wasOff = offIn(shown_);
    const bool alike = sameSequence(wanted_, shown_) && sameModel(wanted_, shown_, side);
    const bool sameOff = off.cuts == wasOff.cuts && off.otherPrompt == wasOff.otherPrompt;
    return alike && sameOff ? column->run : nullptr;
}

void ExploreSession::setView(int layer, int leftHead, int rightHead) {
    view_ = {layer, {leftHead, rightHead}};
    if (!busy() && lacksView()) submitView();
}

void ExploreSession::setGridWanted(bool wanted) {
    if (wanted == gridWanted_) return;
    gridWanted_ = wanted;
    const bool missing = grids_[0].firstMissing() >= 0 || grids_[1].firstMissing() >= 0;
    if (busy() || !missing) return;
    if (wanted)
        submitView();
    else
        worker_->explorer.cancel();  // nobody looks at what is still to come
}

/// Whether a run that cannot hold all of its maps holds others than those looked at.
bool ExploreSession::lacksView() const {
    for (int side = 0; side < 2; ++side) {
        const ColumnRunPtr& column = runs_->at(side);
        if (!column || column->run->mapLayer < 0) continue;
        if (column->clampedLayer(view_.layer) != column->run->mapLayer ||
            column->mapIndex(view_.layer, view_.heads[static_cast<std::size_t>(side)]) < 0)
            return true;
    }
    return false;
}

/// The runs that are shown, with what is looked at now.
void ExploreSession::submitView() {
    ExploreRequest request = worker_->last;
    for (int side = 0; side < 2; ++side) {
        const auto at = static_cast<std::size_t>(side);
        const ColumnRunPtr& column = runs_->at(side);
        ChainRequest& chain = side == 0 ? request.left : request.right;
        if (!column || !chain.model) continue;
        chain.before = column->run;
        chain.layer = view_.layer;
        chain.head = view_.heads[at];
        request.overviewFrom[side] = gridWanted_ ? grids_[at].firstMissing() : -1;
    }
    awaited_ = worker_->explorer.submit(std::move(request));
    beats_ = 0;
    beat_.start();
}

void ExploreSession::receivePart(const OverviewPart& part) {
    if (part.number != shownNumber_) return;
    HeadGrid& grid = grids_[static_cast<std::size_t>(part.side)];
    if (part.layer >= grid.layers) return;
    std::vector<HeadCell>& cells = grid.cells[static_cast<std::size_t>(part.layer)];
    cells.clear();
    for (const HeadSummary& head : part.heads)
        cells.push_back({head.distance, head.first, head.side, head.thumbnail});
    emit gridChanged(part.side == 0 ? Side::left : Side::right);
}

/// A grid lasts as long as its run's logits: a run with another layer in view is the same run.
void ExploreSession::renewGrids() {
    for (const Side side : bothSides) {
        const auto at = static_cast<std::size_t>(indexOf(side));
        const ColumnRunPtr &column = runs_->at(indexOf(side)), before = gridRuns_[at];
        const auto logits = [](const ColumnRunPtr& one) {
            return one && one->run->trace.logits ? one->run->trace.logits.raw() : nullptr;
        };
        const bool same = column && before && logits(column) && logits(column) == logits(before);
        gridRuns_[at] = column;
        if (same) continue;
        grids_[at] = {};
        if (column) {
            grids_[at].layers = column->config().nLayers();
            grids_[at].heads = column->heads();
            grids_[at].rows = column->run->rows;
            grids_[at].cells.resize(static_cast<std::size_t>(grids_[at].layers));
        }
        emit gridChanged(side);
    }
}

void ExploreSession::receive(std::uint64_t number, Answer answer, const QString& errors,
                             const DeviceInfo& device, const QString& fellBack) {
    if (number != awaited_) return;
    awaited_ = 0;
    beat_.stop();
    // Where only changes of the models were asked for, what they had before is better than nothing.
    const bool edit = sameSequence(submitted_, shown_) &&
                      sameModel(submitted_, shown_, Side::left) &&
                      sameModel(submitted_, shown_, Side::right);
    if (!errors.isEmpty() && (edit || !answer->leader())) return giveUp(errors);
    runs_ = std::move(answer);
    shownNumber_ = number;
    device_ = device;
    shownBackend_ = submittedBackend_;
    if (!fellBack.isEmpty()) {
        if (backend_ == submittedBackend_) backend_ = "cpu";
        shownBackend_ = "cpu";
        emit backendChanged();
    }
    renewGrids();
    const SessionState before = std::exchange(shown_, submitted_);
    for (const Side side : bothSides) {
        const auto at = static_cast<std::size_t>(indexOf(side));
        const SessionState::Column& column = shown_.columns[at];
        const bool isFile = !column.choice.path.isEmpty() && column.choice.id == column.choice.path;
        if (isFile && column.model != before.columns[at].model)
            emit fileShown({column.choice.path, side, column.choice.tokenizer});
    }
    if (std::exchange(due_, false))
        submit();
    else if (lacksView())
        submitView();
    // submitted first, so that `busy` holds for who hears of this
    emit answered();
    const QString problem = std::exchange(unsaid_, {});
    for (const QString& one : {problem, errors, fellBack})
        if (!one.isEmpty()) emit failed(one);
}

void ExploreSession::giveUp(const QString& sentence) {
    loads_ = {};
    awaited_ = 0;
    anew_ = due_ = false;
    if (std::exchange(backend_, shownBackend_) != shownBackend_) emit backendChanged();
    beat_.stop();
    if (shown_.task) wanted_ = shown_;
    letGo();
    emit stateChanged();
    if (!sentence.isEmpty()) emit failed(sentence);
}

}  // namespace headloom
