#include "structure/nearest.hpp"

namespace retree::structure {
NearestClasses::NearestClasses(const Columns &columns, const Geometry &geometry, bool squared)
    : columns_(columns),
      geometry_(geometry),
      squared_(squared),
      pairs_(static_cast<size_t>(columns.n_classes)) {}

void NearestClasses::measure(const Node &node) {
    rows_.assign(node.rows().begin(), node.rows().end());
    std::vector<Pair> nearest;
    for (const int32_t row : rows_) nearest.push_back({INF, row, row});
    for (size_t i = 0; i < rows_.size(); ++i) {
        node.poll.check();
        for (size_t j = i + 1; j < rows_.size(); ++j) {
            const int32_t a = rows_[i], b = rows_[j];
            if (columns_.y[a] == columns_.y[b]) continue;
            const double distance = squared_distance(a, b);
            if (distance < nearest[i].distance) nearest[i] = {distance, a, b};
            if (distance < nearest[j].distance) nearest[j] = {distance, b, a};
        }
    }
    for (auto &pairs : pairs_) pairs.clear();
    for (const Pair &pair : nearest) pairs_[columns_.y[pair.row]].push_back(pair);
    for (auto &pairs : pairs_) std::ranges::stable_sort(pairs, {}, &Pair::distance);
}

// Four sums side by side, since the compiler must not reorder a single one.
double NearestClasses::squared_distance(int32_t a, int32_t b) const {
    const auto x = columns_.scaled.row(a), z = columns_.scaled.row(b);
    const size_t n = x.size(), whole = n - n % 4;
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t j = 0; j < whole; j += 4) {
        for (size_t s = 0; s < 4; ++s) {
            const double difference = x[j + s] - z[j + s];
            sums[s] += geometry_.weight[j + s] * (difference * difference);
        }
    }
    for (size_t j = whole; j < n; ++j) {
        const double difference = x[j] - z[j];
        sums[0] += geometry_.weight[j] * (difference * difference);
    }
    const auto p = columns_.bits.row(a), q = columns_.bits.row(b);
    int32_t differing = 0;
    for (size_t j = 0; j < p.size(); ++j) differing += p[j] != q[j];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + differing;
}

// The sum over the children of the mean over their classes; a child of one class adds 0.
template <class Distance>
double NearestClasses::mean_over_classes(std::span<const double> left,
                                         Distance squared_distance) const {
    double total = 0.0;
    for (const uint8_t child : {uint8_t{1}, uint8_t{0}}) {
        std::vector<size_t> present;
        for (size_t c = 0; c < left.size(); ++c)
            if ((child == 1 ? left[c] : geometry_.counts[c] - left[c]) > 0.0) present.push_back(c);
        if (present.size() < 2) continue;
        double sum = 0.0;
        for (const size_t c : present) {
            const double squared = squared_distance(c, child);
            sum += squared_ ? squared : std::sqrt(squared);
        }
        total += sum / static_cast<double>(present.size());
    }
    return total;
}

double NearestClasses::bound(std::span<const double> left) const {
    return mean_over_classes(left, [&](size_t c, uint8_t) { return pairs_[c].front().distance; });
}

double NearestClasses::penalty(std::span<const double> left, std::span<const uint8_t> side) const {
    return mean_over_classes(left,
                             [&](size_t c, uint8_t child) { return in_child(c, child, side); });
}

// The least squared distance of rows of class `c` from other classes in a child.
double NearestClasses::in_child(size_t c, uint8_t child, std::span<const uint8_t> side) const {
    double least = INF;
    for (const auto &[distance, row, other] : pairs_[c]) {
        if (distance >= least) break;
        if (side[row] != child) continue;
        if (side[other] == child) return distance;
        for (const int32_t candidate : rows_) {
            if (side[candidate] != child || columns_.y[candidate] == columns_.y[row]) continue;
            least = std::min(least, squared_distance(row, candidate));
        }
    }
    return least;
}

}  // namespace retree::structure
