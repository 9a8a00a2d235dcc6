#pragma once

#include "core/session/column_changes.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// Undo and redo as a list of named states of several models. It knows names and states and not
/// what they mean, so that whatever ColumnChanges comes to hold can be undone. The oldest entries
/// are forgotten where there would be too many or they would take too much memory.
class EditHistory {
  public:
    /// Whose state an entry is; given by the caller and never used twice.
    using Owner = int;
    using State = std::shared_ptr<const ColumnChanges>;

    struct Entry {
        std::string name;  ///< "alphaQ[2,1,0] 0.31 to 0.80"
        Owner owner = 0;
        State state;      ///< of its owner from this entry on; null: untouched
        int gesture = 0;  ///< 0: none
    };

    static constexpr std::size_t usualEntries = 200, usualBytes = std::size_t{64} << 20;
    explicit EditHistory(std::size_t mostEntries = usualEntries,
                         std::size_t mostBytes = usualBytes);

    const std::vector<Entry>& entries() const { return entries_; }
    /// How many entries are in force: 0 before the first, entries().size() where nothing is undone.
    std::size_t position() const { return position_; }
    bool canUndo() const { return position_ > 0; }
    bool canRedo() const { return position_ < entries_.size(); }
    /// The entry that undo takes back and the one that redo brings back; empty: none.
    std::string undoName() const;
    std::string redoName() const;
    /// What is in force for an owner; null: untouched.
    State stateOf(Owner owner) const { return stateAt(owner, position_); }

    /// Adds an entry in the place of everything undone. An entry of the same `gesture` other than 0
    /// as the newest takes its place instead, so that one drag is one entry; where that brings the
    /// owner back to what was before the gesture, the entry is taken out.
    void push(std::string name, Owner owner, State state, int gesture = 0);
    /// What was in force for the owner before the newest entry, if that is of this gesture; what is
    /// in force now, if not.
    State stateBefore(Owner owner, int gesture) const;
    bool undo();
    bool redo();
    /// Clamped to what there is.
    void jump(std::size_t position);
    /// Takes out the entries of an owner that is gone.
    void forget(Owner owner);

  private:
    bool continues(Owner owner, int gesture) const;
    State stateAt(Owner owner, std::size_t position) const;
    void forgetOldest();
    void keepInBounds();

    std::size_t mostEntries_, mostBytes_;
    std::vector<Entry> entries_;
    std::size_t position_ = 0;
    std::map<Owner, State> base_;  ///< in force before the first entry
};

}  // namespace headloom
