// Information gain and gain ratio of C4.5's tests (Quinlan 1993, with J48's tolerances).
#pragma once

#include "core/criteria.hpp"
#include "core/weighted_columns.hpp"

namespace retree::c45 {

// Returns x * log2(x), 0 where x is no more than rounding.
inline double xlog2x(double x) { return x >= TOLERANCE ? x * log2_of(x) : 0.0; }

double sum_xlog2x(std::span<const double> weights);

// Returns the least weight of either side of a numeric test.
double smallest_side(double known, int64_t n_classes, double min_cases);

// Returns `gain` over the split information. `terms` is the sum of xlog2x over the weights of the
// branches; the rows that are `missing` a value count as one more.
double gain_ratio(double gain, double terms, double missing, double total);

// Returns the gain of a partition with class weights `counts` and weights `sides`; `known` is
// memory for their class weights.
double gain_of_levels(Matrix<const double> counts, std::span<const double> sides, double total,
                      std::span<double> known);

// The rows of a node that have a value in a numeric column.
struct KnownRows {
    std::span<const uint64_t> segment;  // sorted
    int64_t column;
    std::span<const double> counts;  // class weights
    double least;                    // least weight of each side
    double total;                    // weight of the node, rows without a value included
};

// A numeric test.
struct Cut {
    double gain = 0.0;      // bits per unit of the node's weight, 0 if there is no test
    int64_t position = -1;  // last entry of the segment on the left side, -1 if there is none
    int64_t n_tries = 0;    // thresholds that leave enough weight on both sides
    double n_left = 0.0;    // weight of the left side
};

// Weights of a class on both sides of a cut, and the sum of their x * log2(x).
template <class Number>
struct Sides {
    Number left, right;
    double terms;
};

// Finds the numeric test of greatest gain.
class Scanner {
public:
    explicit Scanner(const WeightedColumns &columns);

    // `columns` are those that the scanner was made for, or a part of their rows.
    Cut best_cut(const WeightedColumns &columns, const KnownRows &known);

private:
    bool is_unit_;
    // x * log2(x) of 0, 1, ..., empty unless all weights are whole; copies share it.
    std::shared_ptr<const std::vector<double>> table_;
    std::vector<Sides<int64_t>> whole_;
    std::vector<Sides<double>> fractional_;
};

}  // namespace retree::c45
