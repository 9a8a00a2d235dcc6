#include "views/panels/theory_cpm3_sheets.h"

#include "views/panels/constructed_sheet.h"

#include <QCoreApplication>

#include <algorithm>

namespace headloom {

namespace {

struct Cpm3Sheets {
    Q_DECLARE_TR_FUNCTIONS(Cpm3Sheets)
};

/// The symbols as the row of `token` lists them: from its own on, round the end.
QStringList symbolsFrom(const Cpm3Task& task, int token) {
    QStringList symbols;
    const std::size_t n = task.sequence.size();
    for (std::size_t t = 0; t < n; ++t)
        symbols << QString::number(task.sequence[(static_cast<std::size_t>(token) + t) % n]);
    return symbols;
}

/// The token that is looked at; the run may be of a shorter sequence, until the next is there.
int tokenShown(const TheoryCpm3Model& model) {
    return std::min(model.token(), model.run()->task.nTokens() - 1);
}

TileName shiftName(const ConstructedTile& tile, int nTokens) {
    const int shift = tile.power % nTokens;
    TileName name{QStringLiteral("+%1").arg(shift),
                  Cpm3Sheets::tr("Looks %1 tokens on").arg(shift)};
    if (!tile.asked) name.toolTip += Cpm3Sheets::tr("; round again, and read by nobody");
    return name;
}

MapSheet shiftMaps(const TheoryCpm3Model& model, bool interleaved) {
    const Cpm3Run& run = *model.run();
    const int n = run.task.nTokens();
    MapSheet sheet =
        constructedSheet(model.tiles(interleaved), n, (interleaved ? run.iha : run.mha).nPseudo,
                         [n](const ConstructedTile& tile) { return shiftName(tile, n); });
    sheet.queryLabels = sheet.keyLabels = symbolsFrom(run.task, 0);
    sheet.currentRow = tokenShown(model);
    sheet.allRows = true;
    return sheet;
}

MapSheet matrixMap(const TheoryCpm3Model& model, bool interleaved) {
    const auto values = std::make_shared<const std::vector<float>>(model.matrix(interleaved));
    MapSheet sheet;
    sheet.tileRows = sheet.tileColumns = 1;
    sheet.queries = sheet.keys = model.run()->task.nTokens();
    MapTile tile;
    tile.values = {values, values->data()};
    tile.rowStride = sheet.keys;
    sheet.tiles = {std::move(tile)};
    sheet.captions = CaptionPlacement::none;
    sheet.matrixBlock = 1;
    sheet.allRows = true;
    if (model.stage() == Cpm3Stage::workspace) sheet.currentRow = tokenShown(model);
    return sheet;
}

}  // namespace

MapSheet cpm3Maps(const TheoryCpm3Model& model, bool interleaved) {
    return model.stage() == Cpm3Stage::shift ? shiftMaps(model, interleaved)
                                             : matrixMap(model, interleaved);
}

MatrixSheet cpm3Matrix(const TheoryCpm3Model& model, bool interleaved) {
    const Cpm3Task& task = model.run()->task;
    const int n = task.nTokens(), token = tokenShown(model);
    MatrixSheet sheet;
    sheet.rows = sheet.columns = n;
    sheet.values = model.matrix(interleaved);
    sheet.wholeNumbers = true;
    if (model.stage() == Cpm3Stage::count) {
        sheet.rowLabels = sheet.columnLabels = symbolsFrom(task, token);
        sheet.title = Cpm3Sheets::tr("Hidden units of token %1: x_j1 down, x_j2 across").arg(token);
        sheet.maximum = 1;
        return sheet;
    }
    sheet.rowLabels = symbolsFrom(task, 0);
    for (int t = 0; t < n; ++t) sheet.columnLabels << QStringLiteral("+%1").arg(t);
    sheet.title = Cpm3Sheets::tr("Workspace: token down, shift across");
    sheet.highlightedRows = {token};
    return sheet;
}

MatrixSheet cpm3Counts(const Cpm3Run& run, int token) {
    MatrixSheet sheet;
    sheet.rows = 3;
    sheet.columns = run.task.nTokens();
    sheet.wholeNumbers = true;
    sheet.title = Cpm3Sheets::tr("Pairs for each token");
    sheet.rowLabels =
        QStringList{Cpm3Sheets::tr("MHA"), Cpm3Sheets::tr("IHA"), Cpm3Sheets::tr("one by one")};
    sheet.columnLabels = symbolsFrom(run.task, 0);
    for (const auto* counts : {&run.mha.counts, &run.iha.counts, &run.expected})
        for (const std::int64_t count : *counts) sheet.values.push_back(static_cast<float>(count));
    sheet.highlightedColumns = {std::min(token, sheet.columns - 1)};
    return sheet;
}

}  // namespace headloom
