#include "core/session/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

// Units are pixels of the SVG at 100 %.
constexpr double textSize = 12, titleSize = 15, gap = 26, edge = 16;

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                // XML has no way to write most control characters
                if (static_cast<unsigned char>(c) >= 0x20) safe += c;
        }
    return safe;
}

std::string base64(const std::string& bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8 | (i < have ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= have ? digits[group >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

std::string hex(const Rgb& colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

/// Characters as a reader counts them, near enough to leave room for.
std::size_t longest(const std::vector<std::string>& labels) {
    std::size_t most = 0;
    for (const std::string& label : labels)
        most = std::max(
            most, static_cast<std::size_t>(std::count_if(label.begin(), label.end(), [](char c) {
                return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
            })));
    return most;
}

class SvgFigure {
  public:
    explicit SvgFigure(const Figure& figure) : figure_(figure) {
        const int cells = std::max({figure.rows(), figure.columns(), 1});
        const double side = figure.panels.size() == 1 ? 420 : 170;
        cell_ = std::clamp(side / cells, 1.0, 26.0);
        width_ = cell_ * figure.columns();
        height_ = cell_ * figure.rows();
        label_ = std::clamp(cell_ * 0.95, 6.5, 9.0);
        labelWidth_ = label_ * 0.62 * double(longest(figure.rowLabels)) + 8;
        labelHeight_ = label_ * 0.62 * double(longest(figure.columnLabels)) + 8;
    }

    std::string text() {
        const int across = std::max(1, figure_.across);
        const int down = (static_cast<int>(figure_.panels.size()) + across - 1) / across;
        const double left = edge + labelWidth_ + 18, top = edge + titleSize + gap;
        const double right = left + across * (width_ + gap);
        const double bottom = top + down * (height_ + gap) - gap + labelHeight_ + 20;
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            const int column = static_cast<int>(i) % across, row = static_cast<int>(i) / across;
            panel(figure_.panels[i], left + column * (width_ + gap), top + row * (height_ + gap),
                  column == 0, row == down - 1);
        }
        colourBar(right, top, std::max(height_, 80.0));
        words(edge, edge + titleSize, titleSize, "start", figure_.title, "font-weight=\"600\"");
        words(left + (right - gap - left) / 2, bottom - 4, textSize, "middle", figure_.columnAxis);
        turned(edge + 8, top + (down * (height_ + gap) - gap) / 2, figure_.rowAxis);
        double line = bottom + 18;
        double widest = right + 90;
        for (const std::string& each : figure_.provenance) {
            words(edge, line, 10, "start", each, "fill=\"#555\"");
            widest = std::max(widest, edge * 2 + 5.6 * double(longest({each})));
            line += 14;
        }
        return fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Inter, DejaVu Sans, sans-serif\">\n"
            "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{3}</svg>\n",
            widest, line, escaped(figure_.title), body_);
    }

  private:
    void words(double x, double y, double size, const char* anchor, const std::string& text,
               const char* more = "") {
        body_ += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\" {}>{}</text>\n", x,
            y, size, anchor, more, escaped(text));
    }
    void turned(double x, double y, const std::string& text, double size = textSize,
                const char* anchor = "middle") {
        body_ += fmt::format(
            "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
            "font-size=\"{}\" text-anchor=\"{}\">{}</text>\n",
            x, y, size, anchor, escaped(text));
    }

    Rgb colour(float value) const {
        const double share = figure_.isSigned ? (double(value) / figure_.maximum + 1) / 2
                                              : double(value) / figure_.maximum;
        if (std::isnan(share)) return {255, 0, 255};
        const double at = std::clamp(share, 0.0, 1.0) * double(figure_.palette.size() - 1);
        const auto low = static_cast<std::size_t>(at);
        const std::size_t high = std::min(low + 1, figure_.palette.size() - 1);
        Rgb mixed{};
        for (std::size_t c = 0; c < 3; ++c)
            mixed[c] = static_cast<std::uint8_t>(std::lround(
                figure_.palette[low][c] +
                (at - double(low)) * (figure_.palette[high][c] - figure_.palette[low][c])));
        return mixed;
    }

    bool hidden(int row, int column) const { return figure_.causal && column > row; }
    float value(const FigurePanel& panel, int row, int column) const {
        return panel.values[static_cast<std::size_t>(row * figure_.columns() + column)];
    }

    void panel(const FigurePanel& panel, double x, double y, bool first, bool last) {
        words(x, y - 6, textSize, "start", panel.title);
        body_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill=\"#eceff3\" stroke=\"#888\" stroke-width=\"0.5\"/>\n",
            x, y, width_, height_);
        const auto cells = figure_.panels.size() * panel.values.size();
        if (cells > mostVectorCells)
            image(panel, x, y);
        else
            vectors(panel, x, y);
        if (first) labels(figure_.rowLabels, x, y, false);
        if (last) labels(figure_.columnLabels, x, y, true);
    }

    void vectors(const FigurePanel& panel, double x, double y) {
        body_ += "<g shape-rendering=\"crispEdges\">\n";
        for (int row = 0; row < figure_.rows(); ++row)
            for (int column = 0; column < figure_.columns(); ++column)
                if (!hidden(row, column))
                    body_ += fmt::format(
                        "<rect class=\"cell\" x=\"{:.2f}\" y=\"{:.2f}\" "
                        "width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                        x + column * cell_, y + row * cell_, cell_, cell_,
                        hex(colour(value(panel, row, column))));
        body_ += "</g>\n";
    }

    void image(const FigurePanel& panel, double x, double y) {
        std::vector<Rgb> pixels;
        pixels.reserve(panel.values.size());
        for (int row = 0; row < figure_.rows(); ++row)
            for (int column = 0; column < figure_.columns(); ++column)
                pixels.push_back(hidden(row, column) ? Rgb{0xec, 0xef, 0xf3}
                                                     : colour(value(panel, row, column)));
        const auto png = pngOf(pixels, figure_.columns(), figure_.rows());
        if (!png) return;  // sizes were checked; memory is all that can fail
        body_ += fmt::format(
            "<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "style=\"image-rendering:pixelated\" preserveAspectRatio=\"none\" "
            "href=\"data:image/png;base64,{}\"/>\n",
            x, y, width_, height_, base64(*png));
    }

    /// Every label, or every few where they would lie on one another.
    void labels(const std::vector<std::string>& texts, double x, double y, bool below) {
        const int every = std::max(1, static_cast<int>(std::ceil(label_ / cell_)));
        for (int i = 0; i < static_cast<int>(texts.size()); i += every) {
            const double middle = (i + 0.5) * cell_ + label_ * 0.35;
            if (below)
                turned(x + middle, y + height_ + 4, texts[std::size_t(i)], label_, "end");
            else
                words(x - 4, y + middle, label_, "end", texts[std::size_t(i)]);
        }
    }

    void colourBar(double x, double y, double height) {
        constexpr int steps = 64;
        const double low = figure_.isSigned ? -figure_.maximum : 0;
        body_ += "<g shape-rendering=\"crispEdges\">\n";
        for (int step = 0; step < steps; ++step) {
            const double share = 1 - (step + 0.5) / steps;
            const auto value = static_cast<float>(low + share * (figure_.maximum - low));
            body_ += fmt::format(
                "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"12\" height=\"{:.2f}\" "
                "fill=\"{}\"/>\n",
                x, y + step * height / steps, height / steps + 0.5, hex(colour(value)));
        }
        body_ += "</g>\n";
        words(x + 16, y + 8, 10, "start", fmt::format("{:.3g}", figure_.maximum));
        words(x + 16, y + height, 10, "start", fmt::format("{:.3g}", low));
        turned(x + 26, y + height / 2, figure_.quantity, 10);
    }

    const Figure& figure_;
    double cell_ = 1, label_ = 9, width_ = 0, height_ = 0, labelWidth_ = 0, labelHeight_ = 0;
    std::string body_;
};

}  // namespace

std::string figureAsSvg(const Figure& figure) {
    return SvgFigure(figure).text();
}

}  // namespace headloom
