#include <algorithm>

#include "cmdt/grow.hpp"
#include "core/result.hpp"
#include "retree/cmdt.h"

using namespace retree;

namespace {

cmdt::Data data_of(const retree_array *rows, const retree_array *y, int64_t n_classes,
                   const cmdt::Columns &columns, const retree_array *priority) {
    const auto X = matrix_of<const double>(rows, "rows");
    const cmdt::Data data{X, vector_of<const int32_t>(y, "y", X.rows), n_classes, columns,
                          vector_of<const int64_t>(priority, "priority", X.rows)};
    require(X.rows > 0 && X.columns > 0, "The engine needs at least one row and one column.");
    require(std::is_sorted(data.y.begin(), data.y.end()) && data.y.front() >= 0 &&
                data.y.back() < n_classes,
            "The engine needs rows in the order of their classes.");
    Space space{};
    space.start = columns.start;
    space.nominal = columns.nominal;
    space.check(X);
    return data;
}

}  // namespace

extern "C" {

int32_t retree_grow_cmdt(const retree_array *rows, const retree_array *y, int64_t n_classes,
                         const retree_array *start, const retree_array *nominal,
                         const retree_array *spread, const retree_array *priority, int64_t weights,
                         int64_t modes, int64_t metric, double gamma, double beta,
                         int64_t n_neighbors, int64_t n_samples, int64_t max_rounds,
                         int64_t min_parent, retree_result *result) {
    return guarded([&] {
        const auto is_nominal = vector_of<const uint8_t>(nominal, "nominal");
        const auto p = static_cast<int64_t>(is_nominal.size());
        const cmdt::Columns columns{vector_of<const int32_t>(start, "start", p + 1), is_nominal,
                                    vector_of<const double>(spread, "spread", p)};
        const auto data = data_of(rows, y, n_classes, columns, priority);
        require(n_neighbors > 0 && n_samples > 0 && min_parent > 1,
                "The engine needs neighbours and rows to split.");
        auto grown =
            cmdt::grow(data, {weights != 0, modes != 0, static_cast<int32_t>(metric), gamma, beta,
                              n_neighbors, n_samples, max_rounds, min_parent});
        const int64_t n = grown.n_nodes(), slots = columns.start.back();
        const auto n_centres =
            slots == 0 ? 0 : static_cast<int64_t>(grown.positions.size()) / slots;
        result->add(std::move(grown.numbers), n, cmdt::Records::N_NUMBERS);
        result->add(std::move(grown.gamma));
        result->add(std::move(grown.weight), n, p);
        result->add(std::move(grown.counts), n, n_classes);
        result->add(std::move(grown.positions), n_centres, slots);
    });
}
}
