#include "views/panels/theory_paper.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/theory_graph_view.h"
#include "views/panels/theory_offset_bars.h"
#include "views/plots/curve_plot.h"
#include "views/plots/grouped_bar_plot.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QLabel>
#include <QPainter>
#include <QSvgGenerator>
#include <QTextDocument>
#include <QTreeWidget>

#include <algorithm>
#include <memory>

namespace headloom {

namespace {

struct PaperText {
    Q_DECLARE_TR_FUNCTIONS(PaperText)
};

constexpr double pageWidth = 760, pageEdge = 16, pageGap = 12;
constexpr double curveHeight = 300, barHeight = 280, graphSide = 380, mostMapHeight = 700;
constexpr int barScaleHeight = 30;
/// Of a map that stands alone and of what belongs to it: four beside each other.
constexpr double narrowWidth = (pageWidth - 3 * pageGap) / 4;
/// Maps are laid out so many times larger and drawn as much smaller: their cells are pixels.
constexpr double mapDetail = 3;

/// The colour of the same meaning on paper.
QColor recoloured(const QColor& colour, const ThemeColours& window, const ThemeColours& paper) {
    for (const auto meaning : {&ThemeColours::mha, &ThemeColours::iha, &ThemeColours::text,
                               &ThemeColours::textSoft, &ThemeColours::textFaint})
        if (colour == window.*meaning) return paper.*meaning;
    return colour;
}

/// A widget that nobody sees, drawn as it would be on a screen.
OnPaper widgetOnPaper(std::shared_ptr<QWidget> widget, const QSize& size, double detail = 1) {
    widget->resize(size * detail);
    return {size, [widget = std::move(widget), detail](QPainter& painter) {
                painter.scale(1 / detail, 1 / detail);
                widget->render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
            }};
}

OnPaper curvesOnPaper(PlotContent content, const Theme& window, const Theme& paper) {
    for (PlotSeries& series : content.series)
        series.colour = recoloured(series.colour, window.colours(), paper.colours());
    auto plot = std::make_shared<CurvePlot>(paper);
    plot->setContent(std::move(content));
    const QSizeF size(pageWidth, curveHeight);
    return {size, [plot, size](QPainter& painter) {
                plot->draw(painter, QRectF(QPointF(), size), false);
            }};
}

OnPaper barsOnPaper(GroupedBars content, const Theme& window, const Theme& paper) {
    for (BarSeries& series : content.series)
        series.colour = recoloured(series.colour, window.colours(), paper.colours());
    auto plot = std::make_shared<GroupedBarPlot>(paper);
    plot->setContent(std::move(content));
    const QSizeF size(pageWidth, barHeight);
    return {size, [plot, size](QPainter& painter) {
                plot->draw(painter, QRectF(QPointF(), size), false);
            }};
}

OnPaper stacked(std::vector<OnPaper> parts) {
    QSizeF size(0, 0);
    for (const OnPaper& part : parts) {
        size.setWidth(std::max(size.width(), part.size.width()));
        size.setHeight(size.height() + part.size.height());
    }
    return {size, [parts = std::move(parts)](QPainter& painter) {
                double top = 0;
                for (const OnPaper& part : parts) {
                    painter.save();
                    painter.translate(0, top);
                    part.draw(painter);
                    painter.restore();
                    top += part.size.height();
                }
            }};
}

OnPaper wordsAsWide(double width, const QString& words, TextRole role, const Theme& paper) {
    auto text = std::make_shared<QTextDocument>();
    text->setDocumentMargin(0);
    text->setDefaultFont(paper.font(role));
    text->setHtml(Qt::mightBeRichText(words)
                      ? words
                      : words.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
    text->setTextWidth(width);
    return {QSizeF(width, text->size().height()),
            [text, ink = paper.colours().text](QPainter& painter) {
                QAbstractTextDocumentLayout::PaintContext context;
                context.palette.setColor(QPalette::Text, ink);
                text->documentLayout()->draw(&painter, context);
            }};
}

OnPaper mapsOnPaper(const HeatmapView& shown, const Theme& paper) {
    const MapSheet& sheet = shown.sheet();
    const double width = sheet.tileCount() == 1 ? narrowWidth : pageWidth;
    auto fine = std::make_shared<Theme>(paper.kind());
    fine->setScale(mapDetail);
    // the view goes first, and the theme that it looks at after it
    std::shared_ptr<HeatmapView> view(new HeatmapView(*fine),
                                      [fine](HeatmapView* gone) { delete gone; });
    view->setRendererChoice(RendererChoice::raster);
    view->setSheet(sheet);
    view->setScale(shown.scale());
    const double wanted = view->heightForWidth(qRound(width * mapDetail)) / mapDetail;
    const QSize size(qRound(width), qRound(std::clamp(wanted, 60.0, mostMapHeight)));
    const bool matrix = sheet.matrixBlock > 0;
    const QString axes = matrix ? PaperText::tr("rows down, columns across")
                                : PaperText::tr("query i (to) down, key j (from) across");
    std::vector<OnPaper> parts;
    parts.push_back(wordsAsWide(width,
                                QStringLiteral("<b>%1</b> · %2").arg(shown.accessibleName(), axes),
                                TextRole::small, paper));
    parts.push_back(widgetOnPaper(view, size, mapDetail));
    if (shown.scale().perMap) {
        parts.push_back(wordsAsWide(
            width, PaperText::tr("Colours of every map run up to its own largest value."),
            TextRole::small, paper));
    } else {
        auto bar = std::make_shared<ColourBar>(paper);
        bar->setMapping(shown.valueMapping(0));
        parts.push_back(
            widgetOnPaper(bar, {qRound(std::min(width, pageWidth / 2)), barScaleHeight}));
    }
    return stacked(std::move(parts));
}

OnPaper matrixOnPaper(const MatrixView& shown, const Theme& paper) {
    auto view = std::make_shared<MatrixView>(paper);
    MatrixSheet sheet = shown.sheet();
    sheet.cursor.reset();
    view->setSheet(std::move(sheet));
    const QSize wished = view->sizeHint();
    return stacked({wordsOnPaper(QStringLiteral("<b>%1</b>").arg(shown.accessibleName()),
                                 TextRole::small, paper),
                    widgetOnPaper(view, {qRound(pageWidth), wished.height()})});
}

OnPaper tableOnPaper(const QTreeWidget& shown, const Theme& paper) {
    QString html = QStringLiteral("<table cellpadding='3' cellspacing='0'><tr>");
    const auto cell = [&html](const char* kind, int column, const QString& text) {
        html += QStringLiteral("<%1 align='%2'>%3</%1>")
                    .arg(QLatin1String(kind), column == 0 ? "left" : "right", text.toHtmlEscaped());
    };
    for (int column = 0; column < shown.columnCount(); ++column)
        cell("th", column, shown.headerItem()->text(column));
    for (int row = 0; row < shown.topLevelItemCount(); ++row) {
        html += QStringLiteral("</tr><tr>");
        for (int column = 0; column < shown.columnCount(); ++column)
            cell("td", column, shown.topLevelItem(row)->text(column));
    }
    return wordsOnPaper(html + QStringLiteral("</tr></table>"), TextRole::small, paper);
}

OnPaper offsetsOnPaper(OffsetBarsContent content, const Theme& window, const Theme& paper) {
    content.colour = recoloured(content.colour, window.colours(), paper.colours());
    const QString name = content.name;
    auto bars = std::make_shared<OffsetBars>(paper);
    bars->setContent(std::move(content));
    return stacked(
        {wordsAsWide(narrowWidth, QStringLiteral("<b>%1</b>").arg(name), TextRole::small, paper),
         widgetOnPaper(bars, QSize(qRound(narrowWidth), bars->sizeHint().height()))});
}

/// The corner of each thing: beside the one before where there is room for both.
std::vector<QPointF> placed(const std::vector<OnPaper>& things) {
    std::vector<QPointF> corners;
    double left = 0, top = 0, line = 0;
    for (const OnPaper& thing : things) {
        if (left > 0 && left + thing.size.width() > pageWidth + 1) {
            top += line + pageGap;
            left = line = 0;
        }
        corners.emplace_back(left, top);
        left += thing.size.width() + pageGap;
        line = std::max(line, thing.size.height());
    }
    return corners;
}

OnPaper graphOnPaper(const TheoryGraphView& shown, const Theme& paper) {
    auto view = std::make_shared<TheoryGraphView>(paper);
    view->setGraph(shown.graph());
    return widgetOnPaper(view, {qRound(graphSide), qRound(graphSide)});
}

}  // namespace

OnPaper wordsOnPaper(const QString& words, TextRole role, const Theme& paper) {
    return wordsAsWide(pageWidth, words, role, paper);
}

OnPaper onPaper(const QWidget& shown, const Theme& window, const Theme& paper) {
    if (const auto* plot = qobject_cast<const CurvePlot*>(&shown))
        return curvesOnPaper(plot->content(), window, paper);
    if (const auto* bars = qobject_cast<const GroupedBarPlot*>(&shown))
        return barsOnPaper(bars->content(), window, paper);
    if (const auto* maps = qobject_cast<const HeatmapView*>(&shown))
        return mapsOnPaper(*maps, paper);
    if (const auto* matrix = qobject_cast<const MatrixView*>(&shown))
        return matrixOnPaper(*matrix, paper);
    if (const auto* graph = qobject_cast<const TheoryGraphView*>(&shown))
        return graphOnPaper(*graph, paper);
    if (const auto* bars = qobject_cast<const OffsetBars*>(&shown))
        return offsetsOnPaper(bars->content(), window, paper);
    if (const auto* table = qobject_cast<const QTreeWidget*>(&shown))
        return tableOnPaper(*table, paper);
    const auto* label = qobject_cast<const QLabel*>(&shown);
    QString words = label ? label->text() : QString();
    for (const auto meaning : {&ThemeColours::mha, &ThemeColours::iha})
        words.replace((window.colours().*meaning).name(), (paper.colours().*meaning).name());
    return wordsOnPaper(words, TextRole::small, paper);
}

QByteArray paperAsSvg(const QString& title, const std::vector<OnPaper>& things,
                      const Theme& paper) {
    const std::vector<QPointF> corners = placed(things);
    double height = pageEdge + pageGap;
    for (std::size_t i = 0; i < things.size(); ++i)
        height = std::max(height, pageEdge + corners[i].y() + things[i].size.height() + pageGap);
    const QRectF page(0, 0, pageWidth + 2 * pageEdge, height + pageEdge - pageGap);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(page.size().toSize());
    generator.setViewBox(page);
    generator.setTitle(title);
    QPainter painter(&generator);
    painter.fillRect(page, paper.colours().panel);
    painter.translate(pageEdge, pageEdge);
    for (std::size_t i = 0; i < things.size(); ++i) {
        painter.save();
        painter.translate(corners[i]);
        things[i].draw(painter);
        painter.restore();
    }
    painter.end();
    return buffer.data();
}

}  // namespace headloom
