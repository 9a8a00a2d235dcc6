#include "core/session/figure.h"

#include <fmt/format.h>
#include <png.h>

#include <charconv>
#include <fstream>

namespace headloom {

namespace {

/// A field of RFC 4180.
std::string csvField(const std::string& text) {
    if (text.find_first_of("\",\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string figureAsCsv(const Figure& figure) {
    std::string text = "panel,row,column,from,to,value\r\n";
    for (const FigurePanel& panel : figure.panels)
        for (int row = 0; row < figure.rows(); ++row)
            for (int column = 0; column < figure.columns(); ++column) {
                if (figure.causal && column > row) continue;
                const auto at = static_cast<std::size_t>(row * figure.columns() + column);
                text += fmt::format("{},{},{},{},{},{}\r\n", csvField(panel.title), row, column,
                                    csvField(figure.rowLabels[std::size_t(row)]),
                                    csvField(figure.columnLabels[std::size_t(column)]),
                                    panel.values[at]);
            }
    return text;
}

Result<std::vector<Rgb>> readPalette(const std::filesystem::path& assets, const std::string& name) {
    const std::filesystem::path path = assets / "palettes" / (name + ".txt");
    std::ifstream in(path);
    if (!in)
        return fail(Error::Kind::notFound, path.string(), "there is no such list of colours",
                    "use inferno, cividis, prgn-light or prgn-dark");
    std::vector<Rgb> colours;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.front() == '#') continue;
        unsigned value = 0;
        const auto [end, failed] =
            std::from_chars(line.data(), line.data() + line.size(), value, 16);
        if (failed != std::errc() || end != line.data() + 6)
            return fail(Error::Kind::badFile, path.string(), "\"" + line + "\" is no colour",
                        "write one rrggbb a line");
        colours.push_back(
            {std::uint8_t(value >> 16), std::uint8_t(value >> 8), std::uint8_t(value)});
    }
    if (colours.size() < 2)
        return fail(Error::Kind::badFile, path.string(), "fewer than two colours make no scale",
                    "write one rrggbb a line");
    return colours;
}

Result<std::string> pngOf(const std::vector<Rgb>& pixels, int width, int height) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t bytes = 0;
    std::string written;
    const auto write = [&](void* to) {
        return png_image_write_to_memory(&image, to, &bytes, 0, pixels.data(), 0, nullptr);
    };
    if (write(nullptr)) written.resize(bytes);
    if (written.empty() || !write(written.data()))
        return fail(Error::Kind::unsupported, "picture", image.message, "choose fewer cells");
    written.resize(bytes);
    return written;
}

}  // namespace headloom
