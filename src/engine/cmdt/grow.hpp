// Growing a CMDT tree: every node divides its rows over clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cmdt/split.hpp"
#include "core/array.hpp"
#include "core/guard.hpp"

namespace retree::cmdt {

// Training rows in the order of their classes, numeric columns on the scale of distances.
struct Data {
    Matrix<const double> rows;
    std::span<const int32_t> y;
    int64_t n_classes;
    Columns columns;
    std::span<const int64_t> priority;
};

// Nodes in depth-first order, and their centres one after the other.
struct Records {
    static constexpr int64_t N_NUMBERS = 4;

    std::vector<int64_t> numbers;  // of each node: parent, first centre, number of centres, metric
    std::vector<double> gamma, weight, counts, positions;

    int64_t n_nodes() const { return static_cast<int64_t>(gamma.size()); }
};

Records grow(const Data &data, const Rule &rule);

}  // namespace retree::cmdt
