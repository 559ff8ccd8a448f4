// What the criteria of several families are made of: sums over the classes of both sides of a
// split.
#pragma once

#include "core/numbers.hpp"

namespace retree {

// One minus the weighted Gini index of the children as a fraction, from their sums of squared class
// weights: one division instead of three, and none where it is hopeless.
struct Purity {
    Purity(double squares_left, double left, double squares_right, double right)
        : numerator(squares_left * right + squares_right * left),
          denominator(left * right * (left + right)) {}

    double value() const { return numerator / denominator; }
    // Whether the value may reach a cut; the slack is far beyond what rounding does.
    bool may_reach(double cut) const { return numerator >= cut * denominator * (1.0 - 1e-12); }

    double numerator;
    double denominator;
};

// The sums of squared class weights on the left and on the right.
inline std::array<double, 2> squares_of(std::span<const double> left,
                                        std::span<const double> totals) {
    std::array<double, 2> squares{};
    for (size_t c = 0; c < left.size(); ++c) {
        const double right = totals[c] - left[c];
        squares[0] += left[c] * left[c];
        squares[1] += right * right;
    }
    return squares;
}

// The sum over the classes of abs(p(c, L) - p(c, R)), of twoing, times p_R and the squared weight.
inline double twoing_difference(std::span<const double> left, double w_left,
                                std::span<const double> totals, double weight) {
    double difference = 0.0;
    for (size_t c = 0; c < left.size(); ++c)
        difference += std::abs(left[c] * weight - totals[c] * w_left);
    return difference;
}

// Returns x * log2(x) of two numbers, 0 of one below `least`.
inline std::array<double, 2> both_xlog2x(double a, double b, double least) {
    const bool has_a = a >= least, has_b = b >= least;
    const auto logs = log2_of_both(std::array{has_a ? a : 1.0, has_b ? b : 1.0});
    return {has_a ? a * logs[0] : 0.0, has_b ? b * logs[1] : 0.0};
}

// Returns x * log2(x) of 0, 1, ..., n.
inline std::vector<double> xlog2x_table(int64_t n) {
    std::vector<double> table(static_cast<size_t>(n) + 1);
    for (size_t i = 2; i < table.size(); ++i) table[i] = static_cast<double>(i) * log2_of_whole(i);
    return table;
}

}  // namespace retree
