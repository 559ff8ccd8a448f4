// REPTree's choice of a test: the greatest information gain, of the first feature where gains tie.
#pragma once

#include "retree/weka.h"
#include "weka/split.hpp"

namespace retree::weka {

using Rule = retree_reptree_rule;

// A node: its rows and their class weights.
struct Node {
    int64_t start, end;
    std::span<const double> counts;
};

class Chooser {
public:
    Chooser(const WeightedColumns &columns, const Rule &rule, const Terms &terms);

    // Returns the best test, valid until the next call; none if it gains nothing, or if fewer than
    // two of its branches have the least weight.
    const Split &choose(const WeightedColumns &columns, const Node &node);

private:
    Rule rule_;
    std::vector<int64_t> by_feature_;  // columns in the order of their features
    Split best_, own_;                 // of the node, and of a column
    Tester tester_;
};

}  // namespace retree::weka
