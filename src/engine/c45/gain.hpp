// Information gain and gain ratio of C4.5's tests (Quinlan 1993, with J48's tolerances).
#pragma once

#include "c45/fractional_scan.hpp"
#include "core/criteria.hpp"
#include "core/whole_scan.hpp"

namespace retree::c45 {

// What is looked up where all weights are whole; empty where they are not, or are too many.
struct WholeWeights {
    explicit WholeWeights(const WeightedColumns &columns);

    std::vector<int32_t> weight;  // of each row, empty if all are 1
    std::vector<double> terms;    // x * log2(x) of 0, 1, ...
};

// Logarithms, looked up where they are known; copies share the tables.
class Logs {
public:
    explicit Logs(std::shared_ptr<const WholeWeights> whole) : whole_(std::move(whole)) {}

    // Returns x * log2(x), 0 where x is no more than rounding.
    double term(double x) const {
        if (!(x >= TOLERANCE)) return 0.0;
        if (x < static_cast<double>(whole_->terms.size())) {
            const auto n = static_cast<int64_t>(x);
            if (static_cast<double>(n) == x) return whole_->terms[n];
        }
        return x * log2_of(x);
    }
    double sum(std::span<const double> weights) const {
        return std::accumulate(weights.begin(), weights.end(), 0.0,
                               [this](double total, double x) { return total + term(x); });
    }

private:
    std::shared_ptr<const WholeWeights> whole_;
};

// Returns the least weight of either side of a numeric test.
double smallest_side(double known, int64_t n_classes, double min_cases);

// Returns `gain` over the split information. `terms` is the sum of x * log2(x) over the weights of
// the branches; the rows that are `missing` a value count as one more.
double gain_ratio(double gain, double terms, double missing, double total, const Logs &logs);

// Returns the gain of a partition with class weights `counts` and weights `sides`; `known` is
// memory for their class weights.
double gain_of_levels(Matrix<const double> counts, std::span<const double> sides, double total,
                      std::span<double> known, const Logs &logs);

// Finds the numeric test of greatest gain.
class Scanner {
public:
    Scanner(const WeightedColumns &columns, std::shared_ptr<const WholeWeights> whole);

    // `columns` are those that the scanner was made for, or a part of their rows.
    Cut best_cut(const WeightedColumns &columns, const KnownRows &known);

private:
    Cut best_whole(const WeightedColumns &columns, const KnownRows &known);
    void set_gains(const WeightedColumns &columns, const KnownRows &known, int32_t first,
                   int32_t last);
    int64_t first_best(int32_t first, int32_t last, double slack) const;

    std::shared_ptr<const WholeWeights> whole_;
    WholeScan scan_;
    FractionalScan fractional_;
};

}  // namespace retree::c45
