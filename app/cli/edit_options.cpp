#include "app/cli/edit_options.h"

#include "core/session/mixing_edits.h"

#include <fmt/ranges.h>

namespace headloom::cli {

namespace {

/// The error with the option that it is about in front.
tl::unexpected<Error> of(const char* option, Error error) {
    error.where = error.where.empty() ? option : fmt::format("{} {}", option, error.where);
    return tl::unexpected(std::move(error));
}

}  // namespace

void EditOptions::addTo(CLI::App& command) {
    command
        .add_option("--weight", weights,
                    "a mixing weight and its new value, such as\n"
                    "alphaQ[1,1,0]=0.8 or L1.R[0,3]=1; as often as wanted")
        ->type_name("WEIGHT=VALUE")
        ->expected(1)
        ->take_all();
    auto* whole = command.add_option("--mixing", mixing,
                                     "all mixing weights: identity, uniform,\n"
                                     "random:SEED or trained (default)");
    auto* from = command.add_option("--mix-from", mixFrom,
                                    "a mixing to begin with (default trained), on\n"
                                    "the way to --mix-to");
    auto* to = command.add_option("--mix-to", mixTo, "a mixing to go to");
    auto* at = command.add_option("--mix-at", mixAt, "how far, from 0 to 1 (default 1)");
    for (auto* option : {whole, from, to}) option->type_name("MIXING");
    at->type_name("T");
    whole->excludes(from)->excludes(to)->excludes(at);
    from->needs(to);
    at->needs(to);
}

Result<std::shared_ptr<const Model>> EditOptions::applyTo(
    const std::shared_ptr<const Model>& model) const {
    ColumnChanges changes;
    if (mixing || mixTo) {
        const auto from = mixingPresetFrom(mixFrom.value_or("trained"));
        if (!from) return of("--mix-from", from.error());
        const auto to = mixingPresetFrom(mixing ? *mixing : *mixTo);
        if (!to) return of(mixing ? "--mixing" : "--mix-to", to.error());
        auto mixed = withMixing(*model, {}, {}, *from, *to, mixAt.value_or(1));
        if (!mixed) return of(mixing ? "--mixing" : "--mix-at", mixed.error());
        changes = std::move(*mixed);
    }
    for (const std::string& one : weights) {
        const auto assignment = mixingAssignmentFrom(one, *model);
        if (!assignment) return of("--weight", assignment.error());
        auto edited = withWeight(*model, changes, assignment->weight, assignment->value);
        if (!edited) return of("--weight", edited.error());
        changes = std::move(*edited);
    }
    return changedModel(model, changes);
}

std::string EditOptions::named(const std::string& model) const {
    std::vector<std::string> words;
    if (mixing) words.push_back("mixing " + *mixing);
    if (mixTo)
        words.push_back(fmt::format("mixing {} of the way from {} to {}", mixAt.value_or(1),
                                    mixFrom.value_or("trained"), *mixTo));
    words.insert(words.end(), weights.begin(), weights.end());
    if (words.empty()) return model;
    return fmt::format("{} with {}", model, fmt::join(words, ", "));
}

}  // namespace headloom::cli
