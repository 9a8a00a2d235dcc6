#include "app/cli/command_theory.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/theory/errata.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace headloom::cli {

namespace {

struct ErrataOptions {
    BackendOptions backend;
    bool json = false;
};

void printJson(const std::vector<Erratum>& errata) {
    nlohmann::json root = nlohmann::json::array();
    for (const Erratum& erratum : errata) {
        nlohmann::json rows = nlohmann::json::array();
        for (const Erratum::Row& row : erratum.rows)
            rows.push_back({{"label", row.label}, {"values", row.values}});
        root.push_back({{"name", erratum.name},
                        {"title", erratum.title},
                        {"printed", erratum.printed},
                        {"right", erratum.right},
                        {"computed", erratum.computed},
                        {"columns", erratum.columns},
                        {"rows", rows}});
    }
    print(jsonText(root));
}

void printText(const std::vector<Erratum>& errata) {
    for (const Erratum& erratum : errata) {
        print(erratum.title + "\n");
        print(wrapped("Printed: " + erratum.printed, 2));
        print(wrapped("Right: " + erratum.right, 2));
        print(wrapped("Computed: " + erratum.computed, 2));
        std::vector<std::string> headings{""};
        headings.insert(headings.end(), erratum.columns.begin(), erratum.columns.end());
        Table table(headings);
        for (const Erratum::Row& row : erratum.rows) {
            std::vector<std::string> cells{row.label};
            for (const double value : row.values) cells.push_back(fmt::format("{:.4g}", value));
            table.add(std::move(cells));
        }
        print(table.text() + "\n");
    }
}

Result<ExitCode> errata(const ErrataOptions& options) {
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const DType type = (*backend)->info().name == "reference" ? DType::f64 : DType::f32;
    const auto made = runErrata(type, **backend);
    if (!made) return tl::unexpected(made.error());
    (options.json ? printJson : printText)(*made);
    return exitDone;
}

}  // namespace

void addTheoryErrata(CLI::App& theory, Work& work) {
    auto options = std::make_shared<ErrataOptions>();
    options->backend.name = "reference";
    CLI::App* command =
        theory.add_subcommand("errata", "What the paper prints and does not hold, computed");
    options->backend.addTo(*command);
    command->add_flag("--json", options->json, "JSON");
    command->footer("Each with what is printed, what is right, and the numbers that show it.");
    command->callback([options, &work] { work = [options] { return errata(*options); }; });
}

}  // namespace headloom::cli
