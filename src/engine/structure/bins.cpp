#include "structure/bins.hpp"

namespace retree::structure {

ColumnRange::ColumnRange(const Node &node, int64_t column) {
    const auto entries = node.entries(column);
    low = node.columns.scaled(row_of(entries.front()), column);
    const double high = node.columns.scaled(row_of(entries.back()), column);
    // Values may differ by less than the scaled columns can tell.
    extent = high > low ? high - low : 1.0;
}

Bins::Bins(const Columns &columns) : n_classes_(columns.n_classes) {
    const int64_t per_column = BINS * n_classes_;
    const int64_t per_row = std::max<int64_t>(1, columns.n_columns());
    n_columns_ =
        std::min(columns.n_wide(), std::max<int64_t>(1, SUMS_IN_CACHE / (per_column * per_row)));
    total_ = Table<double>(n_columns_ * per_column, columns.n_columns());
    n_rows_.resize(static_cast<size_t>(n_columns_ * per_column));
    size_.resize(n_rows_.size());
    path_.resize(n_rows_.size());
    sums_ = Table<double>(n_classes_, columns.n_columns());
    norm_ = Table<double>(BINS + 1, n_classes_);
    first_.resize(BINS + 1);
}

void Bins::fill(const Node &node, std::span<const int64_t> some, const Geometry &geometry) {
    std::vector<ColumnRange> ranges;
    for (const int64_t column : some) ranges.emplace_back(node, column);
    total_.fill(0.0);
    std::ranges::fill(size_, 0);
    std::ranges::fill(n_rows_, 0.0);
    std::ranges::fill(path_, 0.0);
    const auto rows = node.rows();
    for (size_t first = 0; first < rows.size(); first += ROWS_AT_ONCE) {
        const auto block = rows.subspan(first, std::min(ROWS_AT_ONCE, rows.size() - first));
        for (size_t place = 0; place < some.size(); ++place)
            add_block(node.columns, block, some[place], ranges[place], static_cast<int64_t>(place),
                      geometry);
    }
}

RETREE_VECTOR void Bins::add_block(const Columns &columns, std::span<const int32_t> rows,
                                   int64_t column, ColumnRange range, int64_t place,
                                   const Geometry &geometry) noexcept {
    std::array<int64_t, ROWS_AT_ONCE> where;
    for (size_t i = 0; i < rows.size(); ++i) {
        const double share = (columns.scaled(rows[i], column) - range.low) / range.extent;
        const auto bin = std::min<int64_t>(BINS - 1, static_cast<int32_t>(BINS * share));
        where[i] = index(place, bin, columns.y[rows[i]]);
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        const double w = columns.weight[rows[i]];
        ++size_[where[i]];
        n_rows_[where[i]] += w;
        path_[where[i]] += w * geometry.distance[rows[i]];
        add_row(columns, rows[i], total_.row(where[i]).data());
    }
}

void Bins::measure_borders(const Geometry &geometry, int64_t place) {
    std::vector<double> left(static_cast<size_t>(n_classes_));
    place_ = place;
    bin_ = 0;
    sums_.fill(0.0);
    for (int64_t b = 0; b < BINS; ++b) {
        first_[b + 1] = first_[b];
        for (int64_t c = 0; c < n_classes_; ++c) {
            const int64_t where = index(place, b, c);
            first_[b + 1] += size_[where];
            left[c] += n_rows_[where];
            const auto added = total_.row(where);
            const auto sums = sums_.row(c);
            for (size_t j = 0; j < sums.size(); ++j) sums[j] += added[j];
            const double squared =
                squared_norm(sums.data(), geometry.mean.row(c).data(), left[c], geometry.weight);
            norm_(b + 1, c) = std::sqrt(squared);
        }
    }
}

int64_t Bins::enter(int64_t position, const Geometry &geometry, bool squared, Sweep &sweep) {
    while (first_[bin_ + 1] <= position) ++bin_;
    for (int64_t c = 0; c < n_classes_; ++c) {
        sweep.reach[c] = std::min(sweep.reach[c], norm_(bin_, c));
        sweep.ahead[c] = norm_(bin_ + 1, c) + path_[index(place_, bin_, c)];
    }
    const std::span all(n_rows_);
    const auto first = static_cast<size_t>(index(place_, bin_, 0));
    sweep.bound_bin(geometry, all.subspan(first, static_cast<size_t>(n_classes_)), squared);
    return first_[bin_ + 1];
}

}  // namespace retree::structure
