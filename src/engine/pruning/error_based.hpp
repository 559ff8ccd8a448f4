// Error-based pruning with subtree raising.
#pragma once

#include "pruning/segments.hpp"

namespace retree {

struct ErrorBased {
    double confidence;
    bool subtree_raising;
    std::span<const int32_t> sorted;  // features that J48 has sorted the rows of a node by
    // The rows in the order of the leaves, and how many each node has; nothing if not known.
    std::span<const int32_t> placed, n_rows;
    bool is_complete;   // whether no value of the rows is missing
    int64_t n_threads;  // which share the rows of wide nodes
};

// The nodes that are left, depth first.
struct Pruned {
    std::vector<int32_t> kept, test;      // its number, and that of the node whose test it has
    std::vector<double> counts, weights;  // (n_kept, n_classes), (n_kept, 2) or nothing
};

Pruned prune_error_based(const Sample &sample, Draft &draft, const ErrorBased &how);

}  // namespace retree
