// Which values are too close for a threshold of C4.5 between them.
#pragma once

#include "core/standard.hpp"

namespace retree {

// Whether two ascending values are.
inline bool is_near(double value, double following) { return !(value + 1e-5 < following); }

// Counts for each of some ascending values those that follow and are near, up to `most`.
void count_near(std::span<const double> values, uint64_t most, std::span<uint64_t> n_near);

}  // namespace retree
