#include "core/models/tokenizers/token_table.h"

#include <algorithm>

namespace headloom {

TokenTable::TokenTable(std::vector<TokenEntry> entries) : entries_(std::move(entries)) {
    ids_.reserve(entries_.size());
    for (int id = 0; id < size(); ++id) {
        const std::string& spelling = (*this)[id].spelling;
        ids_.emplace(spelling, id);
        longest_ = std::max(longest_, spelling.size());
    }
}

int TokenTable::find(std::string_view spelling) const {
    const auto found = ids_.find(spelling);
    return found == ids_.end() ? -1 : found->second;
}

}  // namespace headloom
