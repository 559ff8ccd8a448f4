// The nodes of a tree of C4.5 as they are grown, and what pruning leaves of them.
#pragma once

#include "c45/thresholds.hpp"
#include "core/growing.hpp"
#include "pruning/error_based.hpp"

namespace retree::c45 {

struct Records : NodeRecords {
    std::vector<int32_t> n_rows;  // of each
    std::vector<int32_t> level;   // that a binary nominal test sends left, else -1
    std::vector<double> counts;   // (n_nodes, n_classes)
    std::vector<double> weight;   // (n_nodes, 2) of its rows, and what the test above says it sends
    std::vector<Gap> gaps;        // of ascending nodes

    std::span<double> counts_of(int64_t node) {
        const size_t n_classes = counts.size() / parent.size();
        return {counts.data() + static_cast<size_t>(node) * n_classes, n_classes};
    }
    // Adds node i of other records.
    void copy(const Records &other, int64_t i, int64_t parent_number);
    // Boosted rows may weigh next to nothing; to J48 a leaf of theirs is as one without rows.
    void empty_if_light(int64_t leaf);
};

// Returns the nodes that error-based pruning leaves, without gaps; without weights if the training
// rows are complete.
Records pruned(const Records &grown, const WeightedColumns &columns, const Sample &sample,
               bool is_complete, const retree_c45_rule &rule);

}  // namespace retree::c45
