#include "relief/relief.hpp"

#include "retree/relief.h"

namespace retree {
namespace {

constexpr double TIE = 1e-9;    // distances that differ by less are tied
constexpr int64_t BLOCK = 512;  // rows whose distances stay in the first cache
constexpr int64_t FEW = 64;     // rows that are passed over together
constexpr int64_t MOST_LEVELS = 256;

}  // namespace

Relief::Relief(std::span<const std::span<const double>> columns, std::span<const uint8_t> nominal,
               std::span<const int64_t> class_start)
    : columns_(columns),
      nominal_(nominal),
      class_start_(class_start),
      missing_(columns, nominal, class_start),
      distance_(static_cast<size_t>(n_rows())),
      end_(static_cast<size_t>(n_classes())) {
    candidates_.reserve(distance_.size());  // so that adding some never asks for memory
    pack_levels();
}

// Counts of different levels are whole numbers, so that bytes give the same sums as doubles.
void Relief::pack_levels() {
    if (n_features() >= MOST_LEVELS || std::ranges::count(nominal_, 0) > 0) return;
    const auto is_byte = [](double value) {
        return value >= 0.0 && value < MOST_LEVELS && value == std::floor(value);
    };
    for (const auto column : columns_)
        if (!std::ranges::all_of(column, is_byte)) return;
    levels_.reserve(static_cast<size_t>(n_features() * n_rows()));
    for (const auto column : columns_) levels_.insert(levels_.end(), column.begin(), column.end());
}

void Relief::find_distances(int64_t row, int64_t row_class) {
    std::ranges::fill(distance_, 0.0);
    if (!levels_.empty()) {
        for (int64_t start = 0; start < n_rows(); start += BLOCK)
            count_differences(row, start, std::min(start + BLOCK, n_rows()));
        return;
    }
    int64_t first = 0;
    for (int64_t j = 0; j < n_features(); ++j) {
        if (!is_missing(j, row)) continue;
        add_columns(row, first, j);
        add_expected(missing_.to_class(j, row_class));
        first = j + 1;
    }
    add_columns(row, first, n_features());
}

RETREE_VECTOR void Relief::count_differences(int64_t row, int64_t start, int64_t end) noexcept {
    std::array<uint8_t, BLOCK> count{};
    const int64_t n = end - start;
    for (int64_t j = 0; j < n_features(); ++j) {
        const uint8_t *level = levels_.data() + j * n_rows();
        const uint8_t own = level[row];
        for (int64_t i = 0; i < n; ++i) count[i] += level[start + i] != own ? 1 : 0;
    }
    for (int64_t i = 0; i < n; ++i) distance_[start + i] = count[i];
}

// Adds the differences in some columns, all of which the row knows.
void Relief::add_columns(int64_t row, int64_t first, int64_t last) {
    for (int64_t c = 0; c < n_classes(); ++c) {
        const int64_t end_of_class = class_start_[c + 1];
        for (int64_t start = class_start_[c]; start < end_of_class; start += BLOCK) {
            const int64_t end = std::min(start + BLOCK, end_of_class);
            for (int64_t j = first; j < last; ++j) {
                if (missing_.are_in(j)) {
                    add_some_expected(j, row, c, start, end);
                } else {
                    add_differences(j, row, start, end);
                }
            }
        }
    }
}

RETREE_VECTOR void Relief::add_differences(int64_t j, int64_t row, int64_t start,
                                           int64_t end) noexcept {
    double *distance = distance_.data();
    const double *own = columns_[j].data();
    const double value = own[row];
    if (nominal_[j] != 0) {
        for (int64_t i = start; i < end; ++i) distance[i] += own[i] != value ? 1.0 : 0.0;
    } else {
        for (int64_t i = start; i < end; ++i) distance[i] += std::abs(own[i] - value);
    }
}

RETREE_VECTOR void Relief::add_some_expected(int64_t j, int64_t row, int64_t c, int64_t start,
                                             int64_t end) noexcept {
    double *distance = distance_.data();
    const double *own = columns_[j].data();
    const double value = own[row], expected = missing_.to_row(j, row, c);
    if (nominal_[j] != 0) {
        for (int64_t i = start; i < end; ++i) {
            const double known = own[i] != value ? 1.0 : 0.0;
            distance[i] += own[i] != own[i] ? expected : known;
        }
    } else {
        for (int64_t i = start; i < end; ++i)
            distance[i] += own[i] != own[i] ? expected : std::abs(own[i] - value);
    }
}

RETREE_VECTOR void Relief::add_expected(std::span<const double> expected) noexcept {
    double *distance = distance_.data();
    for (size_t i = 0; i < expected.size(); ++i) distance[i] += expected[i];
}

// Sets nearest_ to the smallest distances of a class, ascending, and adds all rows that are as near
// but for rounding to candidates_; returns how many neighbours there are.
int64_t Relief::find_nearest(int64_t row, int64_t c) {
    double reach = INF;
    int64_t n = 0;
    const int64_t end_of_class = class_start_[c + 1];
    for (int64_t start = class_start_[c]; start < end_of_class; start += FEW) {
        const auto first = std::ssize(candidates_);
        add_candidates(row, reach, start, std::min(start + FEW, end_of_class));
        for (auto q = first; q < std::ssize(candidates_); ++q)
            n = insert_nearest(distance_[candidates_[q]], n);
        if (n == std::ssize(nearest_)) reach = nearest_.back() + 2 * TIE;
    }
    return n;
}

// Adds those of a few rows, without `row`, that are within reach.
RETREE_VECTOR void Relief::add_candidates(int64_t row, double reach, int64_t start,
                                          int64_t end) noexcept {
    int64_t n = 0;
    for (int64_t i = start; i < end; ++i) n += distance_[i] <= reach ? 1 : 0;
    if (n == 0) return;
    // Without branches: whether a row is within reach is hard to predict.
    std::array<int32_t, FEW + 1> found;
    n = 0;
    for (int64_t i = start; i < end; ++i) {
        found[n] = static_cast<int32_t>(i);
        n += (distance_[i] <= reach) & (i != row);
    }
    candidates_.insert(candidates_.end(), found.begin(), found.begin() + n);
}

// Inserts a distance in the first n of nearest_; returns how many they are then.
int64_t Relief::insert_nearest(double distance, int64_t n) {
    const auto k = std::ssize(nearest_);
    if (n == k && distance >= nearest_.back()) return n;
    int64_t place = std::min(n, k - 1);
    for (; place > 0 && nearest_[place - 1] > distance; --place)
        nearest_[place] = nearest_[place - 1];
    nearest_[place] = distance;
    return std::min(n + 1, k);
}

// Adds the neighbours in a class to the candidates. Rows that tie at the last place among them
// share the places that are left.
void Relief::find_neighbours(int64_t row, int64_t c, double factor) {
    const auto first = std::ssize(candidates_);
    if (const int64_t n = find_nearest(row, c); n > 0) {
        const double last = nearest_[n - 1];
        int64_t n_closer = 0, n_tied = 0;
        while (nearest_[n_closer] < last - TIE) ++n_closer;
        const auto found = candidates_.begin() + first;
        for (auto i = found; i != candidates_.end(); ++i)
            n_tied += std::abs(distance_[*i] - last) <= TIE ? 1 : 0;
        candidates_.erase(std::remove_if(found, candidates_.end(),
                                         [&](int32_t i) { return distance_[i] > last + TIE; }),
                          candidates_.end());
        const double share = static_cast<double>(n - n_closer) / static_cast<double>(n_tied);
        const double whole = factor / static_cast<double>(n);
        for (auto i = candidates_.begin() + first; i != candidates_.end(); ++i)
            part_.push_back(whole * (distance_[*i] >= last - TIE ? share : 1.0));
    }
    end_[c] = candidates_.size();
}

// Returns a column's weight with the parts of the candidates of a class, where the row knows it.
double Relief::sum_parts(int64_t j, int64_t row, int64_t c, double weight) const {
    const double *own = columns_[j].data();
    const double value = own[row];
    const size_t first = c > 0 ? end_[c - 1] : 0, last = end_[c];
    if (missing_.are_in(j)) {
        const double expected = missing_.to_row(j, row, c);
        for (size_t q = first; q < last; ++q) {
            const double distance = std::abs(own[candidates_[q]] - value);
            const double known = nominal_[j] != 0 && distance != 0.0 ? 1.0 : distance;
            weight += part_[q] * (std::isnan(distance) ? expected : known);
        }
    } else if (nominal_[j] != 0) {
        for (size_t q = first; q < last; ++q)
            weight += part_[q] * (own[candidates_[q]] != value ? 1.0 : 0.0);
    } else {
        for (size_t q = first; q < last; ++q)
            weight += part_[q] * std::abs(own[candidates_[q]] - value);
    }
    return weight;
}

// Adds what a sampled row says to the weights.
void Relief::add_row(int64_t row) {
    const auto after = std::ranges::upper_bound(class_start_, row);
    const int64_t row_class = after - class_start_.begin() - 1;
    find_distances(row, row_class);
    candidates_.clear();
    part_.clear();
    const int64_t n_own = class_start_[row_class + 1] - class_start_[row_class];
    const auto n_others = static_cast<double>(n_rows() - n_own);
    for (int64_t c = 0; c < n_classes(); ++c) {
        const auto size = static_cast<double>(class_start_[c + 1] - class_start_[c]);
        find_neighbours(row, c, c == row_class ? -1.0 : size / n_others);
    }
    for (int64_t j = 0; j < n_features(); ++j) {
        double weight = weights_[j];
        if (is_missing(j, row)) {
            const auto expected = missing_.to_class(j, row_class);
            for (size_t q = 0; q < part_.size(); ++q) weight += part_[q] * expected[candidates_[q]];
        } else {
            for (int64_t c = 0; c < n_classes(); ++c) weight = sum_parts(j, row, c, weight);
        }
        weights_[j] = weight;
    }
}

std::vector<double> Relief::weights(std::span<const int32_t> sampled, int64_t n_neighbors,
                                    Poll &poll) {
    weights_.assign(static_cast<size_t>(n_features()), 0.0);
    nearest_.assign(static_cast<size_t>(std::min(n_neighbors, n_rows())), 0.0);
    for (size_t s = 0; s < sampled.size(); ++s) {
        poll.check();
        if (s % missing_.most_rows() == 0)
            missing_.look_at(
                sampled.subspan(s, std::min(missing_.most_rows(), sampled.size() - s)));
        add_row(sampled[s]);
    }
    for (double &weight : weights_) weight /= static_cast<double>(sampled.size());
    return weights_;
}

}  // namespace retree

using namespace retree;

int32_t retree_relief_weights(const retree_array *columns, const retree_array *nominal,
                              const retree_array *class_start, const retree_array *sampled,
                              int64_t n_neighbors, retree_array *weights) {
    return guarded([&] {
        const auto X = matrix_of<const double>(columns, "columns");
        const auto is_nominal = vector_of<const uint8_t>(nominal, "nominal", X.rows);
        const auto start = vector_of<const int64_t>(class_start, "class_start");
        const auto drawn = vector_of<const int32_t>(sampled, "sampled rows");
        const auto out = vector_of<double>(weights, "weights", X.rows);
        require(start.size() >= 3 && start.front() == 0 && start.back() == X.columns &&
                    std::ranges::is_sorted(start),
                "The engine needs at least two classes, whose rows follow one another.");
        require(X.columns <= INT32_MAX && n_neighbors > 0 && !drawn.empty(),
                "The engine needs rows and neighbours.");
        for (const int32_t row : drawn)
            require(row >= 0 && row < X.columns, "The engine needs sampled rows that there are.");
        Poll poll;
        std::vector<std::span<const double>> views;
        for (int64_t j = 0; j < X.rows; ++j) views.push_back(X.row(j));
        const auto found = Relief(views, is_nominal, start).weights(drawn, n_neighbors, poll);
        std::ranges::copy(found, out.begin());
    });
}
