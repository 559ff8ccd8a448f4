
#include "core/numbers.hpp"
#include "forests/contribution.hpp"
#include "forests/rows.hpp"
#include "retree/forests.h"

using namespace retree;

namespace {

// Runs `body` with the state of a forest that is thinned.
template <class Body>
int32_t with_state(const retree_array *rows, const retree_array *value, const retree_array *y,
                   const retree_array *tree_weight, retree_array *ends, retree_array *cut,
                   retree_array *shares, Body &&body) {
    return guarded([&] {
        const auto of_forest = matrix_of<double>(shares, "shares");
        const forests::ForestRows placed(rows, of_forest.rows);
        const int64_t n_nodes = placed.n_nodes(), n_classes = of_forest.columns;
        require(n_classes > 0, "The engine needs at least one class.");
        const forests::Thinning state{
            placed,
            matrix_of<const double>(value, "value", n_nodes, n_classes),
            codes_of<const int64_t>(y, of_forest.rows, n_classes),
            vector_of<const double>(tree_weight, "tree_weight", placed.n_trees()),
            vector_of<int32_t>(ends, "ends", placed.n_entries()),
            vector_of<uint8_t>(cut, "cut", n_nodes),
            of_forest};
        for (const int32_t node : state.ends)
            require(node >= 0 && node < n_nodes, "The engine needs ends that are nodes.");
        body(state);
    });
}

}  // namespace

int32_t retree_place_rows(const retree_array *X, const retree_array *columns,
                          const retree_array *tests, const retree_array *weight,
                          int64_t has_missing, int64_t divide_missing, retree_result *result) {
    return guarded([&] {
        const Tests tree(tests);
        const auto rows = matrix_of<const double>(X, "X", ANY, tree.n_features());
        auto placed = forests::place_rows(
            rows, matrix_of<const double>(columns, "columns", rows.columns, rows.rows), tree,
            vector_of<const double>(weight, "weight", tree.n_nodes()), has_missing != 0,
            divide_missing != 0);
        result->add(std::move(placed.stop));
        result->add(std::move(placed.start));
        result->add(std::move(placed.row));
        result->add(std::move(placed.part));
    });
}

int32_t retree_class_counts(const retree_array *rows, const retree_array *y, retree_array *counts) {
    return guarded([&] {
        const auto sums = matrix_of<double>(counts, "counts");
        const auto codes = codes_of<const int64_t>(y, ANY, sums.columns);
        const forests::ForestRows placed(rows, static_cast<int64_t>(codes.size()));
        require(sums.rows == placed.n_nodes(), "The engine needs counts for each node.");
        std::fill_n(sums.data, sums.rows * sums.columns, 0.0);
        for (int64_t v = sums.rows - 1; v >= 0; --v) {
            if (placed.is_leaf(v))
                for (int64_t e = placed.begin(v); e < placed.end(v); ++e)
                    sums(v, codes[placed.row[e]]) += placed.part[e];
            for (int64_t child = v + 1; child < placed.stop[v]; child = placed.stop[child])
                for (int64_t k = 0; k < sums.columns; ++k) sums(v, k) += sums(child, k);
        }
    });
}

int32_t retree_mean_shares(const retree_array *rows, const retree_array *value,
                           const retree_array *tree_weight, retree_array *ends,
                           retree_array *shares) {
    return guarded([&] {
        const auto sums = matrix_of<double>(shares, "shares");
        const forests::ForestRows placed(rows, sums.rows);
        const auto values = matrix_of<const double>(value, "value", placed.n_nodes(), sums.columns);
        const auto weights = vector_of<const double>(tree_weight, "tree_weight", placed.n_trees());
        const auto leaf = vector_of<int32_t>(ends, "ends", placed.n_entries());
        std::fill_n(sums.data, sums.rows * sums.columns, 0.0);
        for (int64_t tree = 0; tree < placed.n_trees(); ++tree)
            for (int64_t v = placed.first[tree]; v < placed.first[tree + 1]; ++v)
                for (int64_t e = placed.begin(v); placed.is_leaf(v) && e < placed.end(v); ++e) {
                    leaf[e] = static_cast<int32_t>(v);
                    const double weight = weights[tree] * placed.part[e];
                    for (int64_t k = 0; k < sums.columns; ++k)
                        sums(placed.row[e], k) += weight * values(v, k);
                }
    });
}

int32_t retree_thin_by_contribution(const retree_array *rows, const retree_array *value,
                                    const retree_array *y, const retree_array *tree_weight,
                                    retree_array *ends, retree_array *cut, retree_array *shares,
                                    const retree_thinning_rule *rule) {
    return with_state(rows, value, y, tree_weight, ends, cut, shares,
                      [&](const forests::Thinning &state) {
                          Poll poll;
                          thin_by_contribution(state, rule_of(rule), poll);
                      });
}

int32_t retree_thin_by_accuracy(const retree_array *rows, const retree_array *value,
                                const retree_array *y, const retree_array *tree_weight,
                                retree_array *ends, retree_array *cut, retree_array *shares) {
    return with_state(rows, value, y, tree_weight, ends, cut, shares,
                      [](const forests::Thinning &state) {
                          Poll poll;
                          thin_by_accuracy(state, poll);
                      });
}

int32_t retree_contributions(const retree_array *node_shares, const retree_array *shares,
                             const retree_array *label, double n_trees, retree_array *found) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(shares, "shares");
        const auto of_node =
            matrix_of<const double>(node_shares, "node_shares", rows.rows, rows.columns);
        require(rows.columns > 0, "The engine needs at least one class.");
        const auto codes = codes_of<const int64_t>(label, rows.rows, rows.columns);
        const auto out = vector_of<double>(found, "contributions", rows.rows);
        for (int64_t i = 0; i < rows.rows; ++i) {
            const auto decision = forests::decide(rows.row(i), codes[i]);
            out[i] = forests::contribution(
                of_node.row(i), first_greatest(of_node.row(i)), static_cast<size_t>(codes[i]),
                static_cast<size_t>(decision.rival), 1.0 / (n_trees * decision.gap + 1.0));
        }
    });
}
