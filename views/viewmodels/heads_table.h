#pragma once

#include "core/analysis/head_finder.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <vector>

namespace headloom {

/// A head or tile of a layer, as it is listed.
struct HeadLine {
    int layer = 0;
    HeadScores scores;
};

/// All heads and tiles of a model, each with its measures: a column a measure, rows named by the
/// vertical header.
class HeadsTable : public QAbstractTableModel {
    Q_OBJECT
  public:
    using QAbstractTableModel::QAbstractTableModel;

    /// The number of a cell; NaN where there is none.
    static constexpr int valueRole = Qt::UserRole;

    void show(std::vector<HeadLine> lines);
    const std::vector<HeadLine>& lines() const { return lines_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<HeadLine> lines_;
};

/// The list in the order of a column, or of the model; cells without a number come last.
class HeadsOrder : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit HeadsOrder(HeadsTable& table, QObject* parent = nullptr);

    bool headsOnly() const { return headsOnly_; }
    void setHeadsOnly(bool only);
    /// What stands in a row as it is shown.
    const HeadLine& line(int row) const;

  protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    HeadsTable* table_;
    bool headsOnly_ = false;
};

}  // namespace headloom
