// The order in which Weka leaves instances that it sorts: its quicksort is not stable.
#pragma once

#include "core/standard.hpp"

namespace retree {

struct Keyed {
    double value;  // NaN where missing
    int32_t item;
};

// Sorts as ``Instances.sort`` of Weka 3.6.14 and 3.9: by value, what is missing in the end, and
// equal values as the median of three, swapped as there, leaves them.
void weka_sort(std::span<Keyed> items);

}  // namespace retree
