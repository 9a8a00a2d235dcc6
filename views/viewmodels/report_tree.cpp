#include "views/viewmodels/report_tree.h"

#include "core/io/architectures/load_report.h"

#include <QCoreApplication>

#include <string_view>
#include <unordered_map>

namespace headloom {

namespace {

struct Report {
    Q_DECLARE_TR_FUNCTIONS(ReportTree)
};

using Line = ReportGroup::Line;
using Weight = ReportGroup::Weight;

QString textOf(const std::string& text) {
    return QString::fromStdString(text);
}

/// Finds the tensor of the file that a sentence speaks of, by the file's name or by ours.
class NamedTensors {
  public:
    explicit NamedTensors(const LoadReport& report) {
        for (std::size_t i = 0; i < report.tensors.size(); ++i) {
            byName_.emplace(report.tensors[i].name, static_cast<int>(i));
            for (const std::string& ours : report.tensors[i].becomes)
                byName_.emplace(ours, static_cast<int>(i));
        }
    }
    int in(std::string_view sentence) const {
        while (!sentence.empty()) {
            const std::size_t end = std::min(sentence.find(' '), sentence.size());
            const auto known = byName_.find(sentence.substr(0, end));
            if (known != byName_.end()) return known->second;
            sentence.remove_prefix(std::min(end + 1, sentence.size()));
        }
        return -1;
    }

  private:
    std::unordered_map<std::string_view, int> byName_;
};

std::vector<Line> sentences(const std::vector<std::string>& texts, const NamedTensors& named) {
    std::vector<Line> lines;
    for (const std::string& text : texts) lines.push_back({textOf(text), named.in(text)});
    return lines;
}

std::vector<Line> recognised(const LoadReport& report) {
    std::vector<Line> lines;
    lines.push_back(
        {report.architecture.empty()
             ? Report::tr("No architecture is recognised")
             : Report::tr("%1: %2").arg(textOf(report.architecture), textOf(report.title))});
    if (!report.reason.empty()) lines.push_back({Report::tr("Why: %1").arg(textOf(report.reason))});
    lines.push_back({Report::tr("Container: %1").arg(textOf(report.container))});
    if (!report.configSource.empty())
        lines.push_back({Report::tr("Configuration: %1").arg(textOf(report.configSource))});
    QStringList types;
    for (const auto& [type, count] : report.types)
        types << Report::tr("%1 of %2").arg(count).arg(textOf(type));
    if (!types.isEmpty())
        lines.push_back({Report::tr("Types: %1").arg(types.join(QStringLiteral(", ")))});
    if (report.headTied)
        lines.push_back({Report::tr("The head is the embedding, transposed (tied)")});
    return lines;
}

QString dimensionText(const DimensionCheck& check) {
    const QString value = Report::tr("%1 = %2").arg(textOf(check.name)).arg(check.used);
    if (check.differs())
        return Report::tr("%1; the configuration says %2, the tensors win")
            .arg(value)
            .arg(*check.configured);
    if (check.filledUp)
        return Report::tr(
                   "%1, from the tensors; the configuration says %2, the last %3 only fill "
                   "the tables up")
            .arg(value)
            .arg(*check.configured)
            .arg(check.used - *check.configured);
    if (check.inferred && check.configured)
        return Report::tr("%1, tensors and configuration agree").arg(value);
    return check.inferred ? Report::tr("%1, from the tensors").arg(value)
                          : Report::tr("%1, from the configuration").arg(value);
}

}  // namespace

std::vector<ReportGroup> reportGroups(const LoadReport& report) {
    const NamedTensors named(report);
    std::vector<ReportGroup> groups;
    const auto add = [&groups](const QString& title, Weight weight, std::vector<Line> lines) {
        if (!lines.empty()) groups.push_back({title, weight, std::move(lines)});
    };
    if (!report.notRunnable.empty())
        add(Report::tr("Does not run here"), Weight::problem,
            sentences({report.notRunnable}, named));
    std::vector<Line> missing;
    for (const std::string& name : report.missing) missing.push_back({textOf(name)});
    add(Report::tr("Missing"), Weight::problem, std::move(missing));
    add(Report::tr("Warnings"), Weight::notice, sentences(report.warnings, named));
    add(Report::tr("Recognised"), Weight::plain, recognised(report));
    std::vector<Line> sizes;
    for (const DimensionCheck& check : report.dimensions) sizes.push_back({dimensionText(check)});
    add(Report::tr("Sizes"), Weight::plain, std::move(sizes));
    add(Report::tr("Notes"), Weight::plain, sentences(report.notes, named));
    if (report.architecture.empty()) return groups;
    for (const auto& [use, title, weight] :
         {std::tuple(TensorUse::unexpected, Report::tr("Unexpected"), Weight::notice),
          std::tuple(TensorUse::tied, Report::tr("Tied"), Weight::plain),
          std::tuple(TensorUse::ignored, Report::tr("Ignored"), Weight::plain),
          std::tuple(TensorUse::used, Report::tr("Used"), Weight::plain)}) {
        std::vector<Line> lines;
        for (std::size_t i = 0; i < report.tensors.size(); ++i)
            if (report.tensors[i].use == use)
                lines.push_back({textOf(report.tensors[i].name), static_cast<int>(i)});
        add(title, weight, std::move(lines));
    }
    return groups;
}

void ReportTree::setGroups(std::vector<ReportGroup> groups) {
    beginResetModel();
    groups_ = std::move(groups);
    endResetModel();
}

// The id of a group is 0; of a line it is its group's row and 1.
QModelIndex ReportTree::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column,
                       parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex ReportTree::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return {};
    return createIndex(static_cast<int>(index.internalId()) - 1, 0, quintptr{0});
}

int ReportTree::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(groups_.size());
    if (parent.internalId() != 0) return 0;
    return static_cast<int>(groups_[static_cast<std::size_t>(parent.row())].lines.size());
}

int ReportTree::columnCount(const QModelIndex&) const {
    return 1;
}

QVariant ReportTree::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const bool isGroup = index.internalId() == 0;
    const std::size_t at = isGroup ? static_cast<std::size_t>(index.row()) : index.internalId() - 1;
    const ReportGroup& group = groups_[at];
    if (role == weightRole) return static_cast<int>(group.weight);
    if (isGroup) {
        if (role != Qt::DisplayRole) return role == entryRole ? QVariant(-1) : QVariant();
        return tr("%1 (%2)").arg(group.title).arg(group.lines.size());
    }
    const Line& line = group.lines[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return line.text;
    return role == entryRole ? QVariant(line.entry) : QVariant();
}

}  // namespace headloom
