#include "views/panels/theory_numbers.h"

#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/plain_table.h"
#include "views/panels/theory_graph_view.h"
#include "views/panels/theory_offset_bars.h"
#include "views/plots/curve_plot.h"
#include "views/plots/grouped_bar_plot.h"

#include <QCoreApplication>
#include <QTreeWidget>

namespace headloom {

namespace {

struct NumberText {
    Q_DECLARE_TR_FUNCTIONS(NumberText)
};

/// What one widget adds to the file.
using Lines = std::function<void(QByteArray&)>;

QByteArray csvQuoted(const QString& text) {
    QString inside = text;
    return '"' + inside.replace(QLatin1Char('"'), QLatin1String("\"\"")).toUtf8() + '"';
}

QByteArray csvNumber(double value) {
    return QByteArray::number(value, 'g', 9);
}

QByteArray csvNumberIn(const QTreeWidgetItem& line, int column) {
    const QVariant exact = line.data(column, exactNumber);
    return exact.isValid() ? exact.toString().toUtf8() : csvQuoted(line.text(column));
}

/// The cells of a line, the last two of which may be left out.
void addCsvLine(QByteArray& file, std::initializer_list<QByteArray> cells) {
    constexpr std::size_t columns = 7;
    for (const QByteArray& cell : cells) file += cell + ',';
    for (std::size_t i = cells.size(); i < columns; ++i) file += ',';
    file.back() = '\n';
}

QByteArray csvName(const QStringList& names, int index) {
    return index < names.size() ? csvQuoted(names[index]) : QByteArray::number(index);
}

Lines csvLinesOf(const QString& name, const MapSheet& sheet) {
    return [figure = csvQuoted(name), sheet](QByteArray& file) {
        for (int tile = 0; tile < static_cast<int>(sheet.tiles.size()); ++tile) {
            const MapTile& of = sheet.tiles[static_cast<std::size_t>(tile)];
            const QByteArray part = csvQuoted((of.caption + u' ' + of.corner).trimmed());
            for (int query = 0; query < sheet.queries; ++query)
                for (int key = 0; key < sheet.keys; ++key)
                    if (const CellReading cell = readCell(sheet, {tile, query, key});
                        cell.kind == CellKind::value)
                        addCsvLine(file, {figure, part, csvName(sheet.queryLabels, query),
                                          csvName(sheet.keyLabels, key), csvNumber(cell.value)});
        }
    };
}

Lines csvLinesOf(const QString& name, const MatrixSheet& sheet) {
    return [figure = csvQuoted(name), sheet](QByteArray& file) {
        for (int row = 0; row < sheet.rows; ++row)
            for (int column = 0; column < sheet.columns; ++column)
                addCsvLine(file, {figure, csvQuoted(sheet.title), csvName(sheet.rowLabels, row),
                                  csvName(sheet.columnLabels, column),
                                  csvNumber(sheet.at({row, column}))});
    };
}

Lines csvLinesOf(const PlotContent& content) {
    return [figure = csvQuoted(content.title), content](QByteArray& file) {
        for (const PlotSeries& series : content.series)
            for (const PlotPoint& point : series.points)
                addCsvLine(file, {figure,
                                  csvQuoted(series.name),
                                  csvNumber(point.x),
                                  {},
                                  csvNumber(point.y),
                                  csvNumber(point.low),
                                  csvNumber(point.high)});
    };
}

Lines csvLinesOf(const GroupedBars& content) {
    return [figure = csvQuoted(content.title), content](QByteArray& file) {
        for (const BarSeries& series : content.series)
            for (std::size_t i = 0; i < series.values.size(); ++i) {
                const double value = series.values[i],
                             deviation = series.deviations.empty() ? 0 : series.deviations[i];
                addCsvLine(file, {figure,
                                  csvQuoted(series.name),
                                  {},
                                  csvQuoted(content.groups[static_cast<int>(i)]),
                                  csvNumber(value),
                                  csvNumber(value - deviation),
                                  csvNumber(value + deviation)});
            }
    };
}

Lines csvLinesOf(const GraphShown& graph) {
    return [figure = csvQuoted(NumberText::tr("Signal at the nodes")), graph](QByteArray& file) {
        int node = 0;
        for (const float value : graph.values)
            addCsvLine(file, {figure, {}, QByteArray::number(node++), {}, csvNumber(value)});
    };
}

Lines csvLinesOf(const OffsetBarsContent& content) {
    return [figure = csvQuoted(content.name), content](QByteArray& file) {
        int offset = 0;
        for (const double weight : content.weights)
            addCsvLine(file, {figure, {}, QByteArray::number(offset++), {}, csvNumber(weight)});
    };
}

Lines csvLinesOf(const QTreeWidget& table) {
    QByteArray lines;
    const QByteArray figure = csvQuoted(table.accessibleName());
    for (int row = 0; row < table.topLevelItemCount(); ++row)
        for (int column = 1; column < table.columnCount(); ++column)
            addCsvLine(lines, {figure,
                               {},
                               csvQuoted(table.topLevelItem(row)->text(0)),
                               csvQuoted(table.headerItem()->text(column)),
                               csvNumberIn(*table.topLevelItem(row), column)});
    return [lines](QByteArray& file) { file += lines; };
}

/// Nothing for words.
Lines csvLinesOf(const QWidget& shown) {
    if (const auto* maps = qobject_cast<const HeatmapView*>(&shown))
        return csvLinesOf(maps->accessibleName(), maps->sheet());
    if (const auto* matrix = qobject_cast<const MatrixView*>(&shown))
        return csvLinesOf(matrix->accessibleName(), matrix->sheet());
    if (const auto* plot = qobject_cast<const CurvePlot*>(&shown))
        return csvLinesOf(plot->content());
    if (const auto* bars = qobject_cast<const GroupedBarPlot*>(&shown))
        return csvLinesOf(bars->content());
    if (const auto* graph = qobject_cast<const TheoryGraphView*>(&shown))
        return csvLinesOf(graph->graph());
    if (const auto* bars = qobject_cast<const OffsetBars*>(&shown))
        return csvLinesOf(bars->content());
    if (const auto* table = qobject_cast<const QTreeWidget*>(&shown)) return csvLinesOf(*table);
    return nullptr;
}

}  // namespace

std::function<QByteArray()> numbersOf(const std::vector<const QWidget*>& shown) {
    std::vector<Lines> figures;
    for (const QWidget* widget : shown)
        if (Lines lines = csvLinesOf(*widget)) figures.push_back(std::move(lines));
    return [figures = std::move(figures)] {
        QByteArray file = "figure,part,row,column,value,low,high\n";
        for (const Lines& lines : figures) lines(file);
        return file;
    };
}

}  // namespace headloom
