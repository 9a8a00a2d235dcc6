#include "views/viewmodels/chain_steps.h"

#include "core/models/tokenizer.h"
#include "views/viewmodels/column_run.h"

#include <QStringList>

#include <algorithm>

namespace headloom {

namespace {

QString tokenText(const ColumnRun& column, int id) {
    return visibleToken(QString::fromStdString(column.run->model->vocabulary.text(id)));
}

/// The true answer of a row and slot; -1: none.
int targetOf(const ChainRun& run, int row, int slot) {
    if (!run.truth) return -1;
    const int nSlots = run.model->config.nSlots;
    const auto at = static_cast<std::size_t>(row * nSlots + slot);
    return at < run.truth->targets.size() ? run.truth->targets[at] : -1;
}

ChainMark markOf(const ColumnRun& column, int row) {
    const ChainRun& run = *column.run;
    ChainMark mark;
    if (row >= run.rows) return mark;
    const int nSlots = run.model->config.nSlots;
    if (nSlots == 0) return mark;
    mark.present = true;
    mark.probability = 1;
    const bool own = run.mode == ChainMode::onItsOwn && nSlots == 1;
    for (int slot = 0; slot < nSlots; ++slot) {
        int said = column.said[static_cast<std::size_t>(row * nSlots + slot)].best;
        const auto next = static_cast<std::size_t>(row + 1);
        if (own && row + 1 >= run.promptLength && next < run.tokens.size()) said = run.tokens[next];
        mark.token += tokenText(column, said);
        mark.probability *= column.probability(row, slot, said);
        const int target = targetOf(run, row, slot);
        if (!own && target >= 0 && target != said) mark.wrong = true;
    }
    if (own && run.firstWrongRow >= 0) {
        mark.wrong = row == run.firstWrongRow;
        mark.dimmed = row > run.firstWrongRow;
    }
    return mark;
}

/// Whether the rail has a step at this row.
bool counts(const ColumnRun& leader, int row) {
    const ChainRun& run = *leader.run;
    if (leader.config().nSlots == 0) return true;  // nothing is said at any node
    if (!run.truth) return run.mode == ChainMode::trueChain || row + 1 >= run.promptLength;
    if (row >= run.truth->inputLength) return true;  // generated beyond the true chain
    for (int slot = 0; slot < run.model->config.nSlots; ++slot)
        if (targetOf(run, row, slot) >= 0) return true;
    return false;
}

}  // namespace

QString visibleToken(const QString& token) {
    QString shown = token;
    shown.replace(QLatin1Char(' '), QStringLiteral("␣"));
    shown.replace(QLatin1Char('\n'), QStringLiteral("⏎"));
    shown.replace(QLatin1Char('\t'), QStringLiteral("⇥"));
    return shown;
}

std::vector<ChainStep> chainSteps(const ColumnPair& columns) {
    std::vector<ChainStep> steps;
    const ColumnRun* leader = columns.leader();
    if (!leader) return steps;
    int rows = 0;
    for (int side = 0; side < 2; ++side)
        if (columns.at(side)) rows = std::max(rows, columns.at(side)->run->rows);
    for (int row = 0; row < rows; ++row) {
        if (!counts(*leader, row)) continue;
        ChainStep step;
        step.row = row;
        const ChainRun& run = *leader->run;
        for (int slot = 0; slot < run.model->config.nSlots; ++slot)
            if (const int target = targetOf(run, row, slot); target >= 0)
                step.truth += tokenText(*leader, target);
        if (run.model->config.nSlots == 0)  // nothing is said; a step is then a place to look at
            step.truth = tokenText(*leader, run.tokens[static_cast<std::size_t>(row)]);
        if (run.truth && static_cast<std::size_t>(row) < run.truth->steps.size())
            step.note = QString::fromStdString(run.truth->steps[static_cast<std::size_t>(row)]);
        for (int side = 0; side < 2; ++side)
            if (const ColumnRunPtr& column = columns.at(side))
                step.marks[static_cast<std::size_t>(side)] = markOf(*column, row);
        steps.push_back(std::move(step));
    }
    return steps;
}

int tellingStep(const std::vector<ChainStep>& steps) {
    for (std::size_t i = steps.size() / 2; i < steps.size(); ++i)
        if (steps[i].marks[0].wrong != steps[i].marks[1].wrong) return static_cast<int>(i);
    return static_cast<int>(steps.size() * 2 / 3);
}

namespace {

/// How many tokens at the start and the end of the prompt nobody typed.
std::pair<int, int> implicitTokens(const ChainRun& run) {
    const Tokenizer* tokenizer = run.model->vocabulary.tokenizer();
    if (!tokenizer) return {0, 0};
    const auto count = [&](const std::vector<int>& added, int from) {
        const auto length = static_cast<int>(added.size());
        const bool there = from >= 0 && from + length <= run.promptLength &&
                           std::equal(added.begin(), added.end(), run.tokens.begin() + from);
        return there ? length : 0;
    };
    const auto atEnd = static_cast<int>(tokenizer->implicitEnd().size());
    return {count(tokenizer->implicitStart(), 0),
            count(tokenizer->implicitEnd(), run.promptLength - atEnd)};
}

/// Tokens begin..end-1 of a column as one chip's text and ids; empty beyond its chain.
void readTokens(const ColumnRun& column, int begin, int end, QString& text, QString& ids) {
    const std::vector<int>& tokens = column.run->tokens;
    end = std::min(end, static_cast<int>(tokens.size()));
    QStringList numbers;
    for (int at = begin; at < end; ++at)
        numbers << QString::number(tokens[static_cast<std::size_t>(at)]);
    ids = numbers.join(QLatin1Char(' '));
    if (end - begin == 1)
        text = tokenText(column, tokens[static_cast<std::size_t>(begin)]);
    else if (begin < end)
        text = visibleToken(QString::fromStdString(
            column.run->model->vocabulary.decode({tokens.begin() + begin, tokens.begin() + end})));
}

}  // namespace

std::vector<TokenChip> tokenChips(const ColumnPair& columns, int row, bool words) {
    std::vector<TokenChip> chips;
    const ColumnRun* leader = columns.leader();
    if (!leader) return chips;
    const std::vector<int> evidence = leader->run->evidence(row);
    const auto [implicitStart, implicitEnd] = implicitTokens(*leader->run);
    int length = 0;
    for (int side = 0; side < 2; ++side)
        if (columns.at(side))
            length = std::max(length, static_cast<int>(columns.at(side)->run->tokens.size()));
    const auto known = static_cast<int>(leader->run->tokens.size());
    for (int at = 0; at < length;) {
        TokenChip chip;
        chip.first = at;
        chip.last = at;
        if (words && at < known)
            chip.last = leader->words.last(leader->words.wordOf[static_cast<std::size_t>(at)]);
        at = chip.last + 1;
        QString right, rightIds;
        if (columns.left) readTokens(*columns.left, chip.first, at, chip.text, chip.ids);
        if (columns.right) readTokens(*columns.right, chip.first, at, right, rightIds);
        if (chip.ids.isEmpty()) {
            chip.text = right;
            chip.ids = rightIds;
        } else if (!rightIds.isEmpty() && right != chip.text) {
            chip.other = right;
        }
        const int prompt = leader->run->promptLength;
        chip.given = chip.first < prompt;
        chip.implicit = chip.first < implicitStart ||
                        (chip.first >= prompt - implicitEnd && chip.first < prompt);
        chip.evidence = std::any_of(evidence.begin(), evidence.end(), [&](int position) {
            return position >= chip.first && position <= chip.last;
        });
        chip.current = row >= chip.first && row <= chip.last;
        chip.later = chip.first > row && leader->config().causal();
        chips.push_back(std::move(chip));
    }
    return chips;
}

}  // namespace headloom
