// Weka's RandomTree: at each node the best of some features that are drawn.
#pragma once

#include "weka/rep_columns.hpp"
#include "weka/rep_grow.hpp"

namespace retree::weka {

using RandomRule = retree_random_tree_rule;

// Grows a tree of each row of `drawn`, rows which may repeat, with its seed. Their nodes stand one
// tree after the other; a parent is numbered in its tree.
Records grow_random(const AllRows &all, Matrix<const int32_t> drawn, std::span<const int64_t> seeds,
                    const RandomRule &rule, const Terms &terms);

}  // namespace retree::weka
