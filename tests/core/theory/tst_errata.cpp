#include "core/backend/backend.h"
#include "core/theory/errata.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

TEST_CASE("every erratum is shown by its numbers") {
    const auto backend = makeBackend("reference", 1).value();
    const std::vector<Erratum> errata = runErrata(DType::f64, *backend).value();
    REQUIRE(errata.size() == 4);
    for (const Erratum& erratum : errata) {
        CAPTURE(erratum.name);
        REQUIRE(!erratum.rows.empty());
        for (const Erratum::Row& row : erratum.rows)
            CHECK(row.values.size() == erratum.columns.size());
    }
    // float64: some roundings of 1e-16
    const auto& witness = errata[0].rows[1].values;  // s = 1
    CHECK(witness[0] == doctest::Approx(1).epsilon(1e-13));
    CHECK(witness[1] == doctest::Approx(std::tanh(1.0)).epsilon(1e-13));
    // G = 9 is more than 2 M = 8, and 1 mod 4; G = 2 is neither
    for (const Erratum::Row& row : errata[1].rows)
        CHECK((row.values[2] == 0) == (row.values[1] == 1));
    for (const Erratum::Row& row : errata[2].rows) {
        CAPTURE(row.label);
        const bool isVirtual = row.label.find("virtual") != row.label.npos,
                   flat = row.label.find("flat") != row.label.npos;
        CHECK((row.values[0] > 1e-3) == (isVirtual || flat));
        CHECK((row.values[1] > 1e-3) == isVirtual);
    }
    CHECK(errata[3].rows[2].values[0] == doctest::Approx(100 * (44.0 / 35.0 - 1)));
}
