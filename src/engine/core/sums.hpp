// Sums in an order that is written here, not the one that a compiler or a processor likes best.
#pragma once

#include "core/standard.hpp"

namespace retree {

// The sum by halves, which rounds less than one after the other: up to 128 numbers are added up
// in 8 lanes, less than 8 one after the other.
double sum_by_halves(std::span<const double> values);

}  // namespace retree
