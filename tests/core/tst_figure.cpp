#include "core/session/bundled.h"
#include "core/session/figure.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace headloom;

namespace {

Figure small() {
    Figure figure;
    figure.title = "a < b & \"c\"";
    figure.provenance = {"Model m", "Tokens: x y"};
    figure.rowLabels = {"x", "y"};
    figure.columnLabels = {"x", ",\"y"};
    figure.panels = {{"L0H0", {0.25f, 1, 0.5f, 0}}};
    figure.palette = {{0, 0, 0}, {200, 100, 50}};
    return figure;
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("an SVG has its cells, labels, axes, bar and caption") {
    const std::string svg = figureAsSvg(small());
    CHECK(count(svg, "class=\"cell\"") == 4);
    CHECK(count(svg, "fill=\"#32190d\"/>") == 1);  // a quarter of the way, each channel rounded
    for (const char* part : {"a &lt; b &amp; &quot;c&quot;", ">L0H0<", ">from token<", ">to token<",
                             ">attention<", ">Model m<", ">Tokens: x y<", ">,&quot;y<", ">1<"})
        CHECK_MESSAGE(svg.find(part) != std::string::npos, part);
    CHECK(count(svg, "<text") == count(svg, "</text>"));
    CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("nobody sees the future in a causal figure") {
    Figure figure = small();
    figure.causal = true;
    CHECK(count(figureAsSvg(figure), "class=\"cell\"") == 3);
    CHECK(figureAsCsv(figure) ==
          "panel,row,column,from,to,value\r\n"
          "L0H0,0,0,x,x,0.25\r\n"
          "L0H0,1,0,y,x,0.5\r\n"
          "L0H0,1,1,y,\",\"\"y\",0\r\n");
}

TEST_CASE("many cells are one image a panel") {
    Figure figure = small();
    figure.rowLabels.assign(150, "t");
    figure.columnLabels = figure.rowLabels;
    figure.panels[0].values.assign(150 * 150, 0.5f);
    const std::string svg = figureAsSvg(figure);
    CHECK(count(svg, "class=\"cell\"") == 0);
    CHECK(count(svg, "<image") == 1);
    CHECK(svg.find("data:image/png;base64,iVBORw0KGgo") != std::string::npos);  // PNG's signature
    CHECK(count(svg, ">t<") > 20);                                              // words stay words
}

TEST_CASE("a signed scale has zero in its middle, and no number is black") {
    Figure figure = small();
    figure.isSigned = true;
    figure.palette = {{255, 0, 0}, {0, 0, 0}, {0, 0, 255}};
    figure.panels[0].values = {-1, 0, 1, std::numeric_limits<float>::quiet_NaN()};
    const std::string svg = figureAsSvg(figure);
    for (const char* colour : {"#ff0000", "#000000", "#0000ff", "#ff00ff"})
        CHECK_MESSAGE(svg.find(std::string("fill=\"") + colour + "\"/>\n<") != std::string::npos,
                      colour);
    CHECK(svg.find(">-1<") != std::string::npos);
}

TEST_CASE("colours come from the lists of the program") {
    const auto assets = assetsFolder();
    REQUIRE(assets);
    const auto inferno = readPalette(*assets, "inferno");
    REQUIRE(inferno);
    CHECK(inferno->size() == 256);
    CHECK((*inferno)[1] == Rgb{1, 0, 5});
    CHECK(readPalette(*assets, "none").error().kind == Error::Kind::notFound);
}
