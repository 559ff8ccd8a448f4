// The columns that a REPTree grows on: those of some rows, which may repeat.
#pragma once

#include "core/own_columns.hpp"

namespace retree::weka {

// All rows of the training data, as the caller has sorted them.
struct AllRows {
    WeightedColumns columns;  // without rows
    Matrix<uint64_t> entries;
    bool is_complete = true;  // no value is missing
};

// Returns columns of the rows, a repeated one once with its whole weight. Where all sums are exact
// this gives what the rows one by one give. `in_place`: the entries that stay take the place of
// all.
Columns counted_rows(const AllRows &all, std::span<const int32_t> rows, bool in_place);

// Returns columns of the rows one by one, numeric ones in the order in which Weka sorts them.
Columns listed_rows(const AllRows &all, std::span<const int32_t> rows);

}  // namespace retree::weka
