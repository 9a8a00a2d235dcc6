#pragma once

#include "core/theory/bank_construction.h"

#include <functional>
#include <vector>

namespace headloom {

/// MHA with fewer heads than powers: the best that its maps can do, as weights that run.
struct FewHeads {
    int nHeads = 0;
    /// Share of the target's squares that no nHeads maps can give, over inputs N(0, 1): the tail of
    /// the squared singular values (Eckart and Young). 0 where the powers span no more.
    double bound = 0;
    /// Standard deviation of what is measured on so many signals around the bound.
    double deviation = 0;
    int nSignals = 0;
    double measured = 0;              ///< squared error over squares, of the fit that ran
    std::vector<double> boundByHead;  ///< of 0..k heads; entry 0 is 1
    Tensor maps;                      ///< [H, N, N] f64, the fit's maps
};

/// `powers` holds at least k. Errors: those of `validate`; heads out of 1..k; cancelled.
Result<FewHeads> fitFewHeads(const BankSize& size, const GraphPowers& powers, int nHeads,
                             DType type, Backend& backend,
                             const std::function<bool()>& cancelled = {});

}  // namespace headloom
