#include "app/cli/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace headloom::cli {

namespace {

std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}  // namespace

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string jsonText(const nlohmann::json& value) {
    return value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string wrapped(const std::string& text, std::size_t indent) {
    constexpr std::size_t most = 96;
    std::string lines;
    std::size_t used = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (used > 0 && used + 1 + widthOf(word) > most) {
            lines += "\n" + std::string(indent, ' ');
            used = indent;
        } else if (used > 0) {
            lines += " ";
            ++used;
        }
        lines += word;
        used += widthOf(word);
    }
    return lines + "\n";
}

Table::Table(std::vector<std::string> headings) : rows_{std::move(headings)} {}

void Table::add(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - widthOf(row[i]), ' ');
            const bool last = i + 1 == widths.size();
            line += (i > 0 ? "  " : "") + (last ? row[i] : padding + row[i]);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace headloom::cli
