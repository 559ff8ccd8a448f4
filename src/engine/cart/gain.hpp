// How much a split lowers the impurity of the rows that have a value (Breiman et al. 1984).
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "cart/node.hpp"

namespace retree::cart {

// x * log2(x), looked up where all weights are whole numbers.
class XLog2X {
public:
    // The table has x * log2(x) of 0, 1, ...; it is empty where a weight is not whole.
    explicit XLog2X(std::vector<double> table) : table_(std::move(table)) {}

    double operator()(double x) const {
        if (!table_.empty()) return table_[static_cast<size_t>(x)];
        return x > 0.0 ? x * std::log2(x) : 0.0;
    }

private:
    std::vector<double> table_;
};

// The decrease of the Gini index, from the sums of squared class weights.
inline double gini_gain(double squares_left, double w_left, double squares_right, double w_right,
                        double squares) {
    const double weight = w_left + w_right;
    const double inside = squares_left * w_right + squares_right * w_left;
    return inside / (w_left * w_right * weight) - squares / (weight * weight);
}

// p_L * p_R / 4 times the squared sum over the classes of abs(p(c, L) - p(c, R)).
inline double twoing_gain(std::span<const double> left, double w_left, const Known &known) {
    double difference = 0.0;
    for (size_t c = 0; c < left.size(); ++c)
        difference += std::abs(left[c] * known.weight - known.sums[c] * w_left);
    const double weight = known.weight;
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

Gain gain_of(std::span<const double> left, const Known &known, Criterion criterion,
             const XLog2X &xlog2x);

}  // namespace retree::cart
