// How much a split lowers the impurity of the rows that have a value (Breiman et al. 1984).
#pragma once

#include "cart/node.hpp"
#include "core/criteria.hpp"

namespace retree::cart {

// x * log2(x), looked up where all weights are whole numbers.
class XLog2X {
public:
    // The table has x * log2(x) of 0, 1, ...; it is empty where a weight is not whole.
    explicit XLog2X(std::vector<double> table) : table_(std::move(table)) {}

    bool is_table() const { return !table_.empty(); }
    const double *table() const { return table_.data(); }

    double operator()(double x) const {
        if (!table_.empty()) return table_[static_cast<size_t>(x)];
        return x > 0.0 ? x * log2_of(x) : 0.0;
    }

    double sum(double a, double b) const {
        if (!table_.empty()) return table_[static_cast<size_t>(a)] + table_[static_cast<size_t>(b)];
        const auto both = both_xlog2x(a, b, std::numeric_limits<double>::denorm_min());
        return both[0] + both[1];
    }

private:
    std::vector<double> table_;
};

// The decrease of the Gini index, from the sums of squared class weights.
inline double gini_gain(double squares_left, double w_left, double squares_right, double w_right,
                        double squares) {
    const double weight = w_left + w_right;
    return Purity(squares_left, w_left, squares_right, w_right).value() -
           squares / (weight * weight);
}

// p_L * p_R / 4 times the squared sum over the classes of abs(p(c, L) - p(c, R)).
inline double twoing_gain(std::span<const double> left, double w_left, const Known &known) {
    const double weight = known.weight;
    const double difference = twoing_difference(left, w_left, known.sums, weight);
    return difference * difference / (4.0 * weight * weight * w_left * (weight - w_left));
}

// The decrease of the mean squared error, from sums of centred targets.
inline double variance_gain(double sum_left, double w_left, double mean, double weight) {
    const double deviation = sum_left - w_left * mean;
    return deviation * deviation / (w_left * (weight - w_left));
}

// The gain of the split whose left child has the sums `left`, and that child's weight.
struct Gain {
    double gain;
    double w_left;
};

inline double gini_of(std::span<const double> left, double w_left, const Known &known) {
    const auto [inner, outer] = squares_of(left, known.sums);
    double squares = 0.0;
    for (const double sum : known.sums) squares += sum * sum;
    return gini_gain(inner, w_left, outer, known.weight - w_left, squares);
}

inline double entropy_of(std::span<const double> left, double w_left, const Known &known,
                         const XLog2X &xlog2x) {
    double gain = xlog2x(known.weight) - xlog2x(w_left) - xlog2x(known.weight - w_left);
    for (size_t c = 0; c < left.size(); ++c) {
        const double inside = xlog2x.sum(left[c], known.sums[c] - left[c]);
        gain += inside - xlog2x(known.sums[c]);
    }
    return gain / known.weight;
}

inline Gain gain_of(std::span<const double> left, const Known &known, int64_t criterion,
                    const XLog2X &xlog2x) {
    if (criterion == RETREE_VARIANCE) {
        const double mean = known.sums[1] / known.sums[0];
        return {variance_gain(left[1], left[0], mean, known.weight), left[0]};
    }
    const double w_left = sum_of(left);
    if (criterion == RETREE_GINI) return {gini_of(left, w_left, known), w_left};
    if (criterion == RETREE_ENTROPY) return {entropy_of(left, w_left, known, xlog2x), w_left};
    return {twoing_gain(left, w_left, known), w_left};
}

}  // namespace retree::cart
