#pragma once

#include "core/base/error.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headloom {

using Rgb = std::array<std::uint8_t, 3>;

/// One map of a figure, row-major.
struct FigurePanel {
    std::string title;
    std::vector<float> values;  ///< [rows, columns] of the figure
};

/// Maps under one scale, as they are printed: all that an SVG or CSV of them has to say.
struct Figure {
    std::string title;
    std::vector<std::string> provenance;  ///< lines below: model, prompt, what was changed
    std::string rowAxis = "from token", columnAxis = "to token";
    std::vector<std::string> rowLabels, columnLabels;
    std::vector<FigurePanel> panels;
    int across = 1;         ///< panels in a line
    bool causal = false;    ///< cells above the diagonal are not there: nobody sees the future
    bool isSigned = false;  ///< the scale goes from -maximum to maximum, else from 0
    float maximum = 1;
    std::string quantity = "attention";  ///< beside the colour bar
    std::vector<Rgb> palette;            ///< evenly spaced over the scale, at least two

    int rows() const { return static_cast<int>(rowLabels.size()); }
    int columns() const { return static_cast<int>(columnLabels.size()); }
};

/// Cells are vectors up to this many in a figure; above it each panel is one lossless image with a
/// pixel a cell. Axes and words are vectors always.
constexpr int mostVectorCells = 20000;

/// The figure as a complete SVG file, on white.
std::string figureAsSvg(const Figure& figure);
/// "panel,row,column,from,to,value", a line a cell; values with all their digits.
std::string figureAsCsv(const Figure& figure);

/// The colours of assets/palettes/NAME.txt. Error: the file is missing or not such a list.
Result<std::vector<Rgb>> readPalette(const std::filesystem::path& assets, const std::string& name);

/// A lossless PNG, row-major. Errors: what the library says.
Result<std::string> pngOf(const std::vector<Rgb>& pixels, int width, int height);

}  // namespace headloom
