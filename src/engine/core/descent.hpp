// Rows on their way down a tree, a block of them at a time.
#pragma once

#include "core/tests.hpp"

namespace retree {

// A processor guesses the way of a single row wrongly at every other test, and waits for memory at
// most of those of a large tree. So the rows of a block take one step each in turn, and no step
// between two sides of a threshold is a jump.
class Descent {
public:
    static constexpr int64_t N_ROWS = 64;

    // Takes time in proportion to the number of nodes.
    explicit Descent(const Tests &tests);

    // Returns for each of up to N_ROWS rows its leaf, or the first node that is tested for a value
    // which is missing. Valid until the next call.
    std::span<const int32_t> ends_of(Matrix<const double> rows);

private:
    // Children stand side by side, in the order of `Tests::children` after the root.
    struct Node {
        double threshold;  // NaN at a leaf, which no row passes
        int32_t feature;   // that of a threshold, 0 at a leaf, OTHER at any other test
        int32_t first;     // child
    };
    struct Walker {
        int32_t row, node;
    };
    static constexpr int32_t OTHER = -1;

    Node node_of(int32_t number) const;
    int32_t number_of(int32_t node) const { return node == 0 ? 0 : tests_.children[node - 1]; }

    const Tests &tests_;
    std::vector<Node> nodes_;
    std::array<Walker, N_ROWS> walking_;
    std::array<int32_t, N_ROWS> ends_;
};

}  // namespace retree
