// How a node is split, and when it is not.
#pragma once

#include "core/interface.hpp"
#include "retree/structure.h"

namespace retree::structure {

struct Rule : retree_structure_rule {
    std::span<const int64_t> list_of;  // the ranked list that each point chooses from
    std::span<const int64_t> k;        // of each point
    std::span<const double> alpha;     // of each point, the weight of the ranking in a blend
    std::span<const double> omega2;    // one for each ranked list
    Matrix<const int8_t> codes;        // (n_classes, n_dichotomies)

    int64_t n_points() const { return std::ssize(k); }
    int64_t n_lists() const { return std::ssize(omega2); }
    bool needs_distances() const {
        return rank_by == RETREE_BY_MARGIN || take == RETREE_TAKE_COMPACT;
    }
};

}  // namespace retree::structure
