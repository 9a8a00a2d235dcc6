#pragma once

#include "core/models/model_part.h"
#include "core/session/chain_run.h"
#include "views/viewmodels/exportable.h"
#include "views/viewmodels/map_ref.h"

#include <memory>
#include <string>

namespace headloom {

class ExploreViewModel;

/// The maps that a column shows, on their way into a file. Immutable, for any thread.
struct MapExport {
    std::shared_ptr<const ChainRun> run;
    ModelPart part;  ///< the layer in view, or the open head where it is shown alone
    bool effective = false;
    std::string model;   ///< as the column is titled
    std::string edited;  ///< matrices with edited weights; empty: none
};

/// Error: nothing stands in the column.
Result<MapExport> mapExportOf(const ExploreViewModel& model, Side side);
/// A file name to begin with: "IHA, 2 heads × 2 L0H1".
QString fileNameOf(const MapExport& maps);

/// The whole file: a picture with axis words, colour bar and provenance, or a line a cell. Errors:
/// those of mapFigure.
Result<QByteArray> exported(const MapExport& maps, ExportFormat format);
Exportable exportableOf(const MapExport& maps);

}  // namespace headloom
