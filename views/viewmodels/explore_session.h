#pragma once

#include "core/backend/backend.h"
#include "core/session/column_changes.h"
#include "views/viewmodels/catalogue.h"
#include "views/viewmodels/head_grid.h"
#include "views/viewmodels/map_ref.h"
#include "views/viewmodels/model_loader.h"
#include "views/viewmodels/recent_files.h"

#include <QObject>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace headloom {

struct ChainRun;
struct ColumnPair;
struct ColumnRun;
struct OverviewPart;
class Task;

/// What is asked for: everything that decides the two runs.
struct SessionState {
    struct Column {
        ModelChoice choice;                  ///< an empty id: no model on that side
        std::shared_ptr<const Model> model;  ///< as it was opened or trained
        /// What the user changed in it, for as long as it stands here; null: nothing.
        std::shared_ptr<const ColumnChanges> changes = nullptr;
        /// Tells this stay of a model in a column from every other; 0: nobody stands here.
        int seat = 0;
        /// Whether an edit kept tokens that the model itself might say otherwise now.
        bool tokensKept = false;

        /// The model with its changes.
        std::shared_ptr<const Model> changed() const;
        bool weightsChanged() const { return changes && !changes->weights.empty(); }
    };
    QString exampleId;
    std::shared_ptr<const Task> task;
    int exampleIndex = 0;  ///< in the held-out split
    QString typedPrompt;   ///< what the user typed; empty: the example's own prompt
    bool onItsOwn = false;
    bool effectiveMaps = false;
    std::array<Column, 2> columns;
};

/// A model that changes while it is shown.
struct LiveModel {
    ModelChoice choice;
    std::shared_ptr<const Model> model;
};

/// Turns wishes into requests to the worker and answers into runs. A wish that cannot be met is
/// said in one sentence and what was shown before stays.
class ExploreSession : public QObject {
    Q_OBJECT
  public:
    explicit ExploreSession(QObject* parent = nullptr);
    ~ExploreSession() override;

    const std::vector<ExampleInfo>& examples() const { return examples_; }
    /// The state that is asked for; equal to what is shown unless `busy`.
    const SessionState& state() const { return wanted_; }
    /// What the runs on screen were made from.
    const SessionState& shownState() const { return shown_; }
    const ColumnPair& runs() const { return *runs_; }
    bool busy() const;
    /// The model that is being read for a column; none while nothing is.
    std::optional<LoadingShown> loading(Side side) const;
    /// Gives up reading: the columns stay as they are shown.
    void cancelLoading(Side side);
    /// Share of a run's layers that are done; none while nothing runs, or not for long enough to be
    /// worth a word.
    std::optional<double> running() const;
    /// Gives up the run that is under way.
    void cancelRunning();
    /// Every head of a column in small, as far as the worker got.
    const HeadGrid& grid(Side side) const {
        return grids_[static_cast<std::size_t>(indexOf(side))];
    }
    /// The models that may stand in a column: those in training, the example's own and the files
    /// opened so far.
    std::vector<ModelChoice> choices() const;
    /// What is asked to compute: a name of backendNames().
    const std::string& backend() const { return backend_; }
    /// Counts what was chosen: another number asks for a device that failed anew.
    int backendChoice() const { return choice_; }
    /// What computed the runs on screen.
    const DeviceInfo& device() const { return device_; }
    /// What computes from now on. Everything stays and the same tokens are read again; where it
    /// cannot be had, the one before goes on.
    void setBackend(const std::string& name);
    /// What is said of the example, whether it is in the menu or only trained; null before the
    /// first.
    const ExampleInfo* example() const;
    /// The prompt as text, as `setPrompt` takes it.
    QString promptText() const;
    /// Why there is no true chain to compare with; empty where there is one.
    QString freePromptReason() const { return freePromptReason_; }
    /// What a row's answers are called where there are several; empty otherwise.
    std::vector<QString> slotNames() const;
    /// False where the sequence is given and no model writes it (the look-back bank).
    bool generated() const;
    /// False where nothing is said at any token: a filter's nodes.
    bool speaks() const;

    /// A model from elsewhere reads any text; there are no examples of it.
    bool freeText() const;
    /// Whether prompts are read by a real tokenizer, whose tokens may be pieces of words.
    bool readsText() const;
    /// Why prompts of a model from elsewhere are ids; empty where they are text.
    QString idsOnlyReason() const;

    /// Opens an example; errors go to `failed`.
    void openExample(const QString& id, int index = 0);
    /// Opens a task as it is trained: with settings, and nobody in the columns yet.
    void openTask(const QString& id, std::shared_ptr<const Task> task);
    void setExampleIndex(int index);
    /// Empty: the example's own prompt. The sentence says why a prompt cannot be used.
    Result<void> setPrompt(const QString& text);
    void setOnItsOwn(bool own);
    void setEffectiveMaps(bool wanted);
    /// Bytes that the maps of one column may take, from the next run on.
    void setMostMapBytes(std::int64_t bytes) { mostMapBytes_ = bytes; }
    /// What is looked at: where a run is too long to hold all of its maps, it holds those.
    void setView(int layer, int leftHead, int rightHead);
    /// Whether the grids are wanted; nothing is worked out for them otherwise.
    void setGridWanted(bool wanted);
    void setChoice(Side side, const ModelChoice& choice);
    /// Reads a model file and lets it stand in a column; a checkpoint reads its prompts with the
    /// tokenizer named, or with the one beside it. `alphaOrder`: ModelChoice::alphaOrder.
    void openFile(Side side, const QString& path, const QString& tokenizer = {},
                  const QString& alphaOrder = {});
    void swapColumns();
    /// What is changed in a column's model from now on; another model has no changes. The tokens
    /// that it was fed are fed again (semantics.md, edits). Signals nothing but its answer.
    void setChanges(Side side, std::shared_ptr<const ColumnChanges> changes);
    /// Lets the models decode anew, where edits kept the tokens that they had said before.
    void runAgain();
    /// Lets the checkpoints that are shown read their prompts with this tokenizer. A tokenizer that
    /// does not fit is refused, and the prompts stay as they are.
    void setTokenizer(const QString& path);
    /// Lets a model that is in no file stand in a column, and among the choices from then on.
    void openModel(Side side, const QString& title, std::shared_ptr<const Model> model);

    /// Models that change while they are shown, such as those in training: the choices of one task,
    /// in the place of the earlier ones.
    void setLive(const QString& exampleId, std::vector<LiveModel> models);
    /// Newer weights of a live model. Columns that show it are run again, as often as runs allow.
    void updateLive(const QString& id, std::shared_ptr<const Model> model);
    /// Waits until the worker rests; its answer is then on the way to this thread.
    void finish();

  signals:
    void stateChanged();
    void backendChanged();
    /// A file that was opened stands in a column now.
    void fileShown(const headloom::RecentFile& file);
    /// A load has come further.
    void loadingProgressed();
    /// A grid has got a layer more, or is another one.
    void gridChanged(headloom::Side side);
    /// New runs are there.
    void answered();
    void failed(const QString& sentence);

  private:
    struct Worker;
    struct Held {
        QString exampleId;  ///< the task it is of
        LiveModel live;
        bool changes = false;  ///< in training
    };
    using Answer = std::shared_ptr<const ColumnPair>;

    void want(SessionState next);
    void load(Side side);
    /// Null: none of that id among those of the task that is wanted.
    Held* held(const QString& id);
    void loaded(const QString& key, const QString& problem);
    void takeIn(Side side, const LoadedChoice& found);
    void goOnWithout(Side side, const QString& problem);
    void place(Side side, const LoadedChoice& found);
    void letGo();
    void submit();
    std::shared_ptr<const ChainRun> editedFrom(Side side) const;
    bool lacksView() const;
    void submitView();
    void receivePart(const OverviewPart& part);
    void renewGrids();
    void receive(std::uint64_t number, Answer answer, const QString& errors,
                 const DeviceInfo& device, const QString& fellBack);
    void giveUp(const QString& sentence);

    std::vector<ExampleInfo> examples_;
    ExampleInfo trained_;  ///< said of a task that has no example
    std::vector<ModelChoice> opened_;
    std::vector<Held> held_;  ///< models that are in no file
    bool due_ = false;        ///< newer weights or edits came while a run was under way
    bool anew_ = false;       ///< the next run keeps no tokens
    int lastSeat_ = 0;
    SessionState wanted_, submitted_, shown_;
    Answer runs_;
    /// Asked for, asked of the worker, and behind what is shown.
    std::string backend_ = "auto", submittedBackend_ = "auto", shownBackend_ = "auto";
    int choice_ = 0;
    DeviceInfo device_;
    QString freePromptReason_;
    QString unsaid_;                ///< a problem to be said with the next answer
    std::array<QString, 2> loads_;  ///< key of the load that a column waits for; empty: none
    std::uint64_t awaited_ = 0;     ///< number of the request whose answer counts; 0: none
    std::unique_ptr<Worker> worker_;
    ModelLoader loader_;
    struct View {
        int layer = 0;
        std::array<int, 2> heads{};
    };
    View view_;
    std::int64_t mostMapBytes_ = std::int64_t{256} << 20;  ///< half of what a trace may have
    bool gridWanted_ = false;
    std::array<HeadGrid, 2> grids_;
    std::array<std::shared_ptr<const ColumnRun>, 2> gridRuns_;  ///< what the grids are of
    std::uint64_t shownNumber_ = 0;                             ///< of the request of runs_
    QTimer beat_;
    int beats_ = 0;  ///< since the run under way began
};

}  // namespace headloom
