#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QRgb>
#include <QString>

#include <array>
#include <vector>

namespace headloom {

/// 256 opaque colours. Sequential tables run from zero (0) to the maximum (255); diverging ones
/// from the most negative (0) over zero (128) to the most positive (255, which is 127 steps up).
struct ColourTable {
    std::array<QRgb, 256> entries{};

    /// Evenly spaced colours, at least two, filled in between in OKLab so that equal steps look
    /// equal. 256 colours are taken as they are.
    static ColourTable from(const std::vector<QRgb>& colours);
};

/// OKLab lightness of a colour, 0 to 1 (Ottosson 2020).
double okLightness(QRgb colour);

/// Reads a palette text: one "rrggbb" a line, '#' begins a comment, 2 to 256 colours. `where` names
/// the source in errors.
Result<ColourTable> parseColourTable(const QByteArray& text, const QString& where);

/// One of the tables in assets/palettes by its file name without ".txt". They are built in, so a
/// name that is not there is our own mistake.
ColourTable builtInColourTable(const QString& name);

}  // namespace headloom
