// Rows on their way down a tree, a block of them at a time.
#pragma once

#include "core/tests.hpp"

namespace retree {

// Refuses infinite values; returns whether no number is missing. False may mean that they are too
// large for a sum.
bool are_known(Matrix<const double> rows);

// A processor guesses the way of a single row wrongly at every other test, and waits for memory at
// most of those of a large tree. So the rows of a block take one step each in turn, and no step
// between two sides of a threshold is a jump. Those that have stopped leave after a few steps.
class Descent {
public:
    static constexpr int64_t N_ROWS = 64;

    // The rows of a block, each thread's own.
    struct Block {
        std::array<int32_t, N_ROWS> at, index, ends;  // of the rows on their way, and of all
        std::array<const double *, N_ROWS> row;
    };

    // Takes time in proportion to the number of nodes. A node is known by its place: 0 is that of
    // the root, k + 1 that of `tests.children[k]`.
    explicit Descent(const Tests &tests);

    // Returns for each of up to N_ROWS rows its leaf, or the first node that is tested for a value
    // which is missing, as none may be if the rows `are_known`. They stand in the block.
    std::span<const int32_t> ends_of(Matrix<const double> rows, bool are_known, Block &block) const;

    // Returns for some rows, up to N_ROWS, the leaf below the node at `top`. No value of theirs may
    // be missing. They stand in the block.
    std::span<const int32_t> leaves_of(Matrix<const double> X, std::span<const int32_t> rows,
                                       int32_t top, Block &block) const;

    // Makes the node at a place a leaf, or gives it the test and children of another one.
    void cut(int32_t at) { replace(at, stop_at(at), -1); }
    void raise(int32_t at, int32_t from) {
        replace(at, nodes_[from].first == from ? stop_at(at) : nodes_[from], other_[from]);
    }

private:
    static constexpr int32_t N_STEPS = 4;
    // So many rows take a step without a jump between them: a seventh faster than one by one.
    static constexpr int32_t N_TOGETHER = 4;

    // Children stand side by side, in the order of `Tests::children` after the root.
    struct Node {
        double threshold;  // NaN where rows stop: at leaves and tests of other kinds
        int32_t feature;   // of the threshold, else 0
        int32_t first;     // child; where rows stop, the node itself
    };

    static Node stop_at(int32_t at) { return {std::numeric_limits<double>::quiet_NaN(), 0, at}; }
    // Takes the first n rows of a block down from a place.
    template <bool IS_KNOWN>
    std::span<const int32_t> descend(Block &block, int32_t n, int32_t top) const;
    void replace(int32_t at, const Node &node, int32_t other) {
        nodes_[at] = node;
        other_[at] = other;
    }

    // Returns the child on the side of a row, or the node itself where the row stops.
    template <bool IS_KNOWN>
    int32_t below(int32_t at, const double *row) const {
        const Node &node = nodes_[at];
        const int32_t child = node.first + (row[node.feature] > node.threshold);
        return IS_KNOWN ? child : at + ((child - at) & -has_side(at, row));
    }
    // A number, since truth values made compilers jump.
    int32_t has_side(int32_t at, const double *row) const {
        const double value = row[nodes_[at].feature], threshold = nodes_[at].threshold;
        return (value > threshold) + (value <= threshold);
    }
    // Returns where a row is after the tests of other kinds that it stands at.
    int32_t past_others(int32_t at, const double *row) const;

    int32_t number_of(int32_t at) const { return at == 0 ? 0 : tests_.children[at - 1]; }
    int32_t first_of(int32_t number) const { return tests_.children_ptr[number] + 1; }

    const Tests &tests_;
    std::vector<Node> nodes_;
    std::vector<int32_t> other_;  // node whose test of another kind stands at a place, or -1
    bool has_others_;
};

}  // namespace retree
