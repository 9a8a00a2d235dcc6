#pragma once

#include "core/theory/cost.h"

#include <QObject>
#include <QStringList>

#include <vector>

namespace headloom {

/// "Cost" as it is asked for on the Theory page. Everything is worked out at once: a few hundred
/// products.
class TheoryCostModel : public QObject {
    Q_OBJECT
  public:
    explicit TheoryCostModel(QObject* parent = nullptr);

    const CostSizes& sizes() const { return sizes_; }
    void setSizes(const CostSizes& sizes);
    /// The sizes that the command line begins with, then those of costPresets.
    static QStringList presetNames();
    /// Sets all sizes; P becomes unknown where it is not published.
    void choosePreset(int index);
    /// The preset with these sizes, whatever P stands in for one that is not published; -1: none.
    int preset() const;

    /// Which size cannot be had, and what to do; empty: none.
    const QString& problem() const { return problem_; }
    /// Empty where there is a problem.
    const std::vector<CostArm>& arms() const { return arms_; }
    /// Whose curves and formulas are read.
    CostQuantity quantity() const { return quantity_; }
    void setQuantity(CostQuantity quantity);
    /// On through the quantities, or back; stays at the ends.
    void step(int by);

    /// One arm over N, all other sizes staying as they are: powers of two, and the user's own N.
    struct Curve {
        QString title;
        std::vector<std::pair<std::int64_t, std::int64_t>> points;  ///< N, and the number
    };
    /// Of the chosen quantity, in the order of the arms, up to the N at which 64 bits end.
    std::vector<Curve> curves() const;

  signals:
    void changed();

  private:
    void work();

    CostSizes sizes_;
    QString problem_;
    std::vector<CostArm> arms_;
    CostQuantity quantity_ = CostQuantity::scoreEntries;
};

}  // namespace headloom
