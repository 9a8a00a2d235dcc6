#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>

#include <functional>

namespace headloom {

enum class ExportFormat { svg, csv };

/// What is in view, on its way into a file or onto the clipboard.
struct Exportable {
    /// The whole file. For any thread.
    using Bytes = std::function<Result<QByteArray>()>;

    QString title;  ///< "The maps", as messages name it
    QString name;   ///< a file name to begin with, without its ending
    /// Takes what there is now, on the window's thread; the slow rest is left to what it returns.
    std::function<Bytes(ExportFormat)> take;
};

}  // namespace headloom
