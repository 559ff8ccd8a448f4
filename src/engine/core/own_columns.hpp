// Columns with memory of their own, for rows that have another weight in them or occur twice.
#pragma once

#include "core/weighted_columns.hpp"

namespace retree {

using Columns = std::shared_ptr<const WeightedColumns>;

// The rows are numbered anew.
struct OwnColumns {
    std::vector<uint64_t> entries;
    std::vector<int32_t> rows, y, codes, origin;
    std::vector<double> weight;
    WeightedColumns view;

    // Lets `view`, a copy of other columns, see what is here.
    void see();
};

// Returns columns of their own for branch b of the rows from `start` to before `end`, with a share
// of each row without a value. `branch` has the branch of each row, -1 where the tested value is
// missing; `number` is scratch of the rows' new numbers.
Columns copied_branch(const WeightedColumns &columns, int64_t start, int64_t end,
                      std::span<const int32_t> branch, int32_t b, double share,
                      std::span<int32_t> number);

}  // namespace retree
