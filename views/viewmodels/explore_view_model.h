#pragma once

#include "views/viewmodels/chain_steps.h"
#include "views/viewmodels/column_edits.h"
#include "views/viewmodels/display_options.h"
#include "views/viewmodels/explore_session.h"
#include "views/viewmodels/map_view.h"
#include "views/viewmodels/mixing_sheet.h"
#include "views/viewmodels/selection.h"
#include "views/viewmodels/tables.h"
#include "views/viewmodels/word_groups.h"

#include <QObject>
#include <QTimer>

namespace headloom {

/// What stands in a column, for its head and for laying out its maps.
struct ColumnHead {
    bool present = false;  ///< false: no answer yet, or no model
    QString title;         ///< the model's choice, "IHA, 2 heads × 2"
    QString summary;  ///< "2 × 2 pseudo-heads, 8 tiles"; nothing for MHA, whose title says it all
    bool iha = false;
    bool mixes = false;       ///< has mixing matrices: IHA, IHA-lite, talking heads
    bool unordered = false;   ///< every token sees every other: nothing lies in the future
    bool signedMaps = false;  ///< the maps themselves may be negative
    bool linear = false;      ///< scores used as they are: a row is no share of anything
    bool perHeadCollapse = false;
    /// Said where pseudo-heads are copies of one another, which is work done P * P times; empty:
    /// none.
    QString copies;
    QString memory;  ///< what the model and its maps take: "Memory: weights 1 MB, maps 3 MB"
    int heads = 0, pseudos = 1, layers = 0;
    QString cuts;             ///< what is switched off: "L1H3, L0H1.q0k1"; empty: nothing
    QString edited;           ///< the matrices whose weights are edited; empty: none
    bool tokensKept = false;  ///< fed tokens of before the edit, that it might not say itself
    bool alone = false;       ///< one head is shown and not its whole layer
    QString bound;            ///< what is left out for lack of memory, a sentence; empty: nothing
    int rows = 0;             ///< rows of every map
    int row = 0;              ///< the current one
    bool ended = false;       ///< this model's chain ended before the current step
    friend bool operator==(const ColumnHead&, const ColumnHead&) = default;
};

/// Rows and columns of a column's maps: its tokens, or its words where their pieces are merged.
struct MapAxis {
    std::vector<QString> labels;
    int current = 0;            ///< the row of the current step
    std::vector<int> evidence;  ///< of the current row
};

/// The Explore page as data: the session, the selection, the steps, and what each panel shows of
/// them. Panels ask for what they show when they are visible; nothing is worked out for others.
class ExploreViewModel : public QObject {
    Q_OBJECT
  public:
    explicit ExploreViewModel(QObject* parent = nullptr);

    ExploreSession& session() { return session_; }
    const ExploreSession& session() const { return session_; }
    ColumnEdits& edits() { return edits_; }
    const ColumnEdits& edits() const { return edits_; }
    Selection& selection() { return selection_; }
    const Selection& selection() const { return selection_; }
    DisplayOptions& display() { return display_; }
    const DisplayOptions& display() const { return display_; }

    // ---- steps --------------------------------------------------------------------------------
    const std::vector<ChainStep>& steps() const { return steps_; }
    /// The step that is shown; -1 before the first answer or on a row between two steps.
    int stepIndex() const;
    void goToStep(int index);
    void goForward();
    void goBack();
    void goToFirst();
    void goToLast();
    /// Row to start with at the next new sequence instead of the telling one (--step).
    void setStartRow(int row) { startRow_ = row; }
    bool playing() const { return player_.isActive(); }
    /// Plays on from here, from the first step at the end. On its own: stops where a model first
    /// errs, since that is what there is to see.
    void setPlaying(bool playing);
    /// One beat of the player.
    void playOn();

    // ---- layers and heads -----------------------------------------------------------------------
    int layerCount() const;
    void setLayer(int layer);

    /// The grid of all heads: how much a head has of the measure shown, as a share of the most
    /// there can be, and in words; none where it is not there yet.
    std::optional<double> gridValue(Side side, int layer, int head,
                                    DisplayOptions::Measure measure) const;
    QString gridWords(Side side, int layer, int head) const;
    /// Opens a head of the grid, alone.
    void openHead(Side side, int layer, int head);
    void setScope(DisplayOptions::Scope scope);

    // ---- switching off --------------------------------------------------------------------------
    /// Switches what is open in the column that was looked at last off, or on again: its tile, or
    /// its head.
    void toggleOpenMap();
    void toggleOpenHead();
    /// The column whose map was opened last.
    Side lookedAt() const { return lookedAt_; }

    // ---- what panels show -----------------------------------------------------------------------
    ColumnHead head(Side side) const;
    /// Whether any layer of the column's model is IHA; false before the first answer.
    bool interleaves(Side side) const;
    /// The first part of the choice's title that tells it from the other column: "MHA" beside
    /// "IHA", "2 heads" beside "4 heads".
    QString shortName(Side side) const;
    std::vector<TokenChip> tokens() const;
    MapAxis axis(Side side) const;
    /// The token that a row (`query`) or column of the maps stands for, and the way back: other
    /// than the number itself only where the pieces of words are merged. -1: there is none.
    int tokenOf(Side side, int cell, bool query) const;
    int cellOf(Side side, int token) const;
    std::vector<MapView> tiles(Side side, int head) const;
    /// Masses of a head's tiles up to the current step, [p * P + r]: known of heads whose maps are
    /// not held, too. Empty where a row has no mass (linear scores).
    std::vector<double> masses(Side side, int head) const;
    std::vector<MapView> effective(Side side) const;
    std::vector<MixingSheet> mixing(Side side) const;
    std::vector<ComparisonRow> answers(int count) const;
    std::vector<ComparisonRow> evidenceTable() const;
    std::vector<ComparisonRow> tileTable() const;
    std::vector<ComparisonRow> costTable() const;
    /// A mixing weight under the pointer in words, as its matrix says it; empty: none.
    QString pointedText() const { return pointedText_; }
    void setPointedText(const QString& text);
    /// The selected cell in words, and its value alone; empty where there is none.
    QString cellText() const;
    QString cellValue() const;
    /// The token under the pointer in words, and what a click on it does; empty where there is
    /// none.
    QString tokenText() const;
    /// The same of a chip.
    QString chipText(const TokenChip& chip) const;
    /// What the current step is: "hop 2 of 4: c=f", or the evidence in words.
    QString stepText() const;

    /// "CPU, 2 threads, AVX2 kernels · left 0.4 ms · right 2.9 ms": where and how fast both models
    /// ran.
    QString deviceText() const;

    double temperature() const { return temperature_; }
    void setTemperature(double temperature);

  signals:
    /// New runs, or another layer: everything shown is different.
    void runsChanged();
    void playingChanged();
    void temperatureChanged();
    void pointedTextChanged();

  private:
    void adopt();
    void openBest();
    void clampSelection();
    void chooseScope();
    void followSelection();
    void followOpen(Side side);
    void followDisplay();
    /// The words whose pieces are merged in this column's maps; null: none are.
    const WordGroups* merging(Side side) const;
    std::vector<MapView> asShown(Side side, std::vector<MapView> views) const;
    TablePlace place() const;

    ExploreSession session_;
    ColumnEdits edits_{session_};
    Selection selection_;
    DisplayOptions display_;
    std::vector<ChainStep> steps_;
    QTimer player_;
    Side lookedAt_ = Side::right;
    QString sequence_;  ///< which sequence the step was chosen for
    QString example_;   ///< which example the open maps were chosen for
    int startRow_ = -1;
    double temperature_ = 1;
    QString pointedText_;
};

}  // namespace headloom
