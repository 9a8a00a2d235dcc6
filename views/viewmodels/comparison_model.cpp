#include "views/viewmodels/comparison_model.h"

namespace headloom {

void ComparisonModel::setTitles(const QString& left, const QString& right) {
    if (left == leftTitle_ && right == rightTitle_) return;
    leftTitle_ = left;
    rightTitle_ = right;
    emit headerDataChanged(Qt::Horizontal, leftColumn, rightColumn);
}

void ComparisonModel::setInterleaved(bool left, bool right) {
    if (left == leftInterleaved_ && right == rightInterleaved_) return;
    leftInterleaved_ = left;
    rightInterleaved_ = right;
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
}

void ComparisonModel::setRows(std::vector<ComparisonRow> rows) {
    const int before = static_cast<int>(rows_.size());
    const int after = static_cast<int>(rows.size());
    const int common = std::min(before, after);
    for (int row = 0; row < common; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (rows_[at] == rows[at]) continue;
        rows_[at] = rows[at];
        emit dataChanged(index(row, 0), index(row, columnTotal - 1));
    }
    if (after > before) {
        beginInsertRows({}, before, after - 1);
        rows_ = std::move(rows);
        endInsertRows();
    } else if (after < before) {
        beginRemoveRows({}, after, before - 1);
        rows_ = std::move(rows);
        endRemoveRows();
    }
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnTotal;
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ComparisonRow& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return column == labelColumn ? row.label : column == leftColumn ? row.left : row.right;
        case Qt::ToolTipRole:
            return row.tip.isEmpty() ? QVariant() : QVariant(row.tip);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                (column == labelColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
        case barRole:
            return column == leftColumn    ? QVariant(row.leftBar)
                   : column == rightColumn ? QVariant(row.rightBar)
                                           : QVariant();
        case interleavedRole:
            return (column == leftColumn && leftInterleaved_) ||
                   (column == rightColumn && rightInterleaved_);
        case markedRole:
            return row.marked;
        case wrongRole:
            return (column == leftColumn && row.leftWrong) ||
                   (column == rightColumn && row.rightWrong);
        default:
            return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == leftColumn ? leftTitle_ : section == rightColumn ? rightTitle_ : QString();
}

}  // namespace headloom
