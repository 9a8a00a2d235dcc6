#include "views/viewmodels/many_table.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// Three digits behind the point of a small number, fewer of a large one.
QString spreadText(double number, bool isSigned) {
    const double size = std::abs(number);
    const QString text = QString::number(size, 'f', size < 10 ? 3 : size < 100 ? 2 : 1);
    if (number < 0) return QStringLiteral("−") + text;
    return isSigned ? QLatin1Char('+') + text : text;
}

}  // namespace

void ManyTable::show(std::shared_ptr<const AveragedTable> table, int measure) {
    const bool same = table && table_ && table->lines.size() == table_->lines.size();
    if (!same) beginResetModel();
    table_ = std::move(table);
    const auto isTile = [](const AveragedLine& line) { return line.isTile(); };
    mixed_ = table_ && std::any_of(table_->lines.begin(), table_->lines.end(), isTile) &&
             !std::all_of(table_->lines.begin(), table_->lines.end(), isTile);
    measure_ = static_cast<std::size_t>(measure);
    if (!same) return endResetModel();
    // another number of the same lines: what is selected and scrolled to stays
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    emit headerDataChanged(Qt::Vertical, 0, rowCount() - 1);
}

int ManyTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !table_ ? 0 : static_cast<int>(table_->lines.size());
}

int ManyTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

double ManyTable::value(const QModelIndex& index) const {
    const Spread& cell = table_->at(static_cast<std::size_t>(index.row()), measure_);
    switch (index.column()) {
        case mean:
            return cell.mean();
        case deviation:
            return cell.deviation();
        case count:
            return cell.count();
        case least:
            return cell.least();
        default:
            return cell.most();
    }
}

QString ManyTable::text(const QModelIndex& index) const {
    const double number = value(index);
    if (index.column() == count) return QString::number(int(number));
    if (std::isnan(number)) return QStringLiteral("–");
    return spreadText(number, index.column() != deviation && table_->columns[measure_].isSigned);
}

QVariant ManyTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == valueRole) return value(index);
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) return text(index);
    const QString name = QString::fromStdString(line(index.row()).name);
    if (role == Qt::AccessibleTextRole)
        return tr("%1, %2: %3")
            .arg(name, headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
                 std::isnan(value(index)) ? tr("no value") : text(index));
    if (role == Qt::ToolTipRole)
        return std::isnan(value(index)) ? tr("%1: too few prompts have this number").arg(name)
                                        : tr("%1: %2").arg(name).arg(value(index), 0, 'g', 6);
    return {};
}

QVariant ManyTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) {
        if (!table_) return {};
        const QString name = QString::fromStdString(line(section).name);
        if (role ==
            Qt::DisplayRole) {  // of a pair each on its own line; what all lines say is left
            QString shown = name;
            return shown.remove(QStringLiteral("-tokens"))
                .remove(QStringLiteral("-token"))
                .replace(QStringLiteral(" ~ "), QStringLiteral("\n~ "));
        }
        if (role == Qt::ToolTipRole)
            return line(section).map.head >= 0 ? tr("%1: open this map (Enter)").arg(name) : name;
        return {};
    }
    if (role == Qt::DisplayRole)
        return QStringList{tr("Mean"), tr("SD"), tr("n"), tr("Min"), tr("Max")}.at(section);
    if (role == Qt::ToolTipRole)
        return tr("%1\nClick to sort by it")
            .arg(QStringList{tr("Mean over the prompts that have this number"),
                             tr("Standard deviation over these prompts, divided by n − 1"),
                             tr("Prompts that have this number"), tr("The least that a prompt has"),
                             tr("The most that a prompt has")}
                     .at(section));
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::InitialSortOrderRole) return Qt::DescendingOrder;  // most of it is looked for
    return {};
}

ManyOrder::ManyOrder(ManyTable& table, QObject* parent)
    : QSortFilterProxyModel(parent), table_(&table) {
    setSourceModel(&table);
}

void ManyOrder::setHeadsOnly(bool only) {
    if (only == headsOnly_) return;
    headsOnly_ = only;
    invalidateFilter();
}

const AveragedLine& ManyOrder::line(int row) const {
    return table_->line(mapToSource(index(row, 0)).row());
}

bool ManyOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const double one = left.data(ManyTable::valueRole).toDouble(),
                 other = right.data(ManyTable::valueRole).toDouble();
    if (std::isnan(one) != std::isnan(other))
        return sortOrder() == Qt::AscendingOrder ? std::isnan(other) : std::isnan(one);
    return one < other;
}

bool ManyOrder::filterAcceptsRow(int row, const QModelIndex&) const {
    return !headsOnly_ || !table_->isMixed() || !table_->line(row).isTile();
}

}  // namespace headloom
