// Expected differences between a value and one that is missing.
#pragma once

#include "core/standard.hpp"

namespace retree {

inline std::vector<double> sorted_known(std::span<const double> values) {
    std::vector<double> known;
    std::copy_if(values.begin(), values.end(), std::back_inserter(known),
                 [](double value) { return !std::isnan(value); });
    std::sort(known.begin(), known.end());
    return known;
}

// The missing value is one of the known values of its class, each as likely.
class Expectation {
public:
    Expectation(std::vector<double> sorted, bool is_nominal)
        : known_(std::move(sorted)), sums_(known_.size() + 1), is_nominal_(is_nominal) {
        std::partial_sum(known_.begin(), known_.end(), sums_.begin() + 1);
    }

    bool empty() const { return known_.empty(); }
    std::span<const double> values() const { return known_; }

    double mean_difference(double value) const {
        const auto n = static_cast<int64_t>(known_.size());
        const auto lower = std::lower_bound(known_.begin(), known_.end(), value);
        const int64_t below = lower - known_.begin();
        if (is_nominal_) {
            const auto upper = std::upper_bound(lower, known_.end(), value);
            return 1.0 - static_cast<double>(upper - lower) / static_cast<double>(n);
        }
        const double n_below = static_cast<double>(below), n_above = static_cast<double>(n - below);
        const double total =
            value * n_below - sums_[below] + (sums_[n] - sums_[below]) - value * n_above;
        return total / static_cast<double>(n);
    }

private:
    std::vector<double> known_;
    std::vector<double> sums_;  // sums_[i] is the sum of the first i known values
    bool is_nominal_;
};

}  // namespace retree
