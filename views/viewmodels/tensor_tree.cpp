#include "views/viewmodels/tensor_tree.h"

#include "views/viewmodels/words.h"

#include <algorithm>

namespace headloom {

void TensorTree::setForest(std::shared_ptr<const TensorForest> forest) {
    beginResetModel();
    forest_ = std::move(forest);
    endResetModel();
}

const TensorNode* TensorTree::node(const QModelIndex& index) const {
    return index.isValid() ? &forest_->nodes[index.internalId()] : nullptr;
}

QModelIndex TensorTree::indexOfNode(int node, int column) const {
    if (!forest_ || node < 0) return {};
    const auto id = static_cast<quintptr>(node);
    return createIndex(forest_->nodes[id].row, column, id);
}

QModelIndex TensorTree::indexOfEntry(int entry) const {
    if (!forest_ || entry < 0 || entry >= forest_->tensorCount()) return {};
    return indexOfNode(forest_->ofEntry[static_cast<std::size_t>(entry)]);
}

QModelIndex TensorTree::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    const TensorNode* above = node(parent);
    const std::vector<int>& rows = above ? above->children : forest_->roots;
    return createIndex(row, column, static_cast<quintptr>(rows[static_cast<std::size_t>(row)]));
}

QModelIndex TensorTree::parent(const QModelIndex& index) const {
    const TensorNode* here = node(index);
    return here ? indexOfNode(here->parent) : QModelIndex();
}

int TensorTree::rowCount(const QModelIndex& parent) const {
    if (!forest_ || parent.column() > 0) return 0;
    const TensorNode* above = node(parent);
    return static_cast<int>((above ? above->children : forest_->roots).size());
}

int TensorTree::columnCount(const QModelIndex&) const {
    return columnEnd;
}

QVariant TensorTree::textOf(const TensorNode& node, int column) const {
    switch (column) {
        case name:
            return node.entry >= 0 ? node.part : tr("%1  (%2)").arg(node.part).arg(node.tensors);
        case shape:
            return node.shape;
        case type:
            return node.type;
        case numbers:
            return countText(node.numbers);
        case bytes:
            return bytesText(static_cast<std::int64_t>(node.bytes));
        case use:
            return node.use;
        default:
            return {};
    }
}

QVariant TensorTree::data(const QModelIndex& index, int role) const {
    const TensorNode* here = node(index);
    if (!here) return {};
    const bool number = index.column() == numbers || index.column() == bytes;
    switch (role) {
        case Qt::DisplayRole:
            return textOf(*here, index.column());
        case Qt::ToolTipRole:
        case Qt::AccessibleDescriptionRole: {
            const QString whole = forest_->nameOf(static_cast<int>(index.internalId()));
            return here->entry >= 0 ? whole : tr("%1: %2 tensors").arg(whole).arg(here->tensors);
        }
        case Qt::TextAlignmentRole:
            return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case sortRole:
            if (index.column() == numbers) return static_cast<qlonglong>(here->numbers);
            if (index.column() == bytes) return static_cast<qulonglong>(here->bytes);
            return index.column() == name ? here->part : textOf(*here, index.column());
        default:
            return {};
    }
}

QVariant TensorTree::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(
            (section == numbers || section == bytes ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const QString titles[columnEnd] = {tr("Tensor"),  tr("Shape"), tr("Type"),
                                       tr("Numbers"), tr("Bytes"), tr("Use")};
    return section >= 0 && section < columnEnd ? titles[section] : QVariant();
}

TensorFilter::TensorFilter(TensorTree& tree, QObject* parent)
    : QSortFilterProxyModel(parent), tree_(&tree) {
    setSourceModel(&tree);
    setRecursiveFilteringEnabled(true);
    setSortRole(TensorTree::sortRole);
}

void TensorFilter::setSearch(const QString& text) {
    const QStringList words = text.toLower().split(u' ', Qt::SkipEmptyParts);
    if (words == words_) return;
    words_ = words;
    invalidateFilter();
}

bool TensorFilter::matches(const TensorNode& node) const {
    return node.entry >= 0 &&
           std::all_of(words_.begin(), words_.end(),
                       [&node](const QString& word) { return node.words.contains(word); });
}

int TensorFilter::matches() const {
    if (!tree_->forest()) return 0;
    const std::vector<TensorNode>& nodes = tree_->forest()->nodes;
    return static_cast<int>(std::count_if(
        nodes.begin(), nodes.end(), [this](const TensorNode& node) { return matches(node); }));
}

bool TensorFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    // a branch is there for what matches in it
    return words_.isEmpty() || matches(*tree_->node(tree_->index(row, 0, parent)));
}

bool TensorFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(TensorTree::sortRole), b = right.data(TensorTree::sortRole);
    if (a.typeId() == QMetaType::LongLong) return a.toLongLong() < b.toLongLong();
    if (a.typeId() == QMetaType::ULongLong) return a.toULongLong() < b.toULongLong();
    return comesBefore(a.toString(), b.toString());
}

bool comesBefore(const QString& left, const QString& right) {
    qsizetype i = 0, j = 0;
    while (i < left.size() && j < right.size()) {
        if (left[i].isDigit() && right[j].isDigit()) {
            qsizetype a = i, b = j;
            while (a < left.size() && left[a].isDigit()) ++a;
            while (b < right.size() && right[b].isDigit()) ++b;
            QStringView first = QStringView(left).mid(i, a - i),
                        second = QStringView(right).mid(j, b - j);
            while (first.size() > 1 && first.front() == u'0') first = first.mid(1);
            while (second.size() > 1 && second.front() == u'0') second = second.mid(1);
            if (first.size() != second.size()) return first.size() < second.size();
            if (const int order = first.compare(second); order != 0) return order < 0;
            i = a;
            j = b;
            continue;
        }
        if (left[i] != right[j]) return left[i] < right[j];
        ++i;
        ++j;
    }
    return left.size() - i < right.size() - j;
}

}  // namespace headloom
