// What CART knows of a node: its sums, whether it is a leaf, and what its children must have.
//
// The sums of a classification node are its class weights. Those of a regression node are weight,
// mean, variance, and the mean of what the targets differ from that mean: 0 but for rounding.
#pragma once

#include "core/numbers.hpp"
#include "retree/cart.h"

namespace retree::cart {

constexpr int64_t N_MOMENTS = 4;

struct Rule : retree_cart_rule {
    double least_weight = 0.0;                       // of a child
    bool is_regression = false, takes_logs = false;  // as the criterion has them
};

// The training rows: classes, or targets of a regression; there are no weights if all are 1.
struct Sample {
    std::span<const int32_t> y;
    std::span<const double> target;
    std::span<const double> weight;

    double weight_of(int32_t row) const { return weight.empty() ? 1.0 : weight[row]; }
};

// The rows of a node that have a value in a column.
struct Known {
    std::vector<double> sums;  // class weights, or weight and sum of the centred targets
    double weight = 0.0;
    int64_t n_rows = 0;
    int64_t n_missing = 0;  // rows of the node without a value
    double centre = 0.0;    // what the targets of a regression are centred by
    double share = 1.0;     // part of the node's weight that has a value
    double w_missing = 0.0;
    double unit = 1.0;  // gains are compared in this unit: 1, or the node's variance

    int64_t n_classes() const { return static_cast<int64_t>(sums.size()); }
};

// Sets the `sums` of the rows of a node.
void sum_node(std::span<const int32_t> rows, const Sample &sample, const Rule &rule,
              std::span<double> sums);

inline double node_weight(std::span<const double> sums, const Rule &rule) {
    return rule.is_regression ? sums[0] : sum_of(sums);
}

// Whether a node is a leaf whatever its splits.
bool is_terminal(std::span<const double> sums, int64_t n_rows, int64_t depth, const Rule &rule);

// Sets `known` for a column in which every row of a node has a value.
void set_all_known(std::span<const double> sums, int64_t n_rows, const Rule &rule, Known &known);

// Completes `known`, whose sums are those of `n_rows` rows of the node.
void set_part_known(const Known &everything, int64_t n_rows, const Rule &rule, Known &known);

// The left child is the heavier one, too, if the weights are equal.
inline bool is_heavier(double left, double right) { return rounded(left) >= rounded(right); }

// Whether both children have the least number of rows and the least weight, missing ones included,
// and a weight that counts: sums hardly see a child of less than 2^-36 of its parent.
inline bool is_allowed(int64_t n_left, double w_left, const Known &known, const Rule &rule) {
    int64_t n_right = known.n_rows - n_left;
    double w_right = known.weight - w_left;
    const double smallest = known.weight * 0x1p-36;
    if (w_left <= smallest || w_right <= smallest) return false;
    if (known.n_missing > 0) {
        const bool goes_left = is_heavier(w_left, w_right);
        (goes_left ? n_left : n_right) += known.n_missing;
        (goes_left ? w_left : w_right) += known.w_missing;
    }
    if (std::min(n_left, n_right) < rule.min_samples_leaf) return false;
    return rule.least_weight == 0.0 ||
           rounded(std::min(w_left, w_right)) >= rounded(rule.least_weight);
}

// Gains closer than this are tied, since they may be equal but for rounding.
inline double tie_width(const Known &known) { return 0x1p-37 * known.unit / known.share; }

}  // namespace retree::cart
