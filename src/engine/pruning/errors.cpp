#include "pruning/errors.hpp"

#include "core/numbers.hpp"
#include "core/tests.hpp"
#include "retree/pruning.h"

namespace retree {
namespace {

constexpr double COLLAPSE_SLACK = 1e-3;

// Returns the excess of the upper limit for at least one error.
double normal_bound(double total, double errors, double z) {
    if (errors + 0.5 >= total) return std::max(total - errors, 0.0);
    const double f = (errors + 0.5) / total;
    const double spread = std::sqrt(f / total - f * f / total + z * z / (4 * total * total));
    const double limit = (f + z * z / (2 * total) + z * spread) / (1 + z * z / total);
    return limit * total - errors;
}

void mark_collapsible(const Tests &tests, Matrix<const double> counts, std::span<uint8_t> marked) {
    std::vector<double> errors(marked.size());
    for (auto node = static_cast<int32_t>(tests.n_nodes()) - 1; node >= 0; --node) {
        const double as_leaf = training_errors(counts.row(node));
        marked[node] = 0;
        if (tests.feature[node] == LEAF) {
            errors[node] = as_leaf;
            continue;
        }
        for (const int32_t child : tests.children_of(node)) errors[node] += errors[child];
        marked[node] = errors[node] >= as_leaf - COLLAPSE_SLACK;
    }
}

}  // namespace

double added_errors(double total, double errors, Confidence confidence) {
    if (errors >= 1) return normal_bound(total, errors, confidence.z);
    const double none = total * (1 - power_of(confidence.share, 1 / total));
    if (errors == 0) return none;
    return none + errors * (normal_bound(total, 1.0, confidence.z) - none);
}

double training_errors(std::span<const double> counts) {
    return sum_of(counts) - *std::max_element(counts.begin(), counts.end());
}

double estimated_errors(std::span<const double> counts, Confidence confidence) {
    const double total = sum_of(counts);
    if (total < TOLERANCE) return 0.0;
    const double errors = training_errors(counts);
    return errors + added_errors(total, errors, confidence);
}

}  // namespace retree

using namespace retree;

int32_t retree_collapsible(const retree_array *tests, const retree_array *counts,
                           retree_array *marked) {
    return guarded([&] {
        const Tests tree(tests);
        const auto weights = matrix_of<const double>(counts, "counts", tree.n_nodes());
        require(weights.columns > 0, "The engine needs at least one class.");
        mark_collapsible(tree, weights, vector_of<uint8_t>(marked, "marked", tree.n_nodes()));
    });
}

int32_t retree_estimated_errors(const retree_array *counts, double confidence,
                                retree_array *errors) {
    return guarded([&] {
        const auto weights = matrix_of<const double>(counts, "counts");
        require(weights.columns > 0, "The engine needs at least one class.");
        const auto estimates = vector_of<double>(errors, "errors", weights.rows);
        const Confidence limit(confidence);
        for (int64_t i = 0; i < weights.rows; ++i)
            estimates[i] = estimated_errors(weights.row(i), limit);
    });
}
