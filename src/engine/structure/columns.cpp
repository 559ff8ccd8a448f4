#include "structure/columns.hpp"

#include "core/presort.hpp"

namespace retree::structure {
namespace {

bool all_finite(Matrix<const double> X) {
    constexpr uint64_t EXPONENT = uint64_t{0x7ff} << 52;
    bool finite = true;
    for (int64_t i = 0; i < X.rows * X.columns; ++i)
        finite &= (std::bit_cast<uint64_t>(X.data[i]) & EXPONENT) != EXPONENT;
    return finite;
}

// The number of distinct values of a column, but at most 3.
int count_values(Matrix<const double> X, int64_t column) {
    const double first = X(0, column);
    double second = first;
    for (int64_t i = 0; i < X.rows; ++i) {
        const double value = X(i, column);
        if (value == first || value == second) continue;
        if (second != first) return 3;
        second = value;
    }
    return second != first ? 2 : 1;
}

struct Range {
    double low;
    double high;
};

Range range_of(Matrix<const double> X, int64_t column) {
    Range range{X(0, column), X(0, column)};
    for (int64_t i = 0; i < X.rows; ++i) {
        range.low = std::min(range.low, X(i, column));
        range.high = std::max(range.high, X(i, column));
    }
    return range;
}

}  // namespace

Columns::Columns(Matrix<const double> X, std::span<const int32_t> labels, ExactWeights weights,
                 int64_t classes, bool distances)
    : y(labels), weight(weights), n_classes(classes), packing(packing_of(classes, X.rows)) {
    require(all_finite(X), "The engine needs finite values in X.");
    sort_out(X);
    fill_bits(X);
    scaled = Table<double>(distances ? X.rows : 0, n_wide());
    if (distances) fill_scaled(X);
}

void Columns::sort_out(Matrix<const double> X) {
    for (int64_t j = 0; j < X.columns; ++j) {
        const int n_values = count_values(X, j);
        if (n_values == 3) wide.push_back(static_cast<int32_t>(j));
        if (n_values == 2) pair.push_back(static_cast<int32_t>(j));
    }
}

void Columns::fill_bits(Matrix<const double> X) {
    bits = Table<uint8_t>(X.rows, n_pair());
    set_start.resize(static_cast<size_t>(X.rows) + 1);
    std::vector<double> low;
    for (const int32_t j : pair) low.push_back(range_of(X, j).low);
    for (int64_t i = 0; i < X.rows; ++i) {
        for (int64_t j = 0; j < n_pair(); ++j) {
            bits(i, j) = X(i, pair[j]) != low[j];
            if (bits(i, j) != 0) set_pairs.push_back(static_cast<int32_t>(j));
        }
        set_start[i + 1] = std::ssize(set_pairs);
    }
}

void Columns::fill_scaled(Matrix<const double> X) {
    for (int64_t j = 0; j < n_wide(); ++j) {
        const Range range = range_of(X, wide[j]);
        // Halved, so that the range of values near the largest float stays finite.
        const double low = range.low * 0.5, high = range.high * 0.5;
        for (int64_t i = 0; i < X.rows; ++i)
            scaled(i, j) = (X(i, wide[j]) * 0.5 - low) / (high - low);
    }
}

Order::Order(const Columns &columns, Matrix<const double> X, Poll &poll)
    : entries(columns.n_wide(), X.rows), rows(static_cast<size_t>(X.rows)) {
    std::iota(rows.begin(), rows.end(), 0);
    if (columns.n_wide() == 0) return;
    Team alone(1, 1);
    read_keys(X, columns.wide, rows, {entries.row(0).data(), columns.n_wide(), X.rows}, alone);
    ColumnSorter sorter(X.rows);
    for (int64_t j = 0; j < columns.n_wide(); ++j) {
        poll.check();
        const auto sorted = sorter.sort(entries.row(j), rows);
        uint64_t code = 0;
        for (int64_t i = 0; i < X.rows; ++i) {
            code += i > 0 && sorted.keys[i] != sorted.keys[i - 1];
            const int32_t row = sorted.rows[i];
            entries(j, i) = columns.packing.pack(code, columns.y[row], row);
        }
    }
}

Order::Order(const Order &other, int64_t start, int64_t end)
    : entries(other.entries.rows(), end - start),
      rows(other.rows.begin() + start, other.rows.begin() + end) {
    for (int64_t j = 0; j < entries.rows(); ++j) {
        const auto from = other.entries.row(j);
        std::copy(from.begin() + start, from.begin() + end, entries.row(j).begin());
    }
}

void rows_by_column(const Node &node, int64_t column, std::vector<int32_t> &rows) {
    rows.resize(static_cast<size_t>(node.size()));
    const Columns &columns = node.columns;
    if (column < columns.n_wide()) {
        std::ranges::transform(node.entries(column), rows.begin(),
                               [](uint64_t entry) { return row_of(entry); });
        return;
    }
    const auto is_low = [&](int32_t row) {
        return columns.bits(row, column - columns.n_wide()) == 0;
    };
    auto end = std::ranges::copy_if(node.rows(), rows.begin(), is_low).out;
    std::ranges::copy_if(node.rows(), end, [&](int32_t row) { return !is_low(row); });
}

}  // namespace retree::structure
