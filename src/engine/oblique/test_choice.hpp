// The test of a node: the best axis-parallel one, or an oblique one that is better.
#pragma once

#include "core/tests.hpp"
#include "oblique/node_sample.hpp"

namespace retree::oblique {

// Returns the coefficients of a hyperplane of great goodness in a node's sample, the constant term
// last, from those to start with and the node's seed.
using Search = std::function<std::vector<double>(const NodeSample &, std::span<const double>,
                                                 uint64_t, Poll &)>;

// How a node is split and when it is not.
struct Rule {
    Criterion criterion;
    Scaling scaling;
    double rows_per_feature;  // nodes of no more rows a feature are tested on single features
    int64_t min_samples_split;
    int64_t max_depth;
    Search search;
};

// A test x[feature] <= threshold; feature LEAF and goodness NONE if all rows are equal.
struct AxisTest {
    int64_t feature = LEAF;
    double threshold = 0.0;
    double goodness = NONE;
};

// A test of any kind; feature OBLIQUE if it compares `normal @ x` with the threshold.
struct Test {
    int64_t feature;
    double threshold;
    std::vector<double> normal;
};

// Chooses tests, node by node.
class TestChooser {
public:
    TestChooser(const Data &data, const Rule &rule, Poll &poll);

    // Chooses the test of a node, whose rows of each class are `counts`, and marks the rows that go
    // left in `goes_left`; feature LEAF if all rows are equal.
    Test choose(int64_t start, int64_t end, std::span<const double> counts, uint64_t seed);

    std::vector<uint8_t> goes_left;

private:
    struct Scored {
        Test test;
        double goodness;
    };

    Scored oblique_test(int64_t start, int64_t end, const AxisTest &axis, uint64_t seed);
    Scored test_in_original(const NodeSample &sample, std::span<const double> weights,
                            std::vector<double> normal);

    const Data &data_;
    const Rule &rule_;
    Poll &poll_;
    std::vector<double> table_;
};

}  // namespace retree::oblique
