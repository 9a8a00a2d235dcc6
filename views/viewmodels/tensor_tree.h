#pragma once

#include "views/viewmodels/tensor_forest.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <QStringList>

namespace headloom {

/// A TensorForest as a model for tree views.
class TensorTree : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Column { name, shape, type, numbers, bytes, use, columnEnd };
    static constexpr int sortRole = Qt::UserRole;  ///< a number where the column shows one

    using QAbstractItemModel::QAbstractItemModel;

    void setForest(std::shared_ptr<const TensorForest> forest);
    /// Null before the first.
    const TensorForest* forest() const { return forest_.get(); }
    const TensorNode* node(const QModelIndex& index) const;
    QModelIndex indexOfNode(int node, int column = name) const;
    QModelIndex indexOfEntry(int entry) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant textOf(const TensorNode& node, int column) const;
    std::shared_ptr<const TensorForest> forest_;
};

/// The tree in the order of a column and with the tensors that a search leaves: those whose name,
/// type, shape and use together hold every word of it.
class TensorFilter : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit TensorFilter(TensorTree& tree, QObject* parent = nullptr);

    void setSearch(const QString& text);
    bool searching() const { return !words_.isEmpty(); }
    /// How many tensors the search leaves.
    int matches() const;

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    bool matches(const TensorNode& node) const;
    TensorTree* tree_;
    QStringList words_;
};

/// Whether one name comes before another, numbers in them by their size: "h.9" before "h.10".
bool comesBefore(const QString& left, const QString& right);

}  // namespace headloom
