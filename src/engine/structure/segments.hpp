// Segments of the rows of a child: how often the class changes along a feature (eq. 1).
//
// Rows of equal value may stand in any order, so the order of the fewest segments counts. It is
// found block of equal values by block: of the classes that can stand last there at no extra cost,
// any one can stand first in the next block if it is there too, which saves a segment. That set is
// the classes of the block, but for the one class that had to come first if only one could.
//
// Counting stops where a count cannot become the fewest any more, and since more rows never make
// fewer segments, what a child has bounds what the larger child of the next cut of the same column
// has.
#pragma once

#include "structure/columns.hpp"
#include "structure/cuts.hpp"

namespace retree::structure {

// The numbers of the left and of the right child.
using Sides = std::array<int64_t, 2>;

// Returns the least number of segments of sorted entries, or `limit` if it is no fewer. `seen` is
// scratch of a number for each class.
int64_t count_segments(const Packing &packing, std::span<const uint64_t> entries, int64_t limit,
                       std::vector<int64_t> &seen);

class Segments {
public:
    // `along_split`: count along the column that is cut, not along the one of fewest segments.
    Segments(const Columns &columns, bool along_split);

    // Counts the rows of a node before its columns are measured.
    void enter(const Node &node);
    // Returns the segments of the children of ascending cuts of a column of that node.
    //
    // A feature that is constant in a child sorts nothing and does not count; a child in which all
    // are constant has as many segments as classes.
    const std::vector<Sides> &measure(const Node &node, int64_t column,
                                      std::span<const int64_t> cuts);

private:
    // Rows by class: all, and those with the larger value of each pair column.
    struct Child {
        std::vector<int64_t> counts;
        Table<int32_t> ones;

        void move(const Columns &columns, std::span<const int32_t> rows, int32_t sign);
        int64_t n_classes() const;
        int64_t least_of_pairs(int64_t floor) const;
    };

    void count_pairs(const Runs &runs);
    void count_along_wide(const Node &node, const Runs &runs);
    int64_t least_of_wide(const Node &node, int64_t floor, int64_t least,
                          std::vector<int64_t> &lower);

    const Columns &columns_;
    bool along_split_;
    Child all_, none_;              // the whole node, and no row
    std::vector<int32_t> rows_;     // of the node in the order of the column that is cut
    std::vector<Sides> floor_;      // numbers of classes
    std::vector<Sides> found_;      // the fewest segments so far
    std::vector<uint8_t> member_;   // 1 for the rows of the child
    std::vector<uint64_t> buffer_;  // entries of the child
    std::vector<int64_t> seen_;
};

}  // namespace retree::structure
