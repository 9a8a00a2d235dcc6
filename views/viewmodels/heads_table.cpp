#include "views/viewmodels/heads_table.h"

#include "core/session/head_survey.h"
#include "views/viewmodels/words.h"

#include <cmath>

namespace headloom {

namespace {

/// Short, for a narrow column; measureTip begins with the whole name.
QString measureTitle(HeadMeasure measure) {
    switch (measure) {
        case HeadMeasure::induction:
            return HeadsTable::tr("Ind.");
        case HeadMeasure::previous:
            return HeadsTable::tr("Prev.");
        case HeadMeasure::duplicate:
            return HeadsTable::tr("Dup.");
        case HeadMeasure::first:
            return HeadsTable::tr("First");
        case HeadMeasure::evidence:
            return HeadsTable::tr("Evid.");
        case HeadMeasure::entropy:
            return HeadsTable::tr("Bits");
        case HeadMeasure::mass:
            return HeadsTable::tr("Mass");
        case HeadMeasure::crossHead:
            return HeadsTable::tr("Cross");
    }
    return {};
}

QString measureTip(HeadMeasure measure) {
    switch (measure) {
        case HeadMeasure::induction:
            return HeadsTable::tr(
                "Induction: attention on the token after an earlier copy of the row's own token");
        case HeadMeasure::previous:
            return HeadsTable::tr("Previous token: attention on the token before");
        case HeadMeasure::duplicate:
            return HeadsTable::tr(
                "Duplicate token: attention on earlier copies of the row's own token");
        case HeadMeasure::first:
            return HeadsTable::tr("First token: attention on token 0, the sink");
        case HeadMeasure::evidence:
            return HeadsTable::tr(
                "Evidence: attention on the tokens that the task marks as evidence of the row's "
                "step");
        case HeadMeasure::entropy:
            return HeadsTable::tr(
                "Entropy: bits of a row divided by its sum: 0 is one token, log2 n is n tokens "
                "alike");
        case HeadMeasure::mass:
            return HeadsTable::tr(
                "Mass: sum of a row, the share that a tile has of the attention of its "
                "pseudo-query");
        case HeadMeasure::crossHead:
            return HeadsTable::tr(
                "Cross-head share: part of the scores made of other heads' queries or keys: what "
                "MHA cannot do");
    }
    return {};
}

HeadMeasure measureOf(int column) {
    return headMeasures()[static_cast<std::size_t>(column)].measure;
}

QString nameOf(const HeadLine& line) {
    return QString::fromStdString(
        nameOf(line.layer, Pattern{line.scores.head, line.scores.p, line.scores.r, -1}));
}

}  // namespace

void HeadsTable::show(std::vector<HeadLine> lines) {
    const bool same = lines.size() == lines_.size();
    if (!same) beginResetModel();
    lines_ = std::move(lines);
    if (!same) return endResetModel();
    // newer numbers of the same heads: what is selected and scrolled to stays
    if (!lines_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int HeadsTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int HeadsTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : headMeasureCount;
}

QVariant HeadsTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const HeadLine& line = lines_[static_cast<std::size_t>(index.row())];
    const double value = line.scores.of(measureOf(index.column()));
    if (role == valueRole) return value;
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) return std::isnan(value) ? QStringLiteral("–") : shareText(value);
    if (role == Qt::AccessibleTextRole)
        return tr("%1, %2: %3")
            .arg(nameOf(line), measureTitle(measureOf(index.column())),
                 std::isnan(value) ? tr("no value") : shareText(value));
    if (role == Qt::ToolTipRole)
        return std::isnan(value) ? tr("%1: nothing in this prompt to look for").arg(nameOf(line))
                                 : tr("%1: %2").arg(nameOf(line)).arg(value, 0, 'g', 6);
    return {};
}

QVariant HeadsTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) {
        const HeadLine& line = lines_[static_cast<std::size_t>(section)];
        if (role == Qt::DisplayRole) return nameOf(line);
        if (role == Qt::ToolTipRole) return tr("Open this map (Enter)");
        return {};
    }
    if (role == Qt::DisplayRole) return measureTitle(measureOf(section));
    if (role == Qt::ToolTipRole)
        return tr("%1\nClick to sort by it").arg(measureTip(measureOf(section)));
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::InitialSortOrderRole) return Qt::DescendingOrder;  // most of it is looked for
    return {};
}

HeadsOrder::HeadsOrder(HeadsTable& table, QObject* parent)
    : QSortFilterProxyModel(parent), table_(&table) {
    setSourceModel(&table);
}

void HeadsOrder::setHeadsOnly(bool only) {
    if (only == headsOnly_) return;
    headsOnly_ = only;
    invalidateFilter();
}

const HeadLine& HeadsOrder::line(int row) const {
    return table_->lines()[static_cast<std::size_t>(mapToSource(index(row, 0)).row())];
}

bool HeadsOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const double one = left.data(HeadsTable::valueRole).toDouble(),
                 other = right.data(HeadsTable::valueRole).toDouble();
    if (std::isnan(one) != std::isnan(other))
        return sortOrder() == Qt::AscendingOrder ? std::isnan(other) : std::isnan(one);
    return one < other;
}

bool HeadsOrder::filterAcceptsRow(int row, const QModelIndex&) const {
    return !headsOnly_ || !table_->lines()[static_cast<std::size_t>(row)].scores.isTile();
}

}  // namespace headloom
