// Thresholds of C4.5: the largest training value that is not above the middle of a gap.
#pragma once

#include "core/weighted_columns.hpp"

namespace retree::c45 {

// Collects the tests of a growing tree, since their values are looked for in all training rows.
class Thresholds {
public:
    // A value less than `slack` above a middle counts as not above it.
    Thresholds(const WeightedColumns &columns, double slack)
        : slack_(slack), gaps_(columns.numeric.size()) {}

    // Notes the test of `node` in the gap between two neighbouring entries of column j; returns its
    // threshold as far as the rows of the node say it.
    double note(const WeightedColumns &columns, int64_t j, uint64_t low, uint64_t high,
                int64_t node);

    // Raises the thresholds to the largest values of `columns`, all training rows, that are not
    // above the middles of their gaps.
    void settle(const WeightedColumns &columns, std::span<double> threshold);

private:
    struct Gap {
        uint64_t low, high;  // codes of the neighbouring values
        double middle;
        int64_t node;
    };

    static void find_rows(const WeightedColumns &columns, int64_t j, std::span<int32_t> row);

    double slack_;
    std::vector<std::vector<Gap>> gaps_;  // of each numeric column
};

}  // namespace retree::c45
