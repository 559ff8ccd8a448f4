// ID3's and C4.5's choice of a test: best gain, or best gain ratio of those of average gain.
#pragma once

#include "c45/gain.hpp"
#include "c45/row_order.hpp"
#include "core/team.hpp"
#include "retree/c45.h"

namespace retree::c45 {

using Rule = retree_c45_rule;

// The best test of a column.
struct Test {
    bool is_valid = false;
    double gain = 0.0;
    double ratio = 0.0;
    int64_t place = 0;  // last entry on the left, or level of a binary nominal test
};

// A node: its rows and their class weights.
struct Node {
    int64_t start, end;
    std::span<const double> counts;
    double total;
};

// What all that grow parts of one tree share, as it is before any row moves.
struct Training {
    Training(const WeightedColumns &columns, const Rule &rule);

    const WeightedColumns &columns;
    const Rule &rule;
    std::shared_ptr<const WholeWeights> whole;
    RowOrder order;
    double n_cases = 0.0;  // rows of the training data
};

// Finds the best test of one column after another.
class Searcher {
public:
    explicit Searcher(const Training &training);

    Test test_numeric(const WeightedColumns &columns, const Node &node, int64_t j);
    Test test_nominal(const WeightedColumns &columns, const Node &node, int64_t j);

private:
    Test test_one_level(double missing, double total);
    void count_levels(const WeightedColumns &columns, const Node &node, int64_t j);
    bool has_enough_rows(const WeightedColumns &columns, std::span<const uint64_t> known,
                         double least) const;

    Rule rule_;
    Scanner scanner_;
    Logs logs_;
    std::vector<double> known_, both_, pair_;  // class weights: of a column, of a test, and by side
    std::vector<double> level_counts_;         // (max_levels, n_classes), zero between uses
    std::vector<uint8_t> is_found_;            // (max_levels,), likewise
    // The levels that occur in the node, ascending, with their class weights and weights.
    std::vector<int32_t> found_;
    std::vector<double> found_counts_;
    std::vector<double> sides_;
};

class Chooser {
public:
    Chooser(const Training &training, Team &team);

    // Returns the column to split on, numeric columns first, or -1; `test(column)` is its test.
    int64_t choose(const WeightedColumns &columns, const Node &node);
    const Test &test(int64_t column) const { return tests_[column]; }

private:
    bool has_many_levels(const WeightedColumns &columns, int64_t column) const;
    double average_gain(const WeightedColumns &columns) const;

    Rule rule_;
    Team &team_;
    double n_cases_;
    std::vector<Searcher> searchers_;  // of each member
    std::vector<Test> tests_;          // numeric columns first
    std::vector<int64_t> by_feature_;  // columns in the order of their features
};

}  // namespace retree::c45
