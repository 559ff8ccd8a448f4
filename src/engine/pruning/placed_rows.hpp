// The training rows of each leaf of a tree that is pruned, where no sum depends on their order.
#pragma once

#include "core/team.hpp"
#include "pruning/draft.hpp"
#include "pruning/errors.hpp"
#include "pruning/segments.hpp"

namespace retree {

// Rows stand in the order of their leaves, so that those of any node are neighbours. To raise a
// branch, only the rows of the other branches need to go down again.
class PlacedRows {
public:
    // `placed`: the rows in the order of the leaves, `n_rows`: how many each node has; both may be
    // empty.
    PlacedRows(const Sample &sample, const Draft &draft, Confidence &confidence,
               std::span<const int32_t> placed, std::span<const int32_t> n_rows, int64_t n_threads);

    // Returns the estimated errors of the leaves below `top` if they got all rows of `node`; a part
    // of them that is above `limit` will do. The children of `node` must have been asked before,
    // and it again after a change below it.
    double errors_if_raised(int32_t node, int32_t top, double limit);
    // Makes a node a leaf, or puts a child in its place, which gets all rows.
    void cut(int32_t node) {
        descent_.cut(node);
        set_bound(node);
    }
    void raise(int32_t node, int32_t top);
    // Class weights of the rows of a node.
    std::span<double> counts_of(int32_t node) {
        return std::span(counts_).subspan(node * draft_.n_classes, draft_.n_classes);
    }

private:
    struct Range {
        int64_t start, end;
    };

    void take(std::span<const int32_t> n_rows);
    void place(int32_t node);
    void find_leaves(int64_t start, int64_t end, int32_t top);
    void group_by_leaf(int32_t node, std::span<const int32_t> below);
    void set_bound(int32_t leaf) {
        bound_[leaf] = bound_now_[leaf] = confidence_.lower_bound_of(counts_of(leaf));
    }
    // A row that is met soon after the one at a place. Without asking for its class and weight,
    // most of the time of adding rows, and of taking them away, was spent waiting for them.
    int32_t ahead(int64_t i) const {
        return row_[std::min(static_cast<size_t>(i) + ROWS_AHEAD, row_.size() - 1)];
    }
    double add(int64_t i);
    double errors_of_leaves(int32_t top, double limit);

    const Sample &sample_;
    const Draft &draft_;
    Team team_;
    Confidence &confidence_;
    DraftDescent descent_;
    std::vector<int32_t> row_, old_row_;
    std::vector<int32_t> leaf_;   // of the rows on their way
    std::vector<Range> range_;    // of each node in `row_`
    std::vector<double> counts_;  // (node_count, n_classes)
    // Lower bounds of the estimated errors below each node, whatever rows it gets, and of each leaf
    // with the rows that it has got.
    std::vector<double> bound_, bound_now_;
    std::vector<int32_t> majority_;  // of each leaf, as far as it was looked for
    std::vector<int32_t> stack_;
};

}  // namespace retree
