// Trees that are grown on linear combinations of the features (retree/trees/latent).
#include "retree/latent.h"
#include "core/interface.hpp"
#include "latent/decomposition.hpp"

namespace retree {
namespace {

constexpr uint64_t SCRAMBLE = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio

uint64_t hash_row(std::span<const double> row) {
    uint64_t key = 0;
    for (const double value : row) {
        // Negative zero is the same number as zero.
        if (value != 0.0) key ^= std::bit_cast<uint64_t>(value);
        key *= SCRAMBLE;
        key ^= key >> 32;
    }
    return key;
}

void project(Matrix<const double> X, Matrix<const double> directions, Matrix<double> latent) {
    Poll poll;
    std::vector<double> turned(static_cast<size_t>(directions.rows * directions.columns));
    for (int64_t k = 0; k < directions.rows; ++k)
        for (int64_t j = 0; j < directions.columns; ++j)
            turned[j * directions.rows + k] = directions(k, j);
    for (int64_t i = 0; i < X.rows; ++i) {
        if (i % 256 == 0) poll.check();
        double *sums = latent.data + i * latent.columns;
        std::fill_n(sums, latent.columns, 0.0);
        for (int64_t j = 0; j < X.columns; ++j) {
            const double x = X(i, j), *terms = turned.data() + j * directions.rows;
            for (int64_t k = 0; k < latent.columns; ++k) sums[k] += terms[k] * x;
        }
    }
}

struct ThresholdTree {
    std::span<const int32_t> children_ptr, children, feature;
    std::span<const double> threshold;

    int64_t n_nodes() const { return static_cast<int64_t>(feature.size()); }

    // Raises unless every test is of a column and has two children below it.
    void check(int64_t n_columns) const {
        require(n_nodes() > 0, "The engine needs a tree of at least one node.");
        for (int64_t node = 0; node < n_nodes(); ++node) {
            if (feature[node] < 0) continue;
            const int64_t edge = children_ptr[node];
            require(feature[node] < n_columns, "The engine needs tests of columns that there are.");
            require(edge >= 0 && edge + 2 <= static_cast<int64_t>(children.size()),
                    "The engine needs two children of every test.");
            for (const int32_t child : children.subspan(static_cast<size_t>(edge), 2))
                require(child > node && child < n_nodes(),
                        "The engine needs children that come after their parent.");
        }
    }
};

void gaps(Matrix<const double> X, const ThresholdTree &tree, Matrix<double> nearest) {
    Poll poll;
    for (int64_t node = 0; node < nearest.rows; ++node) {
        nearest(node, 0) = -INF;
        nearest(node, 1) = INF;
    }
    for (int64_t i = 0; i < X.rows; ++i) {
        if (i % 4096 == 0) poll.check();
        int32_t node = 0;
        while (tree.feature[node] >= 0) {
            const double value = X(i, tree.feature[node]);
            double &low = nearest(node, 0), &high = nearest(node, 1);
            const bool is_left = value <= tree.threshold[node];
            if (is_left) {
                low = std::max(low, value);
            } else {
                high = std::min(high, value);
            }
            node = tree.children[tree.children_ptr[node] + (is_left ? 0 : 1)];
        }
    }
}

}  // namespace
}  // namespace retree

using namespace retree;

int32_t retree_hash_rows(const retree_array *X, retree_array *keys) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        const auto numbers = vector_of<uint64_t>(keys, "keys", rows.rows);
        Poll poll;
        for (int64_t i = 0; i < rows.rows; ++i) {
            if (i % 1024 == 0) poll.check();
            numbers[i] = hash_row(rows.row(i));
        }
    });
}

int32_t retree_project(const retree_array *X, const retree_array *directions,
                       retree_array *latent) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        const auto turned = matrix_of<const double>(directions, "directions", ANY, rows.columns);
        project(rows, turned, matrix_of<double>(latent, "latent", rows.rows, turned.rows));
    });
}

int32_t retree_decompose(const retree_array *X, const retree_array *weight, retree_result *result) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        require(rows.columns > 0, "The engine needs at least one column.");
        auto found = latent::decompose(rows, vector_of<const double>(weight, "weight", rows.rows));
        result->add(std::move(found.values));
        result->add(std::move(found.vectors), rows.columns, rows.columns);
    });
}

int32_t retree_gaps(const retree_array *X, const retree_array *children_ptr,
                    const retree_array *children, const retree_array *feature,
                    const retree_array *threshold, retree_array *nearest) {
    return guarded([&] {
        const auto rows = matrix_of<const double>(X, "X");
        const auto tested = vector_of<const int32_t>(feature, "feature");
        const auto n_nodes = static_cast<int64_t>(tested.size());
        const ThresholdTree tree{
            vector_of<const int32_t>(children_ptr, "children_ptr", n_nodes + 1),
            vector_of<const int32_t>(children, "children"), tested,
            vector_of<const double>(threshold, "threshold", n_nodes)};
        tree.check(rows.columns);
        gaps(rows, tree, matrix_of<double>(nearest, "nearest", n_nodes, 2));
    });
}
