// What the nodes of a tree contribute to the decisions of a forest (Guo and Fan 2014).
#pragma once

#include "forests/rows.hpp"
#include "retree/forests.h"

namespace retree::forests {

// The forest's decision of a row, as far as contributions depend on it.
struct Decision {
    int32_t rival;  // class decided on, or the runner-up if that is right
    double gap;     // how much the forest prefers it to the other of the two
};

Decision decide(std::span<const double> shares, int64_t label);

// Returns Con(v, F, x), eqs. (6)-(9): what a node's shares speak for the row's class rather than
// for the rival if the node is right, else for its own choice t, times `weight`.
inline double contribution(std::span<const double> node_shares, size_t t, size_t label,
                           size_t rival, double weight) {
    return weight * (node_shares[label] - node_shares[t == label ? rival : t]);
}

using Rule = retree_thinning_rule;

// Goes once through the trees and cuts the nodes of low contribution gain.
void thin_by_contribution(const Thinning &state, const Rule &rule, Poll &poll);

// Goes once through the trees and cuts the nodes without which the forest errs no more.
void thin_by_accuracy(const Thinning &state, Poll &poll);

}  // namespace retree::forests
