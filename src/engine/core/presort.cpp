#include "core/presort.hpp"

#include <algorithm>

namespace retree {

ColumnSorter::ColumnSorter(int64_t n_rows)
    : keys_(static_cast<size_t>(n_rows)),
      keys_out_(keys_.size()),
      rows_(keys_.size()),
      rows_out_(keys_.size()),
      counts_(size_t{N_DIGITS} << DIGIT_BITS) {}

ColumnSorter::Sorted ColumnSorter::sort(Matrix<const double> X, int64_t column) {
    constexpr uint64_t MASK = (uint64_t{1} << DIGIT_BITS) - 1;
    const size_t n = keys_.size();
    std::fill(counts_.begin(), counts_.end(), 0);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = sort_key(X(static_cast<int64_t>(i), column));
        keys_[i] = key;
        rows_[i] = static_cast<int32_t>(i);
        for (int d = 0; d < N_DIGITS; ++d)
            ++counts_[(static_cast<size_t>(d) << DIGIT_BITS) + ((key >> (d * DIGIT_BITS)) & MASK)];
    }
    for (int d = 0; d < N_DIGITS && n > 0; ++d) {
        int64_t *count = counts_.data() + (static_cast<size_t>(d) << DIGIT_BITS);
        const int shift = d * DIGIT_BITS;
        if (count[(keys_[0] >> shift) & MASK] == static_cast<int64_t>(n)) continue;
        int64_t position = 0;
        for (uint64_t v = 0; v <= MASK; ++v) position += std::exchange(count[v], position);
        for (size_t i = 0; i < n; ++i) {
            const int64_t place = count[(keys_[i] >> shift) & MASK]++;
            keys_out_[static_cast<size_t>(place)] = keys_[i];
            rows_out_[static_cast<size_t>(place)] = rows_[i];
        }
        keys_.swap(keys_out_);
        rows_.swap(rows_out_);
    }
    return {keys_, rows_};
}

}  // namespace retree
