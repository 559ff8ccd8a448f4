// Training data of C4.5 and CART: weighted rows, numeric columns sorted once, nominal ones as
// codes.
//
// The values themselves stay in X: sorted columns cost as many bytes as X has, and thresholds are
// looked up by the row of an entry.
#pragma once

#include "core/near_values.hpp"
#include "core/numbers.hpp"
#include "core/partition.hpp"

namespace retree {

// Weighted rows: growing moves them to the segments of nodes.
struct WeightedColumns {
    Matrix<const double> X;           // (n_samples, n_features), NaN where missing
    std::span<const int32_t> y;       // (n_samples,) class codes
    std::span<const double> weight;   // (n_samples,)
    std::span<int32_t> rows;          // (n_rows,) those that count, in the order of the segments
    Matrix<uint64_t> entries;         // (n_numeric, n_rows)
    Matrix<const int32_t> codes;      // (n_nominal, n_samples) level, -1 where missing
    std::span<const int32_t> origin;  // (n_samples,) row of X, empty where it is the row itself
    std::span<const int32_t> times;   // (n rows of X,) how often a row counts, empty: once each
    std::vector<int32_t> numeric;     // (n_numeric,) feature of each, ascending
    std::vector<int32_t> nominal;     // (n_nominal,) feature of each, ascending
    std::vector<int32_t> n_levels;    // (n_nominal,)
    // (n_numeric,) whether a value has more values near it than its entry can say
    std::vector<uint8_t> has_many_near;
    int64_t n_classes;
    double total;  // weight of all training rows
    Packing packing;

    int64_t n_numeric() const { return entries.rows; }
    int64_t n_nominal() const { return codes.rows; }
    int64_t most_levels() const {
        return n_levels.empty() ? 0 : *std::max_element(n_levels.begin(), n_levels.end());
    }
    int64_t n_rows() const { return static_cast<int64_t>(rows.size()); }
    // Value that an entry stands for in numeric column j; one zero, not two.
    double value(int64_t j, uint64_t entry) const { return value_of(j, row_of(entry)); }
    double value_of(int64_t j, int32_t row) const {
        return X(origin.empty() ? row : origin[row], numeric[j]) + 0.0;
    }
    // How many rows of the training data `row` is, or is a part of.
    int64_t n_cases(int32_t row) const {
        return times.empty() ? 1 : times[origin.empty() ? row : origin[row]];
    }
    // Whether two neighbouring entries of a node, of ascending values of numeric column j, are too
    // close for a threshold of C4.5, or equal.
    bool are_near(int64_t j, uint64_t entry, uint64_t following) const {
        if (packing.is_near(entry, following)) return true;
        return packing.near(entry) == packing.many_near() &&
               is_near(value(j, entry), value(j, following));
    }
    std::span<uint64_t> segment(int64_t j, int64_t start, int64_t end) const {
        return entries.row(j).subspan(static_cast<size_t>(start), static_cast<size_t>(end - start));
    }
    std::span<int32_t> segment_rows(int64_t start, int64_t end) const {
        return rows.subspan(static_cast<size_t>(start), static_cast<size_t>(end - start));
    }
};

// The arguments of a growing function, in their order; `rows` and `entries` are moved about.
struct ColumnArguments {
    const retree_array *X, *y, *weight;
    retree_array *rows, *entries;
    const retree_array *codes, *n_levels;
    int64_t n_classes;
    double total;
    int64_t n_threads;
};

// Returns the columns after checking that growing cannot leave their bounds.
WeightedColumns columns_of(const ColumnArguments &arguments);

// Returns how many entries of a sorted segment have a value; they come first.
int64_t count_with_value(std::span<const uint64_t> segment, Packing packing);

// Returns the weight of the rows if all weights are whole and a table may be as long, otherwise -1.
int64_t whole_total(const WeightedColumns &columns);

// Returns x * log2(x) of 0, 1, ... up to that weight, or nothing.
std::vector<double> log_table(const WeightedColumns &columns);

// Returns the weights of all rows that count, which are whole.
std::vector<int32_t> whole_weights(const WeightedColumns &columns);

// Whether the rows all have weight 1.
bool has_unit_weights(const WeightedColumns &columns);

}  // namespace retree
