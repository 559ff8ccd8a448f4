#include "pruning/errors.hpp"

#include "core/numbers.hpp"
#include "retree/pruning.h"

namespace retree {
namespace {

constexpr double COLLAPSE_SLACK = 1e-3;
constexpr size_t MOST_KEPT = 4096;  // limits of no error

}  // namespace

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

double Confidence::errors_of(std::span<const double> counts) {
    const double total = sum_of(counts);
    if (total < TOLERANCE) return 0.0;
    const double errors = training_errors(counts);
    return errors + added_errors(total, errors);
}

// The limit for one error or more rises with the rows and with the errors, the limit for none with
// the rows. With a low confidence the limit for none can be above that for one.
double Confidence::lower_bound_of(std::span<const double> counts) {
    const double total = sum_of(counts), errors = errors_of(counts);
    const bool has_none = *std::ranges::max_element(counts) == total;
    return has_none ? std::min(errors, 1.0 + normal_bound(total + 1.0, 1.0)) : errors;
}

// Returns how far the upper confidence limit of the errors lies above `errors`. The limit is that
// of a binomial share, by the normal approximation with continuity correction; exact for no error,
// and linear between none and one.
double Confidence::added_errors(double total, double errors) {
    if (errors >= 1) return normal_bound(total, errors);
    const double none = limit_of_none(total);
    if (errors == 0) return none;
    return none + errors * (normal_bound(total, 1.0) - none);
}

// Returns the limit of no error. Most leaves of a tree have few rows, and then there are few
// different ones.
double Confidence::limit_of_none(double total) {
    const auto limit = [&] { return total * (1 - power_of(share_, 1 / total)); };
    if (total >= MOST_KEPT || total != std::floor(total)) return limit();
    of_none_.resize(MOST_KEPT, -1.0);
    double &known = of_none_[static_cast<size_t>(total)];
    if (known < 0.0) known = limit();
    return known;
}

// Returns the excess of the upper limit for at least one error.
double Confidence::normal_bound(double total, double errors) const {
    if (errors + 0.5 >= total) return std::max(total - errors, 0.0);
    const double f = (errors + 0.5) / total;
    const double spread = std::sqrt(f / total - f * f / total + z_ * z_ / (4 * total * total));
    const double limit = (f + z_ * z_ / (2 * total) + z_ * spread) / (1 + z_ * z_ / total);
    return limit * total - errors;
}

double training_errors(std::span<const double> counts) {
    return sum_of(counts) - *std::max_element(counts.begin(), counts.end());
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
        Confidence limit(confidence);
        for (int64_t i = 0; i < weights.rows; ++i) estimates[i] = limit.errors_of(weights.row(i));
    });
}
