// Growing trees with oblique tests, depth first.
#pragma once

#include "core/growing.hpp"
#include "oblique/node_sample.hpp"
#include "oblique/test_choice.hpp"

namespace retree::oblique {

// A feature is OBLIQUE where the test is.
struct Nodes : NodeRecords {
    std::vector<double> counts;   // weight of each class
    std::vector<double> normals;  // coefficients of the oblique tests, in the order of the nodes
};

// Grows the tree. `seed` is of the root; that of another node follows from the way to it.
Nodes grow(Data &data, const Rule &rule, uint64_t seed, Poll &poll);

}  // namespace retree::oblique
