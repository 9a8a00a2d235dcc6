#include "core/theory/cost_formula.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdlib>

namespace headloom {

namespace {

std::string powerOf(const std::string& base, int power) {
    return power == 1 ? base : fmt::format("{}^{}", base, power);
}
std::string nameOf(const CostFactor& factor) {
    return powerOf(factor.name, factor.power);
}
std::string numberOf(const CostFactor& factor) {
    return powerOf(fmt::format("{}", factor.value), factor.power);
}

}  // namespace

CostFormula& CostFormula::add(std::int64_t coefficient, std::vector<CostFactor> factors,
                              std::int64_t divisor) {
    terms_.push_back({coefficient, std::move(factors), divisor});
    return *this;
}

std::string CostFormula::written(const char* times, std::string (*one)(const CostFactor&)) const {
    std::string text;
    for (const Term& term : terms_) {
        const bool negative = term.coefficient < 0;
        if (!text.empty())
            text += negative ? " - " : " + ";
        else if (negative)
            text += "-";
        std::string product;
        if (const std::int64_t size = std::abs(term.coefficient); size != 1 || term.factors.empty())
            product = fmt::format("{}", size);
        for (const CostFactor& factor : term.factors)
            product += (product.empty() ? "" : times) + one(factor);
        text += product;
        if (term.divisor != 1) text += fmt::format("/{}", term.divisor);
    }
    return text.empty() ? "0" : text;
}

std::string CostFormula::names() const {
    return written(" ", nameOf);
}

std::string CostFormula::numbers() const {
    return written(" x ", numberOf);
}

std::optional<std::int64_t> CostFormula::valueOf(const Term& term) {
    std::int64_t product = 1;
    const auto multiply = [&](std::int64_t by) {
        return !__builtin_mul_overflow(product, by, &product);
    };
    for (const CostFactor& factor : term.factors)
        for (int i = 0; i < factor.power; ++i)
            if (!multiply(factor.value)) return std::nullopt;
    assert(product % term.divisor == 0);
    product /= term.divisor;
    if (!multiply(term.coefficient)) return std::nullopt;
    return product;
}

std::optional<std::int64_t> CostFormula::value() const {
    std::int64_t sum = 0;
    for (const Term& term : terms_) {
        const auto product = valueOf(term);
        if (!product || __builtin_add_overflow(sum, *product, &sum)) return std::nullopt;
    }
    return sum;
}

}  // namespace headloom
