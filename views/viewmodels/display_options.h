#pragma once

#include <QObject>

namespace headloom {

/// How maps are shown. Changes the display only: numbers stay (semantics.md).
class DisplayOptions : public QObject {
    Q_OBJECT
  public:
    enum class Curve { linear, sqrt, log };
    Q_ENUM(Curve)
    /// How many heads a column shows: all of the model in small, those of a layer, or one.
    enum class Scope { overview, layer, head };
    Q_ENUM(Scope)
    /// What stands for a head in the overview.
    enum class Measure { map, distance, first, evidence };
    Q_ENUM(Measure)

    struct Values {
        Curve curve = Curve::sqrt;
        bool sharedScale = true;    ///< one colour scale for all maps of both columns, or one a map
        bool hideSink = false;      ///< paint the first key column as if it were not there
        bool renormalised = false;  ///< each row of a tile divided by its mass
        bool effective = false;     ///< M[g, m] instead of tiles
        bool words = false;         ///< the pieces of a word as one row, column and chip
        Scope scope = Scope::layer;
        Measure measure = Measure::map;
        bool ids = false;  ///< chips show the ids of their tokens
        friend bool operator==(const Values&, const Values&) = default;
    };

    using QObject::QObject;
    const Values& values() const { return values_; }
    void setValues(const Values& values);

  signals:
    void changed();

  private:
    Values values_;
};

}  // namespace headloom
