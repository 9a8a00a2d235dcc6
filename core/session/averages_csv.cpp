#include "core/session/averages_csv.h"

#include <fmt/format.h>

#include <cmath>

namespace headloom {

namespace {

std::string indexText(int index) {
    return index < 0 ? "" : std::to_string(index);
}

std::string numberText(double number) {
    return std::isfinite(number) ? fmt::format("{}", number) : "";
}

/// Names of mixing weights and cells have commas in them.
std::string quoted(const std::string& name) {
    return name.find(',') == std::string::npos ? name : "\"" + name + "\"";
}

}  // namespace

std::string averagesAsCsv(const ManyAverages& averages) {
    std::string csv = "table,part,layer,head,query_pseudo,key_pseudo,measure,mean,sd,n,min,max\n";
    for (const AveragedTable& table : averages.tables)
        for (std::size_t i = 0; i < table.lines.size(); ++i) {
            const AveragedLine& line = table.lines[i];
            const std::string part =
                fmt::format("{},{},{},{},{},{}", table.id, quoted(line.name), indexText(line.layer),
                            indexText(line.map.head), indexText(line.map.p), indexText(line.map.r));
            for (std::size_t column = 0; column < table.columns.size(); ++column) {
                const Spread& cell = table.at(i, column);
                csv += fmt::format("{},{},{},{},{},{},{}\n", part, table.columns[column].id,
                                   numberText(cell.mean()), numberText(cell.deviation()),
                                   cell.count(), numberText(cell.least()), numberText(cell.most()));
            }
        }
    return csv;
}

}  // namespace headloom
