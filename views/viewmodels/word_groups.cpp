#include "views/viewmodels/word_groups.h"

#include "core/models/tokenizer.h"
#include "views/viewmodels/chain_steps.h"
#include "views/viewmodels/column_run.h"

#include <algorithm>
#include <limits>

namespace headloom {

int WordGroups::last(int word) const {
    const auto next = static_cast<std::size_t>(word) + 1;
    return (next < first.size() ? first[next] : static_cast<int>(wordOf.size())) - 1;
}

WordGroups wordGroups(const ColumnRun& column) {
    WordGroups groups;
    const Vocabulary& vocabulary = column.run->model->vocabulary;
    const std::vector<int>& tokens = column.run->tokens;
    const Tokenizer* tokenizer = vocabulary.tokenizer();
    const std::vector<bool> starts =
        tokenizer ? tokenizer->wordStarts(tokens) : std::vector<bool>(tokens.size(), true);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        if (at == 0 || starts[at]) groups.first.push_back(static_cast<int>(at));
        groups.wordOf.push_back(groups.words() - 1);
    }
    for (int word = 0; word < groups.words(); ++word) {
        const auto begin = tokens.begin() + groups.first[static_cast<std::size_t>(word)];
        const std::vector<int> pieces(begin, tokens.begin() + groups.last(word) + 1);
        // a single token is spelled as it is everywhere else
        const std::string text =
            pieces.size() == 1 ? vocabulary.text(pieces[0]) : vocabulary.decode(pieces);
        groups.texts.push_back(visibleToken(QString::fromStdString(text)));
    }
    return groups;
}

MapView merged(const MapView& map, const WordGroups& groups, int row) {
    if (!map.values || map.rows == 0) return map;
    const auto wordAt = [&](int token) { return groups.wordOf[static_cast<std::size_t>(token)]; };
    const int words = wordAt(map.rows - 1) + 1;
    auto cells = std::make_shared<std::vector<float>>(static_cast<std::size_t>(words) *
                                                      static_cast<std::size_t>(words));
    for (int word = 0; word < words; ++word) {
        const int begin = groups.first[static_cast<std::size_t>(word)];
        int end = std::min(groups.last(word) + 1, map.rows);
        if (begin <= row) end = std::min(end, row + 1);
        float* out = cells->data() + static_cast<std::ptrdiff_t>(word) * words;
        for (int query = begin; query < end; ++query) {
            const float* in = map.values.get() + static_cast<std::ptrdiff_t>(query) * map.cols;
            for (int key = 0; key < map.cols; ++key) out[wordAt(key)] += in[key];
        }
        for (int key = 0; key < words; ++key) out[key] /= static_cast<float>(end - begin);
    }
    MapView made = map;
    made.values = std::shared_ptr<const float>(cells, cells->data());
    made.rows = made.cols = words;
    // a later piece of a word sees the earlier ones, and a window of tokens is none of words
    if (made.maskedFrom == 0) made.maskedFrom = 1;
    made.window = 0;
    return made;
}

double mergedValue(const ColumnRun& column, int layer, int row, const CellRef& cell,
                   const WordGroups& groups) {
    const auto tokens = static_cast<int>(groups.wordOf.size());
    if (cell.query < 0 || cell.query >= tokens || cell.key < 0 || cell.key >= tokens)
        return std::numeric_limits<double>::quiet_NaN();
    const int from = groups.wordOf[static_cast<std::size_t>(cell.query)],
              to = groups.wordOf[static_cast<std::size_t>(cell.key)];
    const int begin = groups.first[static_cast<std::size_t>(from)];
    int end = std::min(groups.last(from) + 1, column.run->rows);
    if (begin <= row) end = std::min(end, row + 1);
    const int lastKey = std::min(groups.last(to), column.run->rows - 1);
    double sum = 0;
    for (int query = begin; query < end; ++query)
        for (int key = groups.first[static_cast<std::size_t>(to)]; key <= lastKey; ++key)
            sum += valueAt(column, layer, {cell.side, cell.map, query, key});
    return sum / (end - begin);
}

}  // namespace headloom
