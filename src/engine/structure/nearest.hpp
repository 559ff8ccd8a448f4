// The penalty of BNM as it is defined (structure_purity, eq. 6): in each child, how far each class
// is from the nearest row of another class, with all features. Eq. 7 looks at the feature of the
// split alone.
//
// The nearest other class of each row is found once in a node. A split leaves most of these pairs
// together; only for a row that it parts from its nearest one are the rows of the child looked at.
#pragma once

#include "structure/geometry.hpp"

namespace retree::structure {

class NearestClasses {
public:
    NearestClasses(const Columns &columns, const Geometry &geometry, bool squared);

    // Finds the nearest row of another class of each row of a node.
    void measure(const Node &node);
    // Returns a lower bound of the penalty of a split: the distances in the whole node. `left` has
    // the rows of each class on one side.
    double bound(std::span<const double> left) const;
    // Returns the penalty of a split; `side` has 1 for the training rows that `left` counts.
    double penalty(std::span<const double> left, std::span<const uint8_t> side) const;

private:
    struct Pair {
        double distance;  // squared
        int32_t row;
        int32_t other;
    };

    template <class Distance>
    double mean_over_classes(std::span<const double> left, Distance squared_distance) const;
    double in_child(size_t c, uint8_t child, std::span<const uint8_t> side) const;
    double squared_distance(int32_t a, int32_t b) const;

    const Columns &columns_;
    const Geometry &geometry_;
    bool squared_;
    std::vector<std::vector<Pair>> pairs_;  // of each class, by distance
    std::vector<int32_t> rows_;             // of the node
};

}  // namespace retree::structure
