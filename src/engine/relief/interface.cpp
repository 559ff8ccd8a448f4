#include <algorithm>

#include "core/array.hpp"
#include "core/guard.hpp"
#include "relief/relief.hpp"
#include "retree/relief.h"

using namespace retree;

extern "C" {

int32_t retree_relief_weights(const retree_array *rows, const retree_array *nominal,
                              const retree_array *class_start, const retree_array *sampled,
                              int64_t n_neighbors, retree_array *weights) {
    return guarded([&] {
        const auto X = matrix_of<const double>(rows, "rows");
        const auto is_nominal = vector_of<const uint8_t>(nominal, "nominal", X.columns);
        const auto start = vector_of<const int64_t>(class_start, "class_start");
        const auto drawn = vector_of<const int64_t>(sampled, "sampled rows");
        const auto out = vector_of<double>(weights, "weights", X.columns);
        require(start.size() >= 3 && start.front() == 0 && start.back() == X.rows &&
                    std::is_sorted(start.begin(), start.end()),
                "The engine needs at least two classes, whose rows follow one another.");
        require(n_neighbors > 0 && !drawn.empty(), "The engine needs rows and neighbours.");
        for (const int64_t row : drawn)
            require(row >= 0 && row < X.rows, "The engine needs sampled rows that there are.");
        Poll poll;
        const auto found = Relief(X, is_nominal, start).weights(drawn, n_neighbors, poll);
        std::copy(found.begin(), found.end(), out.begin());
    });
}
}
