// Class sums by bin of a column's range, from which bounds of BNM in large nodes follow.
//
// The sums of all columns come from one pass over a node's rows in memory order. At the borders of
// the bins they say what the left rows' deviations add up to; in between it moves by no more than
// the distances of the rows that are passed.
#pragma once

#include "structure/sweep.hpp"

namespace retree::structure {

// The size of node from which bins pay.
constexpr int64_t BINNED_ROWS = 2048;

// Least value and extent of a wide column in a node, scaled; the extent is not 0.
struct ColumnRange {
    ColumnRange(const Node &node, int64_t column);

    double low;
    double extent;
};

class Bins {
public:
    explicit Bins(const Columns &columns);

    // How many columns have room: as many as stay in cache.
    int64_t n_columns() const { return n_columns_; }

    // Sums up the rows of a node by bin, in every column of `some` at once.
    void fill(const Node &node, std::span<const int64_t> some, const Geometry &geometry);
    // Prepares for a sweep through the column at a place of those that were filled.
    void measure_borders(const Geometry &geometry, int64_t place);
    // Tightens the bounds at `position` if a bin starts there; returns where the next one does.
    int64_t enter(int64_t position, const Geometry &geometry, bool squared, Sweep &sweep);

private:
    static constexpr int64_t BINS = 16;
    static constexpr int64_t SUMS_IN_CACHE = 1 << 17;
    // Rows that are added to one column after the other, so that they and its sums stay in cache.
    static constexpr size_t ROWS_AT_ONCE = 64;

    void add_block(const Columns &columns, std::span<const int32_t> rows, int64_t column,
                   ColumnRange range, int64_t place, const Geometry &geometry) noexcept;

    int64_t index(int64_t place, int64_t bin, int64_t c) const {
        return (place * BINS + bin) * n_classes_ + c;
    }

    int64_t n_classes_;
    int64_t n_columns_;
    Table<double> total_;         // sums of the rows by place, bin and class
    std::vector<int64_t> size_;   // their number
    std::vector<double> n_rows_;  // the same by weight
    std::vector<double> path_;    // sums of their distances
    // Of one column:
    int64_t place_ = 0;
    int64_t bin_ = 0;
    Table<double> sums_;          // (n_classes, n_columns)
    Table<double> norm_;          // (BINS + 1, n_classes) |A| at the borders
    std::vector<int64_t> first_;  // position of the first row of each bin
};

}  // namespace retree::structure
