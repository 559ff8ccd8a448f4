#include <algorithm>

#include "clustering/clusters.hpp"
#include "core/result.hpp"
#include "retree/clustering.h"

using namespace retree;

extern "C" {

int32_t retree_find_centres(const retree_array *rows, const retree_array *labels,
                            const retree_array *start, const retree_array *nominal, int64_t modes,
                            retree_array *positions) {
    return guarded([&] {
        const auto X = matrix_of<const double>(rows, "rows");
        Space space{};
        space.start = vector_of<const int32_t>(start, "start", X.columns + 1);
        space.nominal = vector_of<const uint8_t>(nominal, "nominal", X.columns);
        space.modes = modes != 0;
        space.check(X);
        const auto out = matrix_of<double>(positions, "positions", ANY, space.n_slots());
        const auto codes = vector_of<const int32_t>(labels, "labels", X.rows);
        for (const int32_t code : codes)
            require(code < out.rows, "The engine needs a centre for each label.");
        const auto found = find_centres(X, codes, out.rows, space);
        std::copy(found.values.begin(), found.values.end(), out.data);
    });
}

int32_t retree_cluster(const retree_array *rows, const retree_array *positions,
                       const retree_array *weight, double gamma, int64_t metric,
                       const retree_array *start, const retree_array *nominal, int64_t modes,
                       int64_t max_rounds, retree_array *labels, retree_result *result) {
    return guarded([&] {
        const auto X = matrix_of<const double>(rows, "rows");
        const Space space{vector_of<const double>(weight, "weight", X.columns),
                          gamma,
                          static_cast<int32_t>(metric),
                          vector_of<const int32_t>(start, "start", X.columns + 1),
                          vector_of<const uint8_t>(nominal, "nominal", X.columns),
                          modes != 0};
        space.check(X);
        const auto given = matrix_of<const double>(positions, "positions", ANY, space.n_slots());
        Positions centres(given.rows, given.columns);
        std::copy_n(given.data, centres.values.size(), centres.values.begin());
        const auto codes = vector_of<int32_t>(labels, "labels", X.rows);
        Poll poll;
        auto found = cluster(X, std::move(centres), space, max_rounds, true, codes, poll);
        const int64_t n = found.positions.n;
        result->add(std::move(found.positions.values), n, space.n_slots());
        result->add(std::vector<double>{found.cost});
        result->add(std::vector<int64_t>{found.n_rounds});
    });
}
}
