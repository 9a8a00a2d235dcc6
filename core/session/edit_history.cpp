#include "core/session/edit_history.h"

#include <algorithm>

namespace headloom {

namespace {

const ColumnChanges& changesOf(const EditHistory::State& state) {
    static const ColumnChanges none;
    return state ? *state : none;
}

}  // namespace

EditHistory::EditHistory(std::size_t mostEntries, std::size_t mostBytes)
    : mostEntries_(std::max<std::size_t>(1, mostEntries)), mostBytes_(mostBytes) {}

std::string EditHistory::undoName() const {
    return canUndo() ? entries_[position_ - 1].name : std::string();
}

std::string EditHistory::redoName() const {
    return canRedo() ? entries_[position_].name : std::string();
}

EditHistory::State EditHistory::stateAt(Owner owner, std::size_t position) const {
    for (std::size_t at = position; at-- > 0;)
        if (entries_[at].owner == owner) return entries_[at].state;
    const auto found = base_.find(owner);
    return found == base_.end() ? nullptr : found->second;
}

bool EditHistory::continues(Owner owner, int gesture) const {
    if (gesture == 0 || position_ == 0) return false;
    const Entry& newest = entries_[position_ - 1];
    return newest.gesture == gesture && newest.owner == owner;
}

EditHistory::State EditHistory::stateBefore(Owner owner, int gesture) const {
    return stateAt(owner, continues(owner, gesture) ? position_ - 1 : position_);
}

void EditHistory::push(std::string name, Owner owner, State state, int gesture) {
    if (continues(owner, gesture)) --position_;
    const bool changes = !sameChanges(changesOf(stateOf(owner)), changesOf(state));
    if (!changes && !gesture) return;
    entries_.resize(position_);
    if (!changes) return;
    entries_.push_back({std::move(name), owner, std::move(state), gesture});
    ++position_;
    keepInBounds();
}

bool EditHistory::undo() {
    if (!canUndo()) return false;
    --position_;
    return true;
}

bool EditHistory::redo() {
    if (!canRedo()) return false;
    ++position_;
    return true;
}

void EditHistory::jump(std::size_t position) {
    position_ = std::min(position, entries_.size());
}

void EditHistory::forget(Owner owner) {
    base_.erase(owner);
    for (std::size_t at = entries_.size(); at-- > 0;) {
        if (entries_[at].owner != owner) continue;
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(at));
        if (at < position_) --position_;
    }
}

void EditHistory::forgetOldest() {
    base_[entries_.front().owner] = entries_.front().state;
    entries_.erase(entries_.begin());
    --position_;
}

/// The newest entry stays whatever it takes: it is what is on screen.
void EditHistory::keepInBounds() {
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < entries_.size(); ++at)
        bytes +=
            changesOf(entries_[at].state).bytesBeside(changesOf(stateAt(entries_[at].owner, at)));
    while (entries_.size() > 1 && (entries_.size() > mostEntries_ || bytes > mostBytes_)) {
        const Entry& oldest = entries_.front();
        bytes -= changesOf(oldest.state).bytesBeside(changesOf(stateAt(oldest.owner, 0)));
        forgetOldest();
    }
}

}  // namespace headloom
