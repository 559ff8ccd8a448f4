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
    clear();
    for (size_t i = 0; i < keys_.size(); ++i) {
        const auto row = static_cast<int32_t>(i);
        take(i, row, X(row, column));
    }
    return sort_taken();
}

ColumnSorter::Sorted ColumnSorter::sort(Matrix<const double> X, int64_t column,
                                        std::span<const int32_t> rows) {
    clear();
    for (size_t i = 0; i < keys_.size(); ++i) take(i, rows[i], X(rows[i], column));
    return sort_taken();
}

void ColumnSorter::clear() { std::fill(counts_.begin(), counts_.end(), 0); }

void ColumnSorter::take(size_t place, int32_t row, double value) {
    const uint64_t key = sort_key(value);
    keys_[place] = key;
    rows_[place] = row;
    for (int d = 0; d < N_DIGITS; ++d)
        ++counts_[(static_cast<size_t>(d) << DIGIT_BITS) + ((key >> (d * DIGIT_BITS)) & MASK)];
}

ColumnSorter::Sorted ColumnSorter::sort_taken() {
    const size_t n = keys_.size();
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
