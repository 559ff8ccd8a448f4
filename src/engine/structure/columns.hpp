// Training rows laid out for growing: many-valued columns presorted, two-valued columns as bits.
#pragma once

#include "core/exact_weights.hpp"
#include "core/partition.hpp"
#include "structure/table.hpp"

namespace retree::structure {

// A *wide* column has more than two values, a *pair* column exactly two; constant ones are left
// out. Splits number the wide columns first, then the pair columns.
struct Columns {
    Columns(Matrix<const double> X, std::span<const int32_t> labels, ExactWeights weights,
            int64_t classes, bool distances);

    int64_t n_rows() const { return std::ssize(y); }
    int64_t n_wide() const { return std::ssize(wide); }
    int64_t n_pair() const { return std::ssize(pair); }
    int64_t n_columns() const { return n_wide() + n_pair(); }

    int64_t feature(int64_t column) const {
        return column < n_wide() ? wide[static_cast<size_t>(column)]
                                 : pair[static_cast<size_t>(column - n_wide())];
    }
    // The pair columns in which a row has the larger value. Sums over rows then cost a step for
    // each of these: in one-hot data they are few.
    std::span<const int32_t> set_of(int32_t row) const {
        return {set_pairs.data() + set_start[row], set_pairs.data() + set_start[row + 1]};
    }

    std::span<const int32_t> y;  // class codes
    ExactWeights weight;
    int64_t n_classes;
    Packing packing;
    std::vector<int32_t> wide;  // feature of each wide column, ascending
    std::vector<int32_t> pair;  // feature of each pair column, ascending
    Table<uint8_t> bits;        // (n_rows, n_pair) 1 where a pair column has its larger value
    std::vector<int64_t> set_start;
    std::vector<int32_t> set_pairs;
    Table<double> scaled;  // (n_rows, n_wide) in [0, 1]; no rows if distances are not needed

private:
    void sort_out(Matrix<const double> X);
    void fill_bits(Matrix<const double> X);
    void fill_scaled(Matrix<const double> X);
};

// The rows of all nodes, each node a segment: sorted by each wide column, and in any order.
struct Order {
    Order(const Columns &columns, Matrix<const double> X, Poll &poll);
    // A copy of a segment.
    Order(const Order &other, int64_t start, int64_t end);

    Table<uint64_t> entries;  // (n_wide, length)
    std::vector<int32_t> rows;
};

// A segment of an order. `poll` is asked once for each column, since large nodes take long.
struct Node {
    const Columns &columns;
    const Order &order;
    Poll &poll;
    int64_t start;
    int64_t end;

    int64_t size() const { return end - start; }
    std::span<const int32_t> rows() const {
        return {order.rows.data() + start, static_cast<size_t>(size())};
    }
    std::span<const uint64_t> entries(int64_t column) const {
        return order.entries.row(column).subspan(static_cast<size_t>(start),
                                                 static_cast<size_t>(size()));
    }
};

// The rows of a node in the order of a wide or pair column.
void rows_by_column(const Node &node, int64_t column, std::vector<int32_t> &rows);

}  // namespace retree::structure
