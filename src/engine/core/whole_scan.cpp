#include "core/whole_scan.hpp"

namespace retree {

void WholeScan::start(std::span<const double> counts) {
    total_ = 0;
    double terms = 0.0;
    for (size_t c = 0; c < totals_.size(); ++c) {
        totals_[c] = static_cast<int32_t>(counts[c] + 0.5);
        class_terms_[c] = table_[totals_[c]];
        total_ += totals_[c];
        terms += class_terms_[c];
    }
    offset_ = table_[total_] - terms;
}

void WholeScan::set_gains(int32_t first, int32_t last) {
    weight_.empty() ? set_gains_of<true>(first, last) : set_gains_of<false>(first, last);
}

template <bool IS_UNIT>
void WholeScan::set_gains_of(int32_t first, int32_t last) {
    const std::array<double, 2> start{-std::numeric_limits<double>::infinity(), offset_};
    const double *const table = table_.data();
    const uint8_t *const may_cut = may_cut_.data();
    const int32_t *const lefts = lefts_.data();
    double *const gains = gains_.data();
    greatest_.clear();
    for (int32_t block = first; block < last; block += BLOCK) {
        double greatest = start[0];
        for (int32_t i = block; i < std::min(block + BLOCK, last); ++i) {
            const int32_t n_left = IS_UNIT ? i + 1 : lefts[i], n_right = total_ - n_left;
            const double gain = start[may_cut[i]] + gains[i] - table[n_left] - table[n_right];
            gains[i] = gain;
            greatest = gain > greatest ? gain : greatest;
        }
        greatest_.push_back(greatest);
    }
}

}  // namespace retree
