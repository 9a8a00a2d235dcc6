#pragma once

#include "core/session/many_prompts.h"

#include <string>

namespace headloom {

/// "table,part,layer,head,query_pseudo,key_pseudo,measure,mean,sd,n,min,max": a line a number that
/// is averaged, all digits; what there is none of is empty.
std::string averagesAsCsv(const ManyAverages& averages);

}  // namespace headloom
