#include "views/viewmodels/many_model.h"

#include "core/base/cores.h"
#include "core/session/averages_csv.h"
#include "core/session/prompt_questions.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>

namespace headloom {

namespace {

constexpr int progressBeat = 100;  // milliseconds

using What = ManyModel::What;

const SessionState::Column& columnOfState(const ExploreViewModel& explore, Side side) {
    return explore.session().shownState().columns[static_cast<std::size_t>(indexOf(side))];
}

const ColumnRunPtr& runIn(const ExploreViewModel& explore, Side side) {
    return explore.session().runs().at(indexOf(side));
}

Result<Question> questionOf(const ManyModel::Asking& asking, const Model& model,
                            const PromptSet& prompts) {
    const ModelConfig& config = model.config;
    switch (asking.what) {
        case What::heads:
        case What::patterns:
            return askHeads(config, {});
        case What::shares:
            return askShares(model, {});
        case What::crossHeads:
            return askCrossHeads(config);
        case What::lens:
            return askLens(model);
        case What::similarity:
            return askSimilarity(config, {}, PatternKind::tiles);
        case What::rollout:
        case What::flow:
            return askFlow(model, {{}, {}, prompts.length(), asking.what == What::rollout});
        case What::cuts:
            break;
    }
    CutsAsked cuts;
    for (int layer = 0; layer < config.nLayers(); ++layer)
        for (const ModelPart& part : partsOf(asking.parts, config, layer))
            cuts.cuts.push_back({part, Instead::zero, false, -1});
    if (cuts.cuts.empty())
        return fail(Error::Kind::badInput, {}, "this model has no such parts",
                    "choose heads or layers");
    return askCuts(cuts);
}

/// The table among those of the question that is looked at.
const char* tableIdOf(What what) {
    constexpr const char* ids[] = {"heads", "layers",     "ranking", "parts", "cross_heads",
                                   "lens",  "similarity", "flow",    "flow"};
    return ids[static_cast<std::size_t>(what)];
}

/// "accuracy 1.000 ± 0.000, exact …": of what exists.
QString answersText(const AveragedTable& answers) {
    QStringList texts;
    for (std::size_t column = 0; column < answers.columns.size(); ++column) {
        const Spread& cell = answers.at(0, column);
        if (cell.count() == 0) continue;
        QString text = QStringLiteral("%1 %2")
                           .arg(QString::fromStdString(answers.columns[column].id))
                           .arg(cell.mean(), 0, 'f', 3);
        if (cell.count() > 1) text += QStringLiteral(" ± %1").arg(cell.deviation(), 0, 'f', 3);
        texts << text;
    }
    return texts.join(QStringLiteral(", "));
}

}  // namespace

ManyModel::ManyModel(ExploreViewModel& explore, QObject* parent)
    : QObject(parent), explore_(&explore), list_(table_) {
    beat_.setInterval(progressBeat);
    connect(&beat_, &QTimer::timeout, this, &ManyModel::changed);
    connect(&job_, &LatestJob::busyChanged, this, [this] {
        job_.busy() ? beat_.start() : beat_.stop();
        emit changed();
    });
    connect(&explore.session(), &ExploreSession::answered, this, &ManyModel::forgetOthers);
}

ManyModel::~ManyModel() = default;

double ManyModel::progress() const {
    return progress_ ? progress_->load() : 0;
}

bool ManyModel::hasTask() const {
    return explore_->session().shownState().task && !explore_->session().freeText();
}

/// Averages are of one model in its column; of another that stands there they say nothing.
void ManyModel::forgetOthers() {
    if (asked_ && columnOfState(*explore_, asked_->asking.side).seat != asked_->seat) {
        job_.cancel();
        asked_.reset();
        averages_.reset();
        table_.show(nullptr, 0);
    }
    emit changed();
}

bool ManyModel::stale() const {
    const ColumnRunPtr& column = runIn(*explore_, asked_->asking.side);
    return !column || column->run->model != asked_->run.model ||
           column->run->ablation.cuts != asked_->run.cuts;
}

Result<ManyPromptsRequest> ManyModel::requestFor(const Asking& asking) const {
    const auto bad = [](const QString& what, const QString& remedy) {
        return fail(Error::Kind::badInput, {}, what.toStdString(), remedy.toStdString());
    };
    const ColumnRunPtr& column = runIn(*explore_, asking.side);
    if (!column)
        return bad(tr("no model stands in this column"),
                   tr("choose one above the maps, or open an example"));
    const ChainRun& run = *column->run;
    const bool reads = asking.what == What::heads || asking.what == What::patterns ||
                       asking.what == What::similarity;
    if (run.model->filter && (!reads || !asking.file.isEmpty()))
        return bad(tr("a filter reads numbers and says nothing"),
                   tr("average its heads and tiles over examples"));
    const auto& cuts = run.ablation.cuts;
    if (std::any_of(cuts.begin(), cuts.end(),
                    [](const Cut& cut) { return cut.instead == Instead::other; }))
        return bad(tr("a part is patched from another prompt, which fits the prompt in view alone"),
                   tr("switch it on again"));
    ManyPromptsRequest request;
    request.model = run.model;
    request.cuts = cuts;
    const auto task = hasTask() ? explore_->session().shownState().task : nullptr;
    if (asking.file.isEmpty() && !task)
        return bad(tr("this model has no task to draw examples of"), tr("choose a text file"));
    auto prompts = asking.file.isEmpty()
                       ? PromptSet::ofTask(task, 0, asking.examples)
                       : PromptSet::ofFile(asking.file.toStdString(), *run.model, task.get());
    if (!prompts) return tl::unexpected(prompts.error());
    request.prompts = std::move(*prompts);
    auto question = questionOf(asking, *run.model, request.prompts);
    if (!question) return tl::unexpected(question.error());
    request.questions = {*question, askAnswers(request.prompts.exactRows())};
    request.backend = explore_->session().backend();
    request.threads = coreCount();
    return request;
}

void ManyModel::refuse(const QString& sentence) {
    problem_ = sentence;
    emit changed();
}

void ManyModel::start(const Asking& asking) {
    job_.cancel();
    asked_.reset();
    averages_.reset();
    table_.show(nullptr, 0);
    problem_.clear();
    auto request = requestFor(asking);
    if (!request) return refuse(sentenceOf(request.error()));
    const ColumnHead head = explore_->head(asking.side);
    QString name = explore_->shortName(asking.side);
    if (!head.edited.isEmpty()) name += tr(", %1 edited").arg(head.edited);
    if (!head.cuts.isEmpty()) name += tr(", without %1").arg(head.cuts);
    asked_ = Asked{asking, columnOfState(*explore_, asking.side).seat,
                   RunKey{request->model, {}, request->cuts}, name,
                   QString::fromStdString(request->prompts.words())};
    progress_ = std::make_shared<std::atomic<double>>(0);
    stopped_ = std::make_shared<std::atomic<bool>>(false);
    request->progress = [progress = progress_, count = request->prompts.count()](int done) {
        *progress = double(done) / count;
    };
    job_.start([this, request = std::move(*request), stopped = stopped_](
                   const LatestJob::Cancelled& cancelled) mutable -> LatestJob::Deliver {
        request.cancelled = [&] { return stopped->load() || cancelled(); };
        auto averages = averageOver(request);
        return [this, averages = std::move(averages)]() mutable { publish(std::move(averages)); };
    });
}

void ManyModel::stop() {
    if (stopped_) stopped_->store(true);
}

void ManyModel::publish(Result<ManyAverages> averages) {
    if (!averages) {
        const bool stopped = averages.error().kind == Error::Kind::interrupted;
        asked_.reset();
        return refuse(stopped ? tr("Stopped before the first prompt was done")
                              : sentenceOf(averages.error()));
    }
    averages_ = std::move(*averages);
    measure_ = 0;
    if (asked_->asking.what == What::heads)
        measure_ = static_cast<int>(indexOf(HeadMeasure::evidence));
    if (asked_->asking.what == What::flow) measure_ = 1;  // its rollout stands beside it
    setMeasure(measure_);
}

const AveragedTable* ManyModel::shownTable() const {
    if (!averages_) return nullptr;
    for (const AveragedTable& table : averages_->tables)
        if (table.id == tableIdOf(asked_->asking.what)) return &table;
    return nullptr;
}

void ManyModel::setMeasure(int measure) {
    measure_ = measure;
    const AveragedTable* table = shownTable();
    table_.show(table ? std::make_shared<const AveragedTable>(*table) : nullptr, measure);
    emit changed();
}

QStringList ManyModel::measures() const {
    QStringList names;
    if (const AveragedTable* table = shownTable())
        for (const AveragedColumn& column : table->columns)
            names << QString::fromStdString(column.id);
    return names;
}

QString ManyModel::measureTip(int measure) const {
    const AveragedTable* table = shownTable();
    if (!table || measure < 0 || measure >= int(table->columns.size())) return {};
    return QString::fromStdString(table->columns[static_cast<std::size_t>(measure)].definition);
}

QString ManyModel::hint() const {
    if (averages_ || running()) return {};
    if (!problem_.isEmpty()) return problem_;
    return tr(
        "What the other instruments say of one prompt, averaged over many. Choose what and "
        "over which prompts, and press Start");
}

QString ManyModel::about() const {
    if (!averages_) return {};
    QString text = tr("%1 · %2").arg(asked_->name, asked_->over);
    if (averages_->done < averages_->asked)
        text += tr(" · stopped after %1 of %2").arg(averages_->done).arg(averages_->asked);
    const QString answers = answersText(averages_->tables.back());
    if (!answers.isEmpty()) text += QLatin1Char('\n') + answers;
    if (stale()) text += QLatin1Char('\n') + tr("The column has been changed since: start again");
    return text;
}

SimilarityShown ManyModel::similarity() const {
    if (!averages_ || asked_->asking.what != What::similarity) return {};
    const ModelConfig& config = asked_->run.model->config;
    const int layer = std::clamp(explore_->selection().layer(), 0, config.nLayers() - 1);
    return averagedSimilarity(*shownTable(), config, layer);
}

bool ManyModel::open(int row) {
    if (row < 0 || row >= list_.rowCount()) return false;
    const AveragedLine line = list_.line(row);
    if (line.map.head < 0) return false;
    open(line.layer, line.map);
    return true;
}

void ManyModel::open(int layer, const Pattern& map) {
    DisplayOptions::Values shown = explore_->display().values();
    shown.effective = false;
    if (shown.scope == DisplayOptions::Scope::overview) shown.scope = DisplayOptions::Scope::head;
    explore_->display().setValues(shown);
    explore_->setLayer(layer);
    explore_->selection().setOpen(asked_->asking.side,
                                  MapRef::tile(map.head, std::max(0, map.p), std::max(0, map.r)));
}

Result<void> ManyModel::exportTo(const QString& path) const {
    const QByteArray csv =
        QByteArray::fromStdString(averages_ ? averagesAsCsv(*averages_) : std::string());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit())
        return {};
    return fail(Error::Kind::ioFailure, path.toStdString(),
                "it cannot be written: " + file.errorString().toStdString(),
                "choose another place");
}

}  // namespace headloom
