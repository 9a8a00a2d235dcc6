#pragma once

#include "views/viewmodels/map_ref.h"

#include <QAbstractTableModel>
#include <QString>

#include <vector>

namespace headloom {

/// One line of a table that sets both models side by side.
struct ComparisonRow {
    QString label;
    QString left, right;
    double leftBar = -1, rightBar = -1;  ///< share 0..1 drawn as a bar; negative: no bar
    bool marked = false;                 ///< the true answer
    bool leftWrong = false, rightWrong = false;
    QString tip;
    friend bool operator==(const ComparisonRow&, const ComparisonRow&) = default;
};

/// A table of ComparisonRows: label, left, right. Replacing the rows keeps those that stay, so a
/// view neither jumps nor loses its place while the chain is stepped through.
class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { labelColumn, leftColumn, rightColumn, columnTotal };
    enum Role { barRole = Qt::UserRole, markedRole, wrongRole, interleavedRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setTitles(const QString& left, const QString& right);
    /// Which of the two models interleaves its heads: the colour of its bars.
    void setInterleaved(bool left, bool right);
    void setRows(std::vector<ComparisonRow> rows);
    const std::vector<ComparisonRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QString leftTitle_, rightTitle_;
    bool leftInterleaved_ = false, rightInterleaved_ = false;
    std::vector<ComparisonRow> rows_;
};

}  // namespace headloom
