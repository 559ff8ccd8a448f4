// What a test of C4.5 makes of the rows of a node.
#pragma once

#include "c45/split.hpp"

namespace retree::c45 {

using Columns = std::shared_ptr<const WeightedColumns>;

struct Branches {
    // `branch` has the branch of each row of the node, -1 where the tested value is missing.
    Branches(const WeightedColumns &columns, const Node &node, std::span<const int32_t> branch,
             int64_t n);

    std::vector<double> counts;   // (n_branches, n_classes), rows without a value divided
    std::vector<double> share;    // part of a row without a value that each branch gets
    std::vector<int64_t> n_rows;  // rows with a value

    bool is_divided() const {
        return std::any_of(share.begin(), share.end(), [](double part) { return part != 0.0; });
    }
};

// Returns columns of their own for branch b, with a share of each row without a value. `number` is
// scratch of the rows' new numbers.
Columns copied_branch(const WeightedColumns &columns, const Node &node,
                      std::span<const int32_t> branch, int32_t b, double share,
                      std::span<int32_t> number);

}  // namespace retree::c45
