// The rows of a pruning set in the nodes of the trees of a forest.
#pragma once

#include "core/tests.hpp"

namespace retree::forests {

// Fields of `retree.forests.row_assignment.ForestRows`: entries stand in the order of the leaves,
// nodes depth first, so those of node v and of all below it are from start[v] to start[stop[v]].
struct ForestRows {
    static constexpr int64_t N_VIEWS = 5;

    std::span<const int64_t> first, stop, start;
    std::span<const int32_t> row;
    std::span<const double> part;

    // The rows must be fewer than `n_samples`.
    ForestRows(const retree_array *rows, int64_t n_samples);

    int64_t n_trees() const { return static_cast<int64_t>(first.size()) - 1; }
    int64_t n_nodes() const { return static_cast<int64_t>(stop.size()); }
    int64_t n_entries() const { return static_cast<int64_t>(row.size()); }
    bool is_leaf(int64_t node) const { return stop[node] == node + 1; }
    int64_t begin(int64_t node) const { return start[node]; }
    int64_t end(int64_t node) const { return start[stop[node]]; }
};

// What thinning knows and changes; fields of `retree.forests.row_assignment.Thinning`.
struct Thinning {
    const ForestRows &rows;
    Matrix<const double> value;           // class shares of the nodes
    std::span<const int64_t> y;           // class codes
    std::span<const double> tree_weight;  // what each tree counts for
    std::span<int32_t> ends;              // node in which each entry ends
    std::span<uint8_t> cut;               // nodes that have become leaves
    Matrix<double> shares;                // class shares of the forest, or their log odds

    int64_t n_classes() const { return value.columns; }

    // Lets what is below a node end in it; the forest's shares of the rows follow.
    void make_leaf(int64_t node, double weight) const;

    // Returns the nodes of a tree that are not below one that is cut.
    std::vector<int64_t> nodes_in_use(int64_t tree) const;
};

// Where the rows end in a tree; parts of `ForestRows`.
struct Placed {
    std::vector<int64_t> stop, start;
    std::vector<int32_t> row;
    std::vector<double> part;
};

// Sends rows down a tree; `columns` are the rows column by column. A row without the tested value
// goes to all branches in proportion to their weight, or without `divide` to the first of the
// heaviest.
Placed place_rows(Matrix<const double> X, Matrix<const double> columns, const Tests &tests,
                  std::span<const double> weight, bool has_missing, bool divide);

}  // namespace retree::forests
