#include "core/whole_scan.hpp"

namespace retree {
namespace {

double greatest_of(const double *gains, int32_t n) {
    std::array<double, 4> most;
    most.fill(WholeScan::NO_GAIN);
    int32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int32_t k = 0; k < 4; ++k) most[k] = gains[i + k] > most[k] ? gains[i + k] : most[k];
    for (; i < n; ++i) most[0] = gains[i] > most[0] ? gains[i] : most[0];
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

}  // namespace

// Of the columns of a node those without a missing value have the same counts, and one table.
void WholeScan::start(std::span<const double> counts) {
    bool is_known = total_ > 0;
    for (size_t c = 0; c < totals_.size(); ++c) {
        const auto total = static_cast<int32_t>(counts[c] + 0.5);
        is_known &= totals_[c] == total;
        totals_[c] = total;
    }
    if (is_known) return;
    total_ = 0;
    all_terms_ = 0.0;
    for (size_t c = 0; c < totals_.size(); ++c) {
        first_[c] = total_ + static_cast<int32_t>(c);
        const auto n = static_cast<size_t>(totals_[c]) + 1;
        tabulate(c, std::span(terms_).subspan(static_cast<size_t>(first_[c]), n));
        all_terms_ += table_[totals_[c]];
        total_ += totals_[c];
    }
    offset_ = table_[total_] - all_terms_;
}

void WholeScan::tabulate(size_t c, std::span<double> terms) const {
    const auto total = static_cast<size_t>(totals_[c]);
    for (size_t n = 0; n <= total; ++n) terms[n] = table_[n] + table_[total - n];
    if (!weight_.empty()) return;
    for (size_t n = 0; n < total; ++n) terms[n] = terms[n + 1] - terms[n];
}

void WholeScan::set_gains(int32_t first, int32_t last) {
    greatest_.resize(static_cast<size_t>((last - first + BLOCK - 1) / BLOCK));
    weight_.empty() ? set_unit_gains(first, last) : set_weighted_gains(first, last);
    double *greatest = greatest_.data();
    for (int32_t block = first; block < last; block += BLOCK)
        *greatest++ = greatest_of(gains_.data() + block, std::min(BLOCK, last - block));
}

RETREE_VECTOR void WholeScan::set_unit_gains(int32_t first, int32_t last) noexcept {
    const double *const on_left = table_.data() + 1, *const on_right = table_.data() + total_ - 1;
    double *const __restrict gains = gains_.data();
    const double offset = offset_;
    for (int32_t i = first; i < last; ++i) gains[i] = offset + gains[i] - on_left[i] - on_right[-i];
}

void WholeScan::set_weighted_gains(int32_t first, int32_t last) {
    const double *const table = table_.data(), *const from_right = table_.data() + total_;
    const int32_t *const lefts = lefts_.data();
    double *const __restrict gains = gains_.data();
    const double offset = offset_;
    for (int32_t i = first; i < last; ++i)
        gains[i] = offset + gains[i] - table[lefts[i]] - from_right[-lefts[i]];
}

void WholeScan::add_weights(std::span<const uint64_t> entries, Packing packing,
                            std::vector<int32_t> &of_classes) const {
    int32_t *const sums = of_classes.data();
    const int32_t *const weight = weight_.empty() ? nullptr : weight_.data();
    for (const uint64_t entry : entries)
        sums[packing.label(entry)] += weight == nullptr ? 1 : weight[row_of(entry)];
}

}  // namespace retree
