#include "core/models/sampling.h"
#include "views/viewmodels/chain_steps.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/tables.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>

namespace headloom {

namespace {

struct AnswerTable {
    Q_DECLARE_TR_FUNCTIONS(AnswerTable)
};

QString textOf(const ColumnRun& column, int id) {
    return visibleToken(QString::fromStdString(column.run->model->vocabulary.text(id)));
}

int trueAnswer(const ColumnPair& columns, int row, int slot) {
    const ColumnRun* leader = columns.leader();
    if (!leader->run->truth) return -1;
    const auto at = static_cast<std::size_t>(row * leader->config().nSlots + slot);
    const std::vector<int>& targets = leader->run->truth->targets;
    return at < targets.size() ? targets[at] : -1;
}

/// What one side says at a row.
struct Spoken {
    const ColumnRun* column = nullptr;
    std::vector<double> shares;  ///< by id

    QString text(int id) const { return textOf(*column, id); }
    /// Tokens of two models are matched by their text, since their vocabularies may differ. Those
    /// of real tokenizers are too long to be searched at every step: they match id by id.
    double shareOf(const QString& text, int likelyId) const {
        constexpr int mostSearched = 1000;
        const auto count = static_cast<int>(shares.size());
        if (likelyId < count && this->text(likelyId) == text)
            return shares[static_cast<std::size_t>(likelyId)];
        for (int id = 0; id < count && count <= mostSearched; ++id)
            if (this->text(id) == text) return shares[static_cast<std::size_t>(id)];
        return -1;
    }
};

std::vector<ComparisonRow> topRows(const ColumnPair& columns, int row, double temperature,
                                   int count) {
    struct Line {
        std::array<double, 2> share{-1, -1};
        double best = 0;
    };
    std::array<Spoken, 2> spoken;
    for (int side = 0; side < 2; ++side)
        if (const ColumnRunPtr& column = columns.at(side); column && row < column->run->rows)
            spoken[static_cast<std::size_t>(side)] = {
                column.get(), probabilities(column->run->logits(row), temperature)};
    std::map<QString, Line> lines;
    for (const Spoken& one : spoken) {
        if (!one.column) continue;
        for (const Candidate& candidate :
             topCandidates(one.column->run->logits(row), temperature, count)) {
            const QString text = one.text(candidate.id);
            Line& line = lines[text];
            for (std::size_t side = 0; side < 2; ++side) {
                if (!spoken[side].column) continue;
                line.share[side] = spoken[side].shareOf(text, candidate.id);
                line.best = std::max(line.best, line.share[side]);
            }
        }
    }
    std::vector<std::pair<QString, Line>> order(lines.begin(), lines.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.best > b.second.best; });
    if (static_cast<int>(order.size()) > count) order.resize(static_cast<std::size_t>(count));

    const int truth = trueAnswer(columns, row, 0);
    const QString trueText = truth >= 0 ? textOf(*columns.leader(), truth) : QString();
    std::vector<ComparisonRow> rows;
    for (const auto& [text, line] : order) {
        ComparisonRow made;
        made.label = text;
        made.marked = truth >= 0 && text == trueText;
        const auto shown = [](double share) {
            return share < 0 ? QStringLiteral("–") : shareText(share);
        };
        made.left = shown(line.share[0]);
        made.right = shown(line.share[1]);
        made.leftBar = line.share[0];
        made.rightBar = line.share[1];
        made.tip = AnswerTable::tr("“%1”: %2 left, %3 right%4")
                       .arg(text)
                       .arg(std::max(0.0, line.share[0]), 0, 'g', 6)
                       .arg(std::max(0.0, line.share[1]), 0, 'g', 6)
                       .arg(made.marked ? AnswerTable::tr(" — the true answer") : QString());
        rows.push_back(std::move(made));
    }
    return rows;
}

std::vector<ComparisonRow> slotRows(const ColumnPair& columns, const std::vector<QString>& names,
                                    int row, double temperature) {
    std::vector<ComparisonRow> rows;
    for (int slot = 0; slot < static_cast<int>(names.size()); ++slot) {
        ComparisonRow made;
        const int truth = trueAnswer(columns, row, slot);
        made.label = names[static_cast<std::size_t>(slot)];
        if (truth >= 0) made.label += QStringLiteral(": ") + textOf(*columns.leader(), truth);
        for (int side = 0; side < 2; ++side) {
            const ColumnRunPtr& column = columns.at(side);
            QString text = QStringLiteral("–");
            double bar = -1;
            bool wrong = false;
            if (column && row < column->run->rows) {
                const Candidate best =
                    topCandidates(column->run->logits(row, slot), temperature, 1).front();
                text =
                    textOf(*column, best.id) + QStringLiteral("  ") + shareText(best.probability);
                bar = best.probability;
                wrong = truth >= 0 && best.id != truth;
            }
            (side == 0 ? made.left : made.right) = text;
            (side == 0 ? made.leftBar : made.rightBar) = bar;
            (side == 0 ? made.leftWrong : made.rightWrong) = wrong;
        }
        rows.push_back(std::move(made));
    }
    return rows;
}

}  // namespace

std::vector<ComparisonRow> answerRows(const ColumnPair& columns, int row, double temperature,
                                      int count, const std::vector<QString>& slotNames) {
    const ColumnRun* leader = columns.leader();
    if (!leader) return {};
    if (leader->config().nSlots == 0) return {};
    if (leader->config().nSlots == 1) return topRows(columns, row, temperature, count);
    std::vector<QString> names = slotNames;
    for (int slot = static_cast<int>(names.size()); slot < leader->config().nSlots; ++slot)
        names.push_back(AnswerTable::tr("slot %1").arg(slot));
    return slotRows(columns, names, row, temperature);
}

}  // namespace headloom
