// Where a row goes at a test of a tree, whatever the kind of the test.
#pragma once

#include "core/interface.hpp"

namespace retree {

constexpr int32_t LEAF = -1;
constexpr int32_t OBLIQUE = -2;
constexpr int32_t CENTRES = -3;

// Of `retree.trees.node_tests`.
constexpr int32_t MANHATTAN = 0;
constexpr int32_t EUCLIDEAN = 1;
constexpr int32_t SQEUCLIDEAN = 2;

constexpr int32_t MISSING = -1;

// Returns the code of a level, which must be one of so many.
inline int32_t level_of(double value, int64_t n_levels) {
    require(value >= 0.0 && value < static_cast<double>(n_levels),
            "A value of a categorical feature is not the code of one of its levels.");
    return static_cast<int32_t>(value);
}

// Returns a distance from the sums over the numeric and over the nominal columns.
inline double combine(double numeric, double nominal, double gamma, int32_t metric) {
    if (metric == EUCLIDEAN) numeric = std::sqrt(numeric);
    return gamma * numeric + (1.0 - gamma) * nominal;
}

// Fields of `retree.trees.node_tests.Centres`.
struct Centres {
    Matrix<const double> weight;
    std::span<const double> gamma;
    std::span<const int8_t> metric;
    std::span<const int32_t> first, n_centres;
    Matrix<const double> position;
    std::span<const int32_t> start;
    std::span<const uint8_t> nominal;
    std::span<const double> offset, scale;

    Centres() = default;
    Centres(std::span<const retree_array> views, int64_t n_nodes, int64_t n_features);

    double distance_to(const double *row, int32_t node, int32_t centre) const;

    // Returns the nearest of the node's centres, the first where distances tie; MISSING if every
    // value that has a weight is.
    int32_t nearest(const double *row, int32_t node) const;
};

// Where each value goes; the fields of `retree.trees.tree.Tests`.
struct Tests {
    static constexpr int64_t N_VIEWS = 19;

    std::span<const int32_t> children_ptr, children, feature;
    std::span<const double> threshold;
    std::span<const int32_t> subset;
    Matrix<const uint8_t> left_levels;  // of each subset; level k is bit k % 8 of byte k / 8
    int64_t n_levels = 0;
    Matrix<const double> normals;  // has columns for all features, but may have no rows
    // Whether the last child is for the rows that lack the value; empty: nowhere.
    std::span<const uint8_t> missing_branch;
    Centres centres;

    Tests() = default;
    explicit Tests(const retree_array *tests);

    int64_t n_nodes() const { return static_cast<int64_t>(feature.size()); }
    int64_t n_features() const { return normals.columns; }
    std::span<const int32_t> children_of(int32_t node) const {
        return children.subspan(children_ptr[node],
                                static_cast<size_t>(children_ptr[node + 1] - children_ptr[node]));
    }
    int32_t child(int32_t node, int32_t branch) const {
        return children[children_ptr[node] + branch];
    }

    bool has_missing_branch(int32_t node) const {
        return !missing_branch.empty() && missing_branch[node] != 0;
    }
    // How many children the values of a test of one feature lead to.
    int32_t n_outcomes(int32_t node) const {
        return children_ptr[node + 1] - children_ptr[node] - has_missing_branch(node);
    }

    // Returns the branch that a value takes at a test of one feature.
    int32_t branch_of(double value, int32_t node) const {
        if (std::isnan(value)) return has_missing_branch(node) ? n_outcomes(node) : MISSING;
        if (!std::isnan(threshold[node])) return value <= threshold[node] ? 0 : 1;
        if (subset[node] >= 0) return is_left(subset[node], level_of(value, n_levels)) ? 0 : 1;
        return level_of(value, n_outcomes(node));
    }

    bool is_left(int32_t row, int32_t level) const {
        return ((left_levels(row, level / 8) >> (level % 8)) & 1) != 0;
    }

    // Returns the side of a hyperplane that a row is on.
    int32_t side_of(const double *row, int32_t node) const;

    // Returns the branch that a row takes at a node that is no leaf; MISSING if the value is.
    int32_t branch_at(const double *row, int32_t node) const {
        const int32_t j = feature[node];
        if (j >= 0) return branch_of(row[j], node);
        return j == CENTRES ? centres.nearest(row, node) : side_of(row, node);
    }

    // Returns the child of greatest weight, the first of those that are equal.
    int32_t heaviest_child(int32_t node, std::span<const double> weight) const {
        const auto own = children_of(node);
        return *std::max_element(own.begin(), own.end(),
                                 [&](int32_t a, int32_t b) { return weight[a] < weight[b]; });
    }

    // Raises unless every way down the tree ends in a leaf.
    void check() const;
};

}  // namespace retree
