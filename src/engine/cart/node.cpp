#include "cart/node.hpp"

namespace retree::cart {
namespace {

void sum_classes(std::span<const int32_t> rows, const Sample &sample, std::span<double> sums) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const int32_t row : rows) sums[sample.y[row]] += sample.weight_of(row);
}

void sum_moments(std::span<const int32_t> rows, const Sample &sample, std::span<double> sums) {
    double total = 0.0, shift = 0.0;
    // From the first target on, so that the variance of equal targets is 0 without rounding.
    const double first = sample.target[rows[0]];
    for (const int32_t row : rows) {
        const double w = sample.weight_of(row);
        total += w;
        shift += w * (sample.target[row] - first);
    }
    const double mean = first + shift / total;
    double squares = 0.0, rest = 0.0;
    for (const int32_t row : rows) {
        const double w = sample.weight_of(row), deviation = sample.target[row] - mean;
        squares += w * deviation * deviation;
        rest += w * deviation;
    }
    rest /= total;
    sums[0] = total;
    sums[1] = mean;
    sums[2] = std::max(0.0, squares / total - rest * rest);
    sums[3] = rest;
}

}  // namespace

void sum_node(std::span<const int32_t> rows, const Sample &sample, const Rule &rule,
              std::span<double> sums) {
    if (rule.is_regression) {
        sum_moments(rows, sample, sums);
    } else {
        sum_classes(rows, sample, sums);
    }
}

bool is_terminal(std::span<const double> sums, int64_t n_rows, int64_t depth, const Rule &rule) {
    if (depth >= rule.max_depth || n_rows < rule.min_samples_split ||
        n_rows / 2 < rule.min_samples_leaf)
        return true;
    if (rule.is_regression) return sums[2] <= 0.0;
    return *std::max_element(sums.begin(), sums.end()) / sum_of(sums) >= rule.max_class_share;
}

void set_all_known(std::span<const double> sums, int64_t n_rows, const Rule &rule, Known &known) {
    known.n_rows = n_rows;
    known.weight = node_weight(sums, rule);
    if (rule.is_regression) {
        known.sums.assign({sums[0], sums[0] * sums[3]});
        known.centre = sums[1];
        known.unit = sums[2];
    } else {
        known.sums.assign(sums.begin(), sums.end());
    }
}

void set_part_known(const Known &everything, int64_t n_rows, const Rule &rule, Known &known) {
    known.weight = node_weight(known.sums, rule);
    known.n_rows = n_rows;
    known.n_missing = everything.n_rows - n_rows;
    known.centre = everything.centre;
    known.share = known.weight / everything.weight;
    known.w_missing = everything.weight - known.weight;
    known.unit = everything.unit;
}

}  // namespace retree::cart
