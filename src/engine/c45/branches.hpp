// What a test of C4.5 makes of the rows of a node.
//
// Sums run as in J48, since boosting makes ties that their last bits decide: at a test over the
// rows with a value, as they stand when it is found, and then over those without; in a branch over
// all of its rows. Between the two J48 may have sorted the rows.
#pragma once

#include "c45/split.hpp"
#include "core/own_columns.hpp"

namespace retree::c45 {

struct Branches {
    // Sums the rows with a value. `branch` has the branch of each row of the node, -1 where the
    // tested value is missing; `by_side` says that J48 sums one side after the other.
    Branches(const WeightedColumns &columns, const Node &node, std::span<const int32_t> branch,
             int64_t n, bool by_side);
    // Takes the two sides of a threshold, where all weights are whole and no value is missing: such
    // sums are exact in any order. `left` has the entries of the first side.
    Branches(const WeightedColumns &columns, const Node &node, std::span<const uint64_t> left,
             bool has_unit_weights);
    // Sums the branches once more over all rows, as they stand now.
    void recount(const WeightedColumns &columns, const Node &node, std::span<const int32_t> branch);

    double total = 0.0;           // weight of the node
    std::vector<double> known;    // (n_classes,) class weights of the node
    std::vector<double> sent;     // (n_branches,) weight that the test sends to each branch
    std::vector<double> counts;   // (n_branches, n_classes)
    std::vector<double> weight;   // (n_branches,)
    std::vector<double> share;    // part of a row without a value that each branch gets
    std::vector<int64_t> n_rows;  // rows with a value

    bool is_divided() const { return !share.empty(); }

    bool has_missing = false;

private:
    void divide(const WeightedColumns &columns, std::span<const int32_t> rows,
                std::span<const int32_t> branch);
};

}  // namespace retree::c45
