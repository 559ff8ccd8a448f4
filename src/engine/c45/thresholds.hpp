// Thresholds of C4.5: the largest training value that is not above the middle of a gap.
#pragma once

#include "core/weighted_columns.hpp"
#include "retree/c45.h"

namespace retree::c45 {

// The gap between two neighbouring values of a node, where all training rows may have more.
struct Gap {
    uint64_t low, high;  // codes of the two values
    double middle;
    int64_t column;
    int32_t node;
};

// Returns the gap of a test between two neighbouring entries of numeric column j, if there may be
// larger values in it that are not above its middle.
std::optional<Gap> gap_between(const WeightedColumns &columns, int64_t j, uint64_t low,
                               uint64_t high, int32_t node);

// Raises the thresholds of nodes to the largest values of `columns`, all training rows, that are
// not above the middles of their gaps. A value less than the rule's slack above a middle counts as
// not above it.
void settle_thresholds(const WeightedColumns &columns, std::span<const Gap> gaps,
                       const retree_c45_rule &rule, std::span<double> threshold);

}  // namespace retree::c45
