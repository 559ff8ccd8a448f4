// The penalty of BNM: how far the classes are from the threshold (structure_purity, eq. 7).
#pragma once

#include "structure/rule.hpp"

namespace retree::structure {

// `left` and `right`: distance to the threshold of the nearest row of each class in each child,
// infinity where the class is not there.
double penalty_of(int64_t kind, std::span<const double> left, std::span<const double> right);

}  // namespace retree::structure
