#pragma once

#include <QString>
#include <QStringList>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace headloom {

/// Keys begin..end-1.
struct KeyRange {
    int begin = 0, end = 0;
};

/// One attention map, [query, key]. The values are an immutable snapshot: a change is a new
/// pointer. Use the aliasing constructor of shared_ptr to share a larger block.
struct MapTile {
    static constexpr int nothingMasked = std::numeric_limits<int>::max();

    std::shared_ptr<const float> values;  ///< null: nothing to show here
    std::ptrdiff_t rowStride = 0;         ///< floats from one query row to the next, >= keys
    /// Cell (query i, key j) is masked where j - i >= maskedFrom: 1 is the causal mask, 0 hides the
    /// diagonal as well (IHA's flat mask where the key's pseudo-head comes after the query's).
    int maskedFrom = nothingMasked;
    int window = 0;   ///< masked where i - j >= window; 0: no window
    QString caption;  ///< which map this is, such as "q0 k1"
    QString corner;   ///< its number, such as the mass "0.12"
    QString toolTip;  ///< a sentence about the tile; the cell's value is added

    bool isMasked(int query, int key) const {
        return key - query >= maskedFrom || (window > 0 && query - key >= window);
    }
    /// The keys that a query may see, of 0..keys-1.
    KeyRange openKeys(int query, int keys) const;
    bool operator==(const MapTile&) const = default;
};

/// A cell of a sheet. The tile counts row by row.
struct MapCell {
    int tile = 0, query = 0, key = 0;
    bool operator==(const MapCell&) const = default;
};

enum class CaptionPlacement {
    none,
    inside,  ///< in the top right corner of the tile, which a causal mask leaves free
    above    ///< in a band over the tile: caption left, corner right
};

/// What a HeatmapView shows: tiles of one shape in rows and columns, and the marks on them.
struct MapSheet {
    int tileRows = 0, tileColumns = 0;
    int queries = 0, keys = 0;   ///< cells of every tile
    std::vector<MapTile> tiles;  ///< tileRows * tileColumns, row by row
    QStringList queryLabels;     ///< tokens by position; may be empty
    QStringList keyLabels;       ///< tokens by position; may be empty
    bool isSigned = false;       ///< effective maps: purple-white-green about zero
    CaptionPlacement captions = CaptionPlacement::inside;
    /// Above 0: no map but a matrix, whose cells are called rows and columns and stand for so many
    /// of each.
    int matrixBlock = 0;

    /// Row i, outlined. Rows after it are hatched and never read. Below 0: every row is shown.
    int currentRow = -1;
    /// A sequence without an order of time: rows after the current one are shown as well.
    bool allRows = false;
    /// Keys which are the evidence of the current row, ringed in the accent.
    std::vector<int> evidence;
    std::optional<MapCell> cursor;  ///< the cell under the pointer or reached by arrow keys
    int selectedTile = -1;          ///< framed in the accent; -1: none
    std::vector<int> linkedTiles;   ///< framed thinly: the tiles that a chosen weight feeds
    int linkedToken = -1;           ///< its row and column light up in every tile; -1: none

    int tileCount() const { return tileRows * tileColumns; }
    bool isEmpty() const { return tileCount() == 0 || queries == 0 || keys == 0; }
    /// Rows that have happened, counted from 0.
    int knownRows() const {
        return currentRow < 0 || allRows ? queries : std::min(currentRow + 1, queries);
    }
    bool contains(const MapCell& cell) const;
    /// The same snapshots under the same marks: they look the same.
    bool operator==(const MapSheet&) const = default;
};

enum class CellKind {
    value,
    masked,     ///< the query may not see this key
    pending,    ///< the row has not happened yet
    notFinite,  ///< NaN or infinite
    absent      ///< no such cell, or no data in its tile
};

struct CellReading {
    CellKind kind = CellKind::absent;
    float value = 0;  ///< meaningful for `value` and `notFinite`
};

CellReading readCell(const MapSheet& sheet, const MapCell& cell);

/// A cell in words: "q0 k1 · from “c” (18) to “f” (12): 0.4137". Counting starts at 0.
QString describeCell(const MapSheet& sheet, const MapCell& cell);

/// Largest value (largest magnitude where the sheet is signed) among the cells of one tile that are
/// shown: masked, pending and non-finite cells do not count, nor key 0 where the sink is hidden.
/// 0 where there is none.
float largestOf(const MapSheet& sheet, int tile, bool hideSink);
/// The same over all tiles: the shared maximum. Take the largest over several sheets to give them
/// one scale.
float largestOf(const MapSheet& sheet, bool hideSink);

}  // namespace headloom
