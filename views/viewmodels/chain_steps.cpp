#include "views/viewmodels/chain_steps.h"

#include "core/models/sampling.h"
#include "views/viewmodels/column_run.h"

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
        const std::vector<double> shares = probabilities(run.logits(row, slot), 0);
        const auto best = std::max_element(shares.begin(), shares.end());
        int said = static_cast<int>(best - shares.begin());
        const auto next = static_cast<std::size_t>(row + 1);
        if (own && row + 1 >= run.promptLength && next < run.tokens.size()) said = run.tokens[next];
        mark.token += tokenText(column, said);
        mark.probability *= shares[static_cast<std::size_t>(said)];
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

std::vector<TokenChip> tokenChips(const ColumnPair& columns, int row) {
    std::vector<TokenChip> chips;
    const ColumnRun* leader = columns.leader();
    if (!leader) return chips;
    const std::vector<int> evidence = leader->run->evidence(row);
    const auto textAt = [](const ColumnRunPtr& column, int position) {
        const auto at = static_cast<std::size_t>(position);
        return column && at < column->run->tokens.size()
                   ? tokenText(*column, column->run->tokens[at])
                   : QString();
    };
    std::size_t length = 0;
    for (int side = 0; side < 2; ++side)
        if (columns.at(side)) length = std::max(length, columns.at(side)->run->tokens.size());
    for (int position = 0; position < static_cast<int>(length); ++position) {
        TokenChip chip;
        const QString right = textAt(columns.right, position);
        chip.text = textAt(columns.left, position);
        if (chip.text.isEmpty())
            chip.text = right;
        else if (!right.isEmpty() && right != chip.text)
            chip.other = right;
        chip.given = position < leader->run->promptLength;
        chip.evidence = std::find(evidence.begin(), evidence.end(), position) != evidence.end();
        chip.current = position == row;
        chip.later = position > row && leader->config().causal();
        chips.push_back(std::move(chip));
    }
    return chips;
}

}  // namespace headloom
