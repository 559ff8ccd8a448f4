#include "structure/geometry.hpp"

namespace retree::structure {

Geometry::Geometry(const Columns &columns, bool distances)
    : counts(static_cast<size_t>(columns.n_classes)),
      ones(columns.n_classes, columns.n_pair()),
      mean(columns.n_classes, columns.n_columns()),
      weight(static_cast<size_t>(columns.n_columns()), 1.0),
      scatter(counts.size()),
      distance(distances ? columns.y.size() : 0) {}

void Geometry::weigh(const Node &node) {
    const Columns &columns = node.columns;
    for (int64_t j = 0; j < columns.n_wide(); ++j) {
        const auto entries = node.entries(j);
        const double low = columns.scaled(row_of(entries.front()), j);
        const double high = columns.scaled(row_of(entries.back()), j);
        weight[j] = inverse_square(high - low);
    }
}

void Geometry::measure(const Node &node) {
    const Columns &columns = node.columns;
    weigh(node);
    mean.fill(0.0);
    for (const int32_t row : node.rows()) add_row(columns, row, mean.row(columns.y[row]).data());
    for (int64_t c = 0; c < columns.n_classes; ++c) {
        if (counts[c] == 0.0) continue;
        for (double &value : mean.row(c)) value /= counts[c];
    }
    measure_distances(node);
}

void Geometry::measure_distances(const Node &node) {
    const Columns &columns = node.columns;
    const int64_t n_wide = columns.n_wide();
    std::vector<double> base(counts.size());
    for (int64_t c = 0; c < columns.n_classes; ++c)
        for (const double value : mean.row(c).subspan(static_cast<size_t>(n_wide)))
            base[c] += value * value;
    std::ranges::fill(scatter, 0.0);
    for (const int32_t row : node.rows()) {
        const int32_t c = columns.y[row];
        const auto values = columns.scaled.row(row);
        const double *centre = mean.row(c).data();
        double squared = base[c];
        for (int64_t j = 0; j < n_wide; ++j) {
            const double difference = values[j] - centre[j];
            squared += weight[j] * (difference * difference);
        }
        // (b - m)^2 is m^2 + b (1 - 2 m) for a bit b.
        for (const int32_t j : columns.set_of(row)) squared += 1.0 - 2.0 * centre[n_wide + j];
        scatter[c] += columns.weight[row] * squared;
        distance[row] = std::sqrt(std::max(squared, 0.0));
    }
}

double squared_norm(const double *total, const double *mean, double n,
                    std::span<const double> weight) {
    const size_t n_columns = weight.size(), whole = n_columns - n_columns % 4;
    // Four sums side by side, since the compiler must not reorder a single one.
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t j = 0; j < whole; j += 4) {
        for (size_t s = 0; s < 4; ++s) {
            const double difference = total[j + s] - n * mean[j + s];
            sums[s] += weight[j + s] * difference * difference;
        }
    }
    for (size_t j = whole; j < n_columns; ++j) {
        const double difference = total[j] - n * mean[j];
        sums[0] += weight[j] * difference * difference;
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace retree::structure
