// Growing a REPTree, before it is pruned.
#pragma once

#include "core/growing.hpp"
#include "core/own_columns.hpp"
#include "weka/rep_split.hpp"

namespace retree::weka {

struct Records : NodeRecords {
    int64_t n_classes;
    std::vector<double> counts;  // (n_nodes, n_classes)
    std::vector<double> sent;    // what the test above sent here of the rows with a value
    std::vector<double> known;   // of how much the branches got that, 0 of a leaf

    Matrix<double> all_counts() { return {counts.data(), size(), n_classes}; }
};

Records grow(const Columns &columns, const Rule &rule, const Terms &terms);

}  // namespace retree::weka
