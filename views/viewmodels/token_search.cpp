#include "views/viewmodels/token_search.h"

#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"

#include <algorithm>
#include <string>

namespace headloom {

namespace {

std::string folded(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::vector<TokenSearch::Match> withId(const std::vector<int>& tokens, int id) {
    std::vector<TokenSearch::Match> found;
    for (int at = 0; at < static_cast<int>(tokens.size()); ++at)
        if (tokens[static_cast<std::size_t>(at)] == id) found.push_back({at, at});
    return found;
}

/// Where the text occurs in that of all tokens, one behind another: a piece of a word is no border.
std::vector<TokenSearch::Match> withText(const ChainRun& run, const std::string& wanted) {
    std::string all;
    std::vector<std::size_t> ends;
    for (const int token : run.tokens) {
        all += folded(run.model->vocabulary.text(token));
        ends.push_back(all.size());
    }
    const auto tokenAt = [&ends](std::size_t byte) {
        return static_cast<int>(std::upper_bound(ends.begin(), ends.end(), byte) - ends.begin());
    };
    std::vector<TokenSearch::Match> found;
    for (std::size_t at = all.find(wanted); at != std::string::npos;
         at = all.find(wanted, at + 1)) {
        const TokenSearch::Match match = {tokenAt(at), tokenAt(at + wanted.size() - 1)};
        if (found.empty() || !(found.back() == match)) found.push_back(match);
    }
    return found;
}

}  // namespace

TokenSearch::TokenSearch(ExploreViewModel& model, QObject* parent)
    : QObject(parent), model_(model) {
    connect(&model, &ExploreViewModel::runsChanged, this, [this] {
        if (query_.isEmpty()) return;
        search();
        emit changed();
    });
}

void TokenSearch::setQuery(const QString& query) {
    if (query == query_) return;
    query_ = query;
    current_ = -1;
    search();
    if (matches_.empty())
        model_.selection().setHoveredToken(-1);
    else
        step(1);
    emit changed();
}

void TokenSearch::search() {
    matches_.clear();
    const ColumnRun* leader = model_.session().runs().leader();
    if (leader && !query_.isEmpty()) {
        bool number = false;
        const int id = query_.startsWith(u'#') ? query_.mid(1).toInt(&number) : 0;
        matches_ = number ? withId(leader->run->tokens, id)
                          : withText(*leader->run, folded(query_.toStdString()));
    }
    current_ = std::min(current_, static_cast<int>(matches_.size()) - 1);
}

void TokenSearch::step(int by) {
    const auto count = static_cast<int>(matches_.size());
    if (count == 0) return;
    current_ = current_ < 0 ? (by > 0 ? 0 : count - 1) : (current_ + by + count) % count;
    model_.selection().setHoveredToken(matches_[static_cast<std::size_t>(current_)].first);
    emit changed();
}

bool TokenSearch::holds(int first, int last) const {
    return std::any_of(matches_.begin(), matches_.end(), [first, last](const Match& match) {
        return match.first <= last && match.last >= first;
    });
}

QString TokenSearch::text() const {
    if (query_.isEmpty()) return tr("text, or #id");
    if (matches_.empty()) return tr("not in it");
    return tr("%1 of %2").arg(current_ + 1).arg(matches_.size());
}

}  // namespace headloom
