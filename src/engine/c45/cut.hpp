// The numeric tests of a node.
#pragma once

#include "core/weighted_columns.hpp"

namespace retree::c45 {

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

}  // namespace retree::c45
