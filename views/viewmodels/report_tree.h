#pragma once

#include <QAbstractItemModel>
#include <QString>

#include <vector>

namespace headloom {

struct LoadReport;

/// What a report says, sorted: a heading and its lines.
struct ReportGroup {
    enum class Weight { plain, notice, problem };
    struct Line {
        QString text;
        int entry = -1;  ///< the tensor of the file that it is about; -1: none
    };
    QString title;
    Weight weight = Weight::plain;
    std::vector<Line> lines;
};

/// Problems first, then what was recognised, then tensors by what became of them.
std::vector<ReportGroup> reportGroups(const LoadReport& report);

/// Groups with their lines, as a model for tree views.
class ReportTree : public QAbstractItemModel {
    Q_OBJECT
  public:
    static constexpr int entryRole = Qt::UserRole;       ///< int, Line::entry
    static constexpr int weightRole = Qt::UserRole + 1;  ///< int of Weight

    using QAbstractItemModel::QAbstractItemModel;

    void setGroups(std::vector<ReportGroup> groups);
    const std::vector<ReportGroup>& groups() const { return groups_; }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    std::vector<ReportGroup> groups_;
};

}  // namespace headloom
