// Weka's RandomTree: at each node the best of some features that are drawn.
#pragma once

#include "weka/rep_columns.hpp"
#include "weka/rep_grow.hpp"

namespace retree::weka {

using RandomRule = retree_random_tree_rule;

// Grows a tree of `drawn` rows, which may repeat.
Records grow_random(const AllRows &all, std::span<const int32_t> drawn, const RandomRule &rule,
                    const Terms &terms);

}  // namespace retree::weka
