// Pruning a REPTree on the rows that were held out, which then count in its leaves.
#pragma once

#include "weka/rep_grow.hpp"

namespace retree::weka {

// Sends `rows` of X down the tree, makes leaves of the nodes where that does not raise the errors,
// and adds the rows to the class weights of all nodes.
void prune(Records &records, const WeightedColumns &all, std::span<const int32_t> rows);

// Takes the nodes out that are below a leaf.
void drop_cut_nodes(Records &records);

}  // namespace retree::weka
