// CART's best threshold of a numeric column, by one pass over its sorted rows.
#pragma once

#include "cart/criteria.hpp"
#include "cart/node.hpp"
#include "core/weighted_columns.hpp"

namespace retree::cart {

struct Cut {
    double gain = -INF;     // as computed, not rounded
    int64_t position = -1;  // last entry on the left, -1 for none
};

// Memory for the sums of a node and of a side of it.
struct ScanScratch {
    explicit ScanScratch(int64_t n_sums)
        : left(static_cast<size_t>(n_sums)), whole_sums(left.size()), whole_left(left.size()) {}

    std::vector<double> left;
    std::vector<int64_t> whole_sums, whole_left;
};

// Finds the cut of greatest gain; of tied cuts the lowest.
//
// `entries` are those of the rows with a value, `known` is what they are together.
Cut scan(std::span<const uint64_t> entries, Packing packing, const Sample &sample,
         const Known &known, const Rule &rule, const XLog2X &xlog2x, ScanScratch &scratch);

}  // namespace retree::cart
