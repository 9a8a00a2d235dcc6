#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// A number by its name, to a power.
struct CostFactor {
    std::string name;  ///< "H", or a sum in brackets: "(N + 1)"
    std::int64_t value = 0;
    int power = 1;
};

/// A sum of products, which is written in names, written in numbers and worked out from the same
/// terms, so that the three cannot part.
class CostFormula {
  public:
    /// Adds `coefficient` x `factors` / `divisor`. The divisor divides the product of the factors.
    CostFormula& add(std::int64_t coefficient, std::vector<CostFactor> factors,
                     std::int64_t divisor = 1);

    std::string names() const;    ///< "4 L D^2 + 4 L H^2 P"; "0" without a term
    std::string numbers() const;  ///< "4 x 26 x 2560^2 + 4 x 26 x 20^2 x 4"
    /// None where it is more than 64 bits hold.
    std::optional<std::int64_t> value() const;

  private:
    struct Term {
        std::int64_t coefficient;
        std::vector<CostFactor> factors;
        std::int64_t divisor;
    };
    std::string written(const char* times, std::string (*one)(const CostFactor&)) const;
    static std::optional<std::int64_t> valueOf(const Term& term);

    std::vector<Term> terms_;
};

}  // namespace headloom
