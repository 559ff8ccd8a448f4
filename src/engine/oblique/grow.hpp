// Growing trees with oblique tests, depth first.
#pragma once

#include "oblique/node_sample.hpp"
#include "oblique/test_choice.hpp"

namespace retree::oblique {

// Records of the nodes, depth first.
struct Nodes {
    std::vector<int64_t> parent;    // -1 of the root
    std::vector<int32_t> feature;   // that is tested, LEAF or OBLIQUE
    std::vector<double> threshold;  // NaN of a leaf
    std::vector<double> counts;     // rows of each class
    std::vector<double> normals;    // coefficients of the oblique tests, in the order of the nodes
};

// Grows the tree. `seed` is of the root; that of another node follows from the way to it.
Nodes grow(Data &data, const Rule &rule, uint64_t seed, Poll &poll);

}  // namespace retree::oblique
