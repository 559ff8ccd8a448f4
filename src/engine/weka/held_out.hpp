// The rows that REPTree grows on, and those that it prunes on.
#pragma once

#include "core/java_random.hpp"

namespace retree::weka {

struct HeldOut {
    std::vector<int32_t> grown;   // in Weka's order
    std::vector<int32_t> pruned;  // on which the tree is pruned, likewise
};

// Shuffles rows, deals them to stratified folds and holds out the first; all rows are grown on
// unless `holds_out`.
HeldOut hold_out(std::span<const int32_t> rows, std::span<const int32_t> y, int64_t folds,
                 int64_t seed, bool holds_out);

}  // namespace retree::weka
