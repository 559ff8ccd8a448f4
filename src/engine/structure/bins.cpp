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
    path_.resize(n_rows_.size());
    sums_ = Table<double>(n_classes_, columns.n_columns());
    norm_ = Table<double>(BINS + 1, n_classes_);
    first_.resize(BINS + 1);
}

void Bins::fill(const Node &node, std::span<const int64_t> some, const Geometry &geometry) {
    std::vector<ColumnRange> ranges;
    for (const int64_t column : some) ranges.emplace_back(node, column);
    total_.fill(0.0);
    std::ranges::fill(n_rows_, 0.0);
    std::ranges::fill(path_, 0.0);
    const Columns &columns = node.columns;
    for (const int32_t row : node.rows()) {
        for (int64_t place = 0; place < std::ssize(some); ++place) {
            const ColumnRange &range = ranges[place];
            const double share = (columns.scaled(row, some[place]) - range.low) / range.extent;
            const auto bin = std::min(BINS - 1, static_cast<int64_t>(BINS * share));
            const int64_t where = index(place, bin, columns.y[row]);
            n_rows_[where] += 1.0;
            path_[where] += geometry.distance[row];
            add_row(columns, row, total_.row(where).data());
        }
    }
}

void Bins::measure_borders(const Geometry &geometry, int64_t place) {
    std::vector<double> left(static_cast<size_t>(n_classes_));
    place_ = place;
    bin_ = 0;
    sums_.fill(0.0);
    for (int64_t b = 0; b < BINS; ++b) {
        for (int64_t c = 0; c < n_classes_; ++c) {
            const int64_t where = index(place, b, c);
            left[c] += n_rows_[where];
            const auto added = total_.row(where);
            const auto sums = sums_.row(c);
            for (size_t j = 0; j < sums.size(); ++j) sums[j] += added[j];
            const double squared =
                squared_norm(sums.data(), geometry.mean.row(c).data(), left[c], geometry.weight);
            norm_(b + 1, c) = std::sqrt(squared);
        }
        double n_left = 0.0;
        for (const double n : left) n_left += n;
        first_[b + 1] = static_cast<int64_t>(n_left);
    }
}

int64_t Bins::enter(int64_t position, Sweep &sweep) {
    while (first_[bin_ + 1] <= position) ++bin_;
    for (int64_t c = 0; c < n_classes_; ++c) {
        sweep.reach[c] = std::min(sweep.reach[c], norm_(bin_, c));
        sweep.ahead[c] = norm_(bin_ + 1, c) + path_[index(place_, bin_, c)];
    }
    return first_[bin_ + 1];
}

}  // namespace retree::structure
