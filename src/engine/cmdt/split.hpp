// The split of a CMDT node: weights of the columns, and clusters about the classes' centres.
#pragma once

#include "clustering/clusters.hpp"
#include "retree/cmdt.h"

namespace retree::cmdt {

using Rule = retree_cmdt_rule;  // see the parameters of `CMDTClassifier`

// The slots of the columns, and what is needed to weigh them; as `grow_cmdt` of cmdt.h has them.
struct Columns {
    std::span<const int32_t> start;
    std::span<const uint8_t> nominal;
    std::span<const double> spread;
};

// The rows of a node in the order of their classes.
struct NodeRows {
    Rows rows;                   // a segment of columns
    std::span<const int32_t> y;  // codes of the classes that the node has
    std::span<const int64_t> class_start;
    std::span<const int32_t> priority;  // which rows Relief-F looks at first
};

// A node's test for the nearest centre, and where its rows go; no centres: no split.
struct Split {
    std::vector<double> weight;
    double gamma;
    int32_t metric;
    Positions positions;
    std::vector<int32_t> labels;
};

Split find_split(const NodeRows &node, const Columns &columns, const Rule &rule, Poll &poll);

}  // namespace retree::cmdt
