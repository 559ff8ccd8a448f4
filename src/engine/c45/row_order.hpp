// The order in which J48 has the rows of a node.
//
// J48 sorts them in place, by one numeric feature after the other, while it looks for a test. Where
// values are missing, sums over parts of rows follow that order to the last bit.
#pragma once

#include "core/weighted_columns.hpp"
#include "core/weka_sort.hpp"

namespace retree::c45 {

// Whether any of the rows lacks a value, before an entry has moved.
bool has_missing(const WeightedColumns &columns);

class RowOrder {
public:
    // Rows are sorted if `is_j48`, and if any of them lacks a value.
    RowOrder(const WeightedColumns &columns, bool is_j48);

    bool is_kept() const { return is_kept_; }
    // Sorts the rows of a node by the numeric columns from `first` to before `last`.
    void sort(const WeightedColumns &columns, std::span<int32_t> rows, int64_t first, int64_t last);

private:
    bool is_kept_;
    std::vector<Keyed> keyed_;
};

}  // namespace retree::c45
