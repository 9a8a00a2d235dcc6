#include "views/panels/loom_sheets.h"

#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

struct LoomSheets {
    Q_DECLARE_TR_FUNCTIONS(LoomSheets)
};

MapTile tileOf(const MapView& view) {
    MapTile tile;
    tile.values = view.values;
    tile.rowStride = view.cols;
    tile.maskedFrom = view.maskedFrom;
    tile.window = view.window;
    return tile;
}

/// Size, current row, evidence and labels: the same for every sheet of a column.
LoomSheet emptySheet(const ExploreViewModel& model, Side side, const ColumnHead& head) {
    LoomSheet made;
    const MapAxis axis = model.axis(side);
    made.sheet.queries = made.sheet.keys = static_cast<int>(axis.labels.size());
    made.sheet.currentRow = axis.current;
    made.sheet.allRows = head.unordered;
    made.sheet.evidence = axis.evidence;
    made.sheet.queryLabels = QStringList(axis.labels.begin(), axis.labels.end());
    made.sheet.keyLabels = made.sheet.queryLabels;
    made.sheet.linkedToken = model.cellOf(side, model.selection().hoveredToken());
    return made;
}

void append(LoomSheet& to, const ExploreViewModel& model, const MapView& view) {
    const bool byRow = model.display().values().renormalised && !view.ref.effective;
    to.sheet.tiles.push_back(tileOf(byRow ? renormalised(view) : view));
    to.refs.push_back(view.ref);
}

/// Of a long prompt only some heads' maps are held.
void leaveOutUnheld(LoomSheet& sheet) {
    if (sheet.refs.empty()) sheet.sheet.tileRows = sheet.sheet.tileColumns = 0;
}

LoomSheet mhaSheet(const ExploreViewModel& model, Side side, const ColumnHead& head, bool wide) {
    LoomSheet made = emptySheet(model, side, head);
    const int open = model.selection().open(side).head;
    const int first = head.alone ? open : 0, count = head.alone ? 1 : head.heads;
    const int across = static_cast<int>(std::floor(std::sqrt(count)));
    const int along = (count + across - 1) / across;
    made.sheet.tileColumns = wide ? along : across;
    made.sheet.tileRows = wide ? across : along;
    made.sheet.captions = CaptionPlacement::above;
    made.sheet.isSigned = head.signedMaps;
    for (int h = first; h < first + count; ++h) {
        for (const MapView& view : model.tiles(side, h)) {
            append(made, model, view);
            MapTile& tile = made.sheet.tiles.back();
            tile.caption = mapName(view.ref, false);
            if (!made.sheet.evidence.empty() && !head.linear)
                tile.corner = LoomSheets::tr("evidence %1").arg(shareText(view.evidence));
        }
    }
    made.sheet.tiles.resize(static_cast<std::size_t>(made.sheet.tileCount()));
    return made;
}

LoomSheet ihaSheet(const ExploreViewModel& model, Side side, const ColumnHead& head) {
    LoomSheet made = emptySheet(model, side, head);
    made.sheet.tileRows = made.sheet.tileColumns = head.pseudos;
    made.sheet.captions = CaptionPlacement::inside;
    made.sheet.isSigned = head.signedMaps;
    for (const MapView& view : model.tiles(side, model.selection().open(side).head)) {
        append(made, model, view);
        MapTile& tile = made.sheet.tiles.back();
        tile.caption = LoomSheets::tr("q%1 k%2").arg(view.ref.p).arg(view.ref.r);
        if (head.linear) {
            tile.toolTip = LoomSheets::tr("tile q%1→k%2: linear scores, no shares")
                               .arg(view.ref.p)
                               .arg(view.ref.r);
            continue;
        }
        tile.corner = shareText(view.mass);
        tile.toolTip = LoomSheets::tr("tile q%1→k%2: mass %3 (mean of rows 0–%4), %5 in row %4")
                           .arg(view.ref.p)
                           .arg(view.ref.r)
                           .arg(shareText(view.mass))
                           .arg(head.row)
                           .arg(shareText(view.rowMass));
    }
    leaveOutUnheld(made);
    return made;
}

LoomSheet effectiveSheet(const ExploreViewModel& model, Side side, const ColumnHead& head) {
    LoomSheet made = emptySheet(model, side, head);
    made.sheet.tileRows = made.sheet.tileColumns = head.heads;
    made.sheet.isSigned = true;
    made.sheet.captions = CaptionPlacement::inside;
    for (const MapView& view : model.effective(side)) {
        append(made, model, view);
        MapTile& tile = made.sheet.tiles.back();
        tile.caption = mapName(view.ref, head.iha);
        tile.toolTip = LoomSheets::tr("M[%1, %2]: how head %1's output reads the values of head %2")
                           .arg(view.ref.head)
                           .arg(view.ref.source);
    }
    leaveOutUnheld(made);
    return made;
}

}  // namespace

int LoomSheet::tileOf(const MapRef& map) const {
    const auto found = std::find(refs.begin(), refs.end(), map);
    return found == refs.end() ? -1 : static_cast<int>(found - refs.begin());
}

LoomSheet mainSheet(const ExploreViewModel& model, Side side, bool wide) {
    const ColumnHead head = model.head(side);
    if (!head.present) return {};
    LoomSheet made = model.display().values().effective ? effectiveSheet(model, side, head)
                     : head.iha                         ? ihaSheet(model, side, head)
                                                        : mhaSheet(model, side, head, wide);
    made.sheet.selectedTile = made.tileOf(model.selection().open(side));
    return made;
}

LoomSheet headSheet(const ExploreViewModel& model, Side side, int head) {
    const ColumnHead column = model.head(side);
    if (!column.present) return {};
    LoomSheet made = emptySheet(model, side, column);
    made.sheet.tileRows = made.sheet.tileColumns = column.pseudos;
    made.sheet.captions = CaptionPlacement::none;
    made.sheet.isSigned = column.signedMaps;
    for (const MapView& view : model.tiles(side, head)) append(made, model, view);
    leaveOutUnheld(made);
    return made;
}

}  // namespace headloom
