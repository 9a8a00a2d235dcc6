#include "core/theory/errata.h"

#include "core/theory/containment.h"
#include "core/theory/cpm3_task.h"
#include "core/theory/paper_results.h"
#include "core/theory/witness.h"

#include <fmt/format.h>

#include <numeric>

namespace headloom {

namespace {

Result<Erratum> witnessErratum(DType type, Backend& backend) {
    const std::vector<double> places{0.5, 1, 2, 4};
    const auto run = runWitness(places, 1, type, backend);
    if (!run) return tl::unexpected(run.error());
    Erratum erratum{"witness",
                    "The witness that IHA is more than MHA",
                    "alphaV = (+1, +1), which gives v: linear in the token, as MHA is",
                    "alphaV = (+1, -1), which gives v tanh(s)",
                    "the output for v = 1 as the score s grows",
                    {"printed", "corrected", "MHA"},
                    {}};
    for (std::size_t i = 0; i < places.size(); ++i)
        erratum.rows.push_back(
            {fmt::format("s = {}", places[i]), {run->printed[i], run->corrected[i], run->mha[i]}});
    return erratum;
}

/// Ordered pairs that count for some token although they do not the other way round.
int pairsThatOrderMatters(const Cpm3Task& task) {
    int count = 0;
    for (const int x : task.sequence)
        for (const int first : task.sequence)
            for (const int second : task.sequence)
                count += (x + task.g * first + second) % task.m == 0 &&
                         (x + task.g * second + first) % task.m != 0;
    return count;
}

Erratum orderErratum() {
    constexpr int m = 4;
    Erratum erratum{"order",
                    "When CPM-3 is order-sensitive",
                    "G > 2 M ensures that (j1, j2) and (j2, j1) are told apart",
                    "G mod M must not be 1; how large G is does not matter",
                    "the sequence 0, 1, 2, 3 with M = 4: triples that count one way round only",
                    {"2 M", "G mod M", "one way only"},
                    {}};
    for (const int g : {2, 5, 9, 10, 13}) {
        Cpm3Task task{std::vector<int>(m), g, m};
        std::iota(task.sequence.begin(), task.sequence.end(), 0);
        erratum.rows.push_back({fmt::format("G = {}", g),
                                {2.0 * m, static_cast<double>(g % m),
                                 static_cast<double>(pairsThatOrderMatters(task))}});
    }
    return erratum;
}

Result<Erratum> identityErratum(DType type, Backend& backend) {
    Erratum erratum{
        "identity",
        "Identity mixing as a start that equals MHA",
        "nothing: the paper states no start. What is often said is that identity mixing is MHA",
        "not with the paper's own flat mask and virtual positions, whatever R selects",
        "largest difference from MHA beside its largest output, P = 2, softmax",
        {"R selects 0", "R selects 1"},
        {}};
    ContainmentCase asked;
    asked.nPseudo = 2;
    for (ContainmentCase row : containmentRows(asked)) {
        Erratum::Row shown{
            fmt::format("mask {}, positions {}", nameOf(row.mask), nameOf(row.positions)), {}};
        for (row.selected = 0; row.selected < row.nPseudo; ++row.selected) {
            const auto run = runContainment(row, type, backend);
            if (!run) return tl::unexpected(run.error());
            shown.values.push_back(run->difference);
        }
        erratum.rows.push_back(std::move(shown));
    }
    return erratum;
}

Erratum retrievalErratum() {
    Erratum erratum{"retrieval",
                    "How far ahead in long contexts",
                    "the abstract: 10 to 20 % on multi-key retrieval (4k to 16k)",
                    "the text: 27, 32 and 112 % against global MHA; the baselines behind each are "
                    "not spelled out, so both should be quoted",
                    "IHA's RULER average over each baseline's, in % more: which baseline is meant "
                    "changes the number threefold",
                    {"% more"},
                    {}};
    const PaperTable& ruler = paperTables()[1];
    for (std::size_t i = 1; i < ruler.rows.size(); ++i)
        erratum.rows.push_back({"against " + ruler.rows[i].name,
                                {100 * (ruler.rows[0].values[0] / ruler.rows[i].values[0] - 1)}});
    return erratum;
}

}  // namespace

Result<std::vector<Erratum>> runErrata(DType type, Backend& backend) {
    auto witness = witnessErratum(type, backend);
    if (!witness) return tl::unexpected(witness.error());
    auto identity = identityErratum(type, backend);
    if (!identity) return tl::unexpected(identity.error());
    return std::vector<Erratum>{std::move(*witness), orderErratum(), std::move(*identity),
                                retrievalErratum()};
}

}  // namespace headloom
