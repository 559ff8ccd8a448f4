// Growing trees as the OC1 program does, depth first.
#pragma once

#include "oblique/grow.hpp"
#include "oblique/original_search.hpp"

namespace retree::oblique {

// `state` is that of drand48; one stream serves all nodes.
Nodes grow_original(Matrix<const double> X, std::span<const int32_t> y, int64_t n_classes,
                    const OriginalRule &rule, uint64_t state, Poll &poll);

}  // namespace retree::oblique
