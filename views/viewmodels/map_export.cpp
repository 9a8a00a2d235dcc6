#include "views/viewmodels/map_export.h"

#include "core/session/bundled.h"
#include "core/session/map_figure.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_view_model.h"

#include <QCoreApplication>

#include <fmt/format.h>

namespace headloom {

Result<MapExport> mapExportOf(const ExploreViewModel& model, Side side) {
    const ColumnRunPtr& column = model.session().runs().at(indexOf(side));
    if (!column)
        return fail(Error::Kind::badInput, "maps", "no model stands in this column",
                    "open an example or a model first");
    const DisplayOptions::Values shown = model.display().values();
    const int layer = column->clampedLayer(model.selection().layer());
    MapExport made;
    made.run = column->run;
    made.effective = shown.effective;
    made.model = model.head(side).title.toStdString();
    made.edited = model.head(side).edited.toStdString();
    made.part.layer = layer;
    if (shown.scope == DisplayOptions::Scope::head)
        made.part = ModelPart::ofHead(layer, model.selection().open(side).head);
    return made;
}

QString fileNameOf(const MapExport& maps) {
    QString name = QString::fromStdString(fmt::format("{} {}", maps.model, nameOf(maps.part)));
    return name.replace(u'/', u'-');
}

Result<QByteArray> exported(const MapExport& maps, ExportFormat format) {
    const auto assets = assetsFolder();
    if (!assets) return tl::unexpected(assets.error());
    auto figure = mapFigure(*maps.run, maps.part, maps.effective, *assets);
    if (!figure) return tl::unexpected(figure.error());
    figure->title =
        fmt::format("{}, {} {}", maps.model, maps.effective ? "effective maps of" : "attention of",
                    nameOf(maps.part));
    figure->provenance = provenanceOf(*maps.run, maps.model);
    if (!maps.edited.empty()) figure->provenance.push_back("Edited weights: " + maps.edited);
    return QByteArray::fromStdString(format == ExportFormat::svg ? figureAsSvg(*figure)
                                                                 : figureAsCsv(*figure));
}

Exportable exportableOf(const MapExport& maps) {
    return {QCoreApplication::translate("MapExport", "The maps"), fileNameOf(maps),
            [maps](ExportFormat format) -> Exportable::Bytes {
                return [maps, format] { return exported(maps, format); };
            }};
}

}  // namespace headloom
