#pragma once

// fmt::join is in this header of the library; here it is in the other one.
#include <fmt/format.h>
