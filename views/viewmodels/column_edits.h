#pragma once

#include "core/session/edit_history.h"
#include "core/session/mixing_edits.h"
#include "views/viewmodels/map_ref.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace headloom {

class ExploreSession;

/// Everything the user changes in the models of the two columns, one history over both. What cannot
/// be run is taken back with the session, which goes on with what is shown.
class ColumnEdits : public QObject {
    Q_OBJECT
  public:
    explicit ColumnEdits(ExploreSession& session, QObject* parent = nullptr);

    /// A number for the changes of one drag, which then are one entry.
    int newGesture() { return ++lastGesture_; }

    // ---- mixing weights -------------------------------------------------------------------------
    /// The model of a column as it is wanted: newer than its run while that is under way. Null:
    /// none.
    std::shared_ptr<const Model> wanted(Side side) const;
    void setWeight(Side side, const MixingWeight& weight, float value, int gesture = 0);
    /// The matrices in scope at (1 - share) from + share to.
    void setMixing(Side side, const MixingScope& scope, const MixingPreset& from,
                   const MixingPreset& to, double share, int gesture = 0);
    bool mixingEdited(Side side) const;
    bool mixingEdited() const { return mixingEdited(Side::left) || mixingEdited(Side::right); }
    void resetMixing(Side side);
    /// Of both columns, in at most an entry each.
    void resetMixing();
    /// "L0.alphaQ, L0.R"; empty: none.
    QString editedMatrices(Side side) const;

    // ---- parts switched off ---------------------------------------------------------------------
    const std::vector<Cut>& cuts(Side side) const;
    /// Switches a part off, or on again however it was off.
    void toggle(Side side, const ModelPart& part, Instead instead = Instead::zero);
    /// Switches a part off by its name, "L1H3.q0k1", in the way of `how`. Says what is wrong with
    /// it; empty: nothing is.
    QString switchOff(Side side, const QString& name, Cut how);
    /// Where parts are taken from that come from another prompt, in either column.
    struct OtherPrompt {
        int example = 1;  ///< in the held-out split; 0 is what an example opens with
        QString text;     ///< what the user typed; empty: the example's own
    };
    const OtherPrompt& otherPrompt() const { return other_; }
    /// Says what is wrong with it, and then all stays as it was; empty: nothing is.
    QString setOtherPrompt(const OtherPrompt& other, int gesture = 0);
    /// Its tokens as the model of a column is fed them. Errors: text that it cannot read, too few.
    Result<std::vector<int>> otherTokens(Side side) const;
    bool anyOff() const { return !cuts(Side::left).empty() || !cuts(Side::right).empty(); }
    void allOn();

    // ---- history --------------------------------------------------------------------------------
    const EditHistory& history() const { return history_; }
    void undo();
    void redo();
    /// `position` entries are in force then.
    void jump(std::size_t position);

  signals:
    /// What is wanted is otherwise, or the history is.
    void changed();
    void refused(const QString& sentence);

  private:
    void push(Side side, const QString& name, const ColumnChanges& changes, int gesture = 0);
    ColumnChanges changesOf(Side side) const;
    void addCut(Side side, const Cut& cut);
    Result<std::vector<int>> tokensOf(Side side, const OtherPrompt& other) const;
    /// Prefix of names where both columns have somebody: "right: ".
    QString place(Side side) const;
    void apply();
    void follow();
    bool agrees() const;

    ExploreSession& session_;
    EditHistory history_;
    OtherPrompt other_;
    int lastGesture_ = 0;
};

}  // namespace headloom
