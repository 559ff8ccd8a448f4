#include "cart/gain.hpp"

namespace retree::cart {
namespace {

double gini_of(std::span<const double> left, double w_left, const Known &known) {
    double inner = 0.0, outer = 0.0, squares = 0.0;
    for (size_t c = 0; c < left.size(); ++c) {
        const double right = known.sums[c] - left[c];
        inner += left[c] * left[c];
        outer += right * right;
        squares += known.sums[c] * known.sums[c];
    }
    return gini_gain(inner, w_left, outer, known.weight - w_left, squares);
}

double entropy_of(std::span<const double> left, double w_left, const Known &known,
                  const XLog2X &xlog2x) {
    double gain = xlog2x(known.weight) - xlog2x(w_left) - xlog2x(known.weight - w_left);
    for (size_t c = 0; c < left.size(); ++c) {
        const double inside = xlog2x(left[c]) + xlog2x(known.sums[c] - left[c]);
        gain += inside - xlog2x(known.sums[c]);
    }
    return gain / known.weight;
}

}  // namespace

Gain gain_of(std::span<const double> left, const Known &known, Criterion criterion,
             const XLog2X &xlog2x) {
    if (criterion == VARIANCE) {
        const double mean = known.sums[1] / known.sums[0];
        return {variance_gain(left[1], left[0], mean, known.weight), left[0]};
    }
    const double w_left = sum_of(left);
    if (criterion == GINI) return {gini_of(left, w_left, known), w_left};
    if (criterion == ENTROPY) return {entropy_of(left, w_left, known, xlog2x), w_left};
    return {twoing_gain(left, w_left, known), w_left};
}

}  // namespace retree::cart
