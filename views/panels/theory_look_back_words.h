#pragma once

#include "views/panels/theory_offset_bars.h"
#include "views/viewmodels/theory_look_back_model.h"

namespace headloom {

/// The profile of a map as bars: its own token, 1 back up to as far as the task looks, further.
OffsetBarsContent offsetBars(const LookBackMap& map, int reach, bool isMix);

/// "carries 3 back: 60 %", "blend, 3 back: 39 %", "dead".
QString offsetVerdict(const OffsetProfile& profile);
/// Parameters, and below them accuracy and rows exact.
QString lookBackFacts(const LookBackColumn& column);
/// "2 maps mix to 1.41 of 4 jobs".
QString mixWords(const LookBackColumn& column);
/// Offset by offset, and what a mix is.
QString mixTip(const LookBackColumn& column);
/// What the page claims, and what it does not.
QString lookBackClaim(const LookBackArms& arms);

}  // namespace headloom
