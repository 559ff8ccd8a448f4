// Growing: the trees of many parameter points at once, sharing every node on which they agree.
//
// A *point* is one setting of the tuned parameters. Points walk down together as long as they
// choose the same split; where they part, each group but the last goes on with a copy of the node's
// segment. A single tree is the case of one point and is grown in place.
#pragma once

#include "structure/choose.hpp"

namespace retree::structure {

// Nodes in an order that is depth-first within the tree of each point.
struct Records {
    static constexpr int64_t HEADER = 3;

    // By node: its parent, the feature (-1 for a leaf), and the row that has the threshold.
    std::vector<int64_t> numbers;
    std::vector<double> counts;    // by node, weights of the classes
    std::vector<uint8_t> members;  // by node, the points whose trees have it
    int64_t size = 0;
};

Records grow(const Columns &columns, Order &order, const Rule &rule, Poll &poll);

}  // namespace retree::structure
