// REPTree's choice of a test: the greatest information gain, of the first feature where gains tie.
#pragma once

#include "core/weighted_columns.hpp"
#include "retree/weka.h"
#include "weka/rep_scan.hpp"

namespace retree::weka {

using Rule = retree_reptree_rule;

// A node: its rows and their class weights.
struct Node {
    int64_t start, end;
    std::span<const double> counts;
};

// A test, and what it makes of the rows of a node.
struct Split {
    double gain = 0.0;
    int64_t column = -1;  // numeric columns first; -1 if there is no test
    int64_t place = 0;    // of a numeric test the first entry on the right
    double point = std::numeric_limits<double>::quiet_NaN();
    bool has_missing = false;
    std::vector<double> counts;  // (n_branches, n_classes)
    std::vector<double> weight;  // (n_branches,)
    std::vector<double> sent;    // (n_branches,) of the rows with a value
    double known = 0.0;          // their sum, or 1 if no row has a value
};

class Chooser {
public:
    Chooser(const WeightedColumns &columns, const Rule &rule, const Terms &terms);

    // Returns the best test, valid until the next call; none if it gains nothing, or if fewer than
    // two of its branches have the least weight.
    const Split &choose(const WeightedColumns &columns, const Node &node);

private:
    void test_numeric(const WeightedColumns &columns, const Node &node, int64_t j);
    void test_nominal(const WeightedColumns &columns, const Node &node, int64_t j);
    template <class Rows, class Label>
    void finish(const WeightedColumns &columns, Rows missing, Label label_of);
    void share_out();

    Matrix<double> counts() { return {own_.counts.data(), std::ssize(own_.sent), n_classes_}; }

    Rule rule_;
    Terms terms_;
    int64_t n_classes_;
    std::vector<int64_t> by_feature_;  // columns in the order of their features
    Split best_, own_;                 // of the node, and of a column
    Scanner scanner_;
    std::vector<double> known_;  // class weights of the rows with a value
    Cut cut_;
    std::vector<double> share_;
};

}  // namespace retree::weka
