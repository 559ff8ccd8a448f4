// The singular value decomposition of weighted rows.
#pragma once

#include "core/interface.hpp"

namespace retree::latent {

// Right singular vectors of a matrix, one a row, by falling singular values; vectors of the value 0
// are 0.
struct Decomposition {
    std::vector<double> values;
    std::vector<double> vectors;
};

// Returns as many values as there are columns. Row i of X counts `weight[i]` times.
Decomposition decompose(Matrix<const double> X, std::span<const double> weight);

}  // namespace retree::latent
