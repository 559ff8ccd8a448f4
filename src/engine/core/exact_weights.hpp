// Weights of rows of which all sums are exact.
#pragma once

#include "core/interface.hpp"

namespace retree {

// Positive weights, all of them multiples of one power of 2 and together less than 2^53 of it. What
// remains of a class is then 0 where it has no rows, and no sum depends on the order of the rows.
class ExactWeights {
public:
    ExactWeights() = default;
    ExactWeights(const retree_array *weight, int64_t n_rows)
        : values_(vector_of<const double>(weight, "weight", n_rows)) {
        const auto is_good = [](double w) { return w > 0.0 && std::isfinite(w); };
        require(std::ranges::all_of(values_, is_good), "The engine needs positive weights.");
        const double total = std::accumulate(values_.begin(), values_.end(), 0.0);
        require(total > 0x1p-900 && total < 0x1p300, "The engine needs weights of a moderate sum.");
        const double unit = std::ldexp(1.0, std::ilogb(total) - 52);
        const auto is_multiple = [unit](double w) { return std::floor(w / unit) * unit == w; };
        require(std::ranges::all_of(values_, is_multiple),
                "The engine needs weights whose sums are exact.");
        least_ = std::ranges::min(values_);
        if (least_ == 1.0 && std::ranges::max(values_) == 1.0) values_ = {};
    }

    // Whether they are not all 1.
    bool differ() const { return !values_.empty(); }
    double operator[](int32_t row) const { return values_.empty() ? 1.0 : values_[row]; }
    double least() const { return least_; }

private:
    std::span<const double> values_;
    double least_ = 1.0;
};

}  // namespace retree
