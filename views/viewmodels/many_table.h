#pragma once

#include "core/session/prompt_question.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace headloom {

/// One number of every line of averages: its mean, standard deviation, count and bounds. Rows are
/// named by the vertical header.
class ManyTable : public QAbstractTableModel {
    Q_OBJECT
  public:
    using QAbstractTableModel::QAbstractTableModel;

    enum Column { mean, deviation, count, least, most, columns };
    /// The number of a cell; NaN where there is none.
    static constexpr int valueRole = Qt::UserRole;

    /// Nothing is shown of no table, which is null.
    void show(std::shared_ptr<const AveragedTable> table, int measure);
    /// Whether some lines are of heads and some of tiles.
    bool isMixed() const { return mixed_; }
    const AveragedLine& line(int row) const { return table_->lines[std::size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    double value(const QModelIndex& index) const;
    QString text(const QModelIndex& index) const;

    std::shared_ptr<const AveragedTable> table_;
    std::size_t measure_ = 0;
    bool mixed_ = false;
};

/// The lines in the order of a column, or of the model; those without a number come last.
class ManyOrder : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit ManyOrder(ManyTable& table, QObject* parent = nullptr);

    /// Leaves out tiles, unless there is nothing else.
    void setHeadsOnly(bool only);
    const AveragedLine& line(int row) const;

  protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    ManyTable* table_;
    bool headsOnly_ = false;
};

}  // namespace headloom
