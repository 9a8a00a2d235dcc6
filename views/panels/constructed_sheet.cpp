#include "views/panels/constructed_sheet.h"

#include <QCoreApplication>

#include <cmath>

namespace headloom {

namespace {

constexpr int mostCaptionedRows = 5;

QString headAndKeys(const ConstructedTile& tile, bool interleaved) {
    return interleaved ? QCoreApplication::translate("ConstructedSheet", "h%1 k%2")
                             .arg(tile.head)
                             .arg(tile.keyPseudo)
                       : QCoreApplication::translate("ConstructedSheet", "h%1").arg(tile.head);
}

}  // namespace

MapSheet constructedSheet(const std::vector<ConstructedTile>& tiles, int nTokens, int nPseudo,
                          const std::function<TileName(const ConstructedTile&)>& nameOf) {
    MapSheet sheet;
    for (const ConstructedTile& made : tiles) {
        TileName name = nameOf(made);
        MapTile tile;
        tile.values = made.values;
        tile.rowStride = nTokens;
        tile.caption = std::move(name.caption);
        tile.corner = headAndKeys(made, nPseudo > 1);
        tile.toolTip = std::move(name.toolTip);
        sheet.tiles.push_back(std::move(tile));
    }
    const int count = static_cast<int>(tiles.size());
    sheet.tileColumns =
        nPseudo > 1 ? nPseudo : std::max(1, static_cast<int>(std::ceil(std::sqrt(count))));
    sheet.tileRows = (count + sheet.tileColumns - 1) / sheet.tileColumns;
    // lines of words over many rows would leave the maps no room; the pointer still says all
    sheet.captions =
        sheet.tileRows > mostCaptionedRows ? CaptionPlacement::none : CaptionPlacement::above;
    sheet.tiles.resize(static_cast<std::size_t>(sheet.tileRows * sheet.tileColumns));
    sheet.queries = sheet.keys = nTokens;
    return sheet;
}

}  // namespace headloom
