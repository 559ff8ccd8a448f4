#include "relief/relief.hpp"

#include "retree/relief.h"

namespace retree {
namespace {

constexpr double TIE = 1e-9;    // distances that differ by less are tied
constexpr int64_t BLOCK = 512;  // rows whose distances stay in the first cache
constexpr int64_t FEW = 64;     // rows that are passed over together
constexpr int64_t MOST_LEVELS = 256;

}  // namespace

Relief::Relief(std::vector<double> columns, std::span<const uint8_t> nominal,
               std::span<const int64_t> class_start)
    : nominal_(nominal),
      class_start_(class_start),
      columns_(std::move(columns)),
      place_(nominal.size(), -1),
      distance_(static_cast<size_t>(n_rows())) {
    int64_t n_missing = 0;
    for (int64_t j = 0; j < n_features(); ++j) {
        const auto own = column(j);
        if (std::none_of(own.begin(), own.end(), [](double v) { return std::isnan(v); })) continue;
        place_[j] = n_missing++;
        collect_known(j);
    }
    expected_.resize(static_cast<size_t>(n_missing * n_rows()));
    of_row_.resize(known_.size());
    pack_levels();
}

// Counts of different levels are whole numbers, so that bytes give the same sums as doubles.
void Relief::pack_levels() {
    if (!known_.empty() || n_features() >= MOST_LEVELS) return;
    if (std::find(nominal_.begin(), nominal_.end(), 0) != nominal_.end()) return;
    for (const double value : columns_)
        if (!(value >= 0.0 && value < MOST_LEVELS && value == std::floor(value))) return;
    levels_.assign(columns_.begin(), columns_.end());
}

// A class that knows no value of a column has those of all rows.
void Relief::collect_known(int64_t j) {
    const auto own = column(j);
    const auto of = [&](std::span<const double> values) {
        return std::make_shared<const Expectation>(sorted_known(values), nominal_[j] != 0);
    };
    std::shared_ptr<const Expectation> of_all;
    for (int64_t c = 0; c < n_classes(); ++c) {
        auto known = of(own.subspan(class_start_[c], class_start_[c + 1] - class_start_[c]));
        if (known->empty() && !of_all) of_all = of(own);
        known_.push_back(known->empty() ? of_all : std::move(known));
    }
}

// Sets the expected differences to a value that is missing in a row of a class.
void Relief::expect(int64_t j, int64_t row_class) {
    const Expectation &missing = known(j, row_class);
    if (missing.empty()) return;
    const auto own = column(j);
    const auto table = expected(j);
    for (int64_t other = 0; other < n_classes(); ++other) {
        const auto draws = known(j, other).values();
        double both = 0.0;
        for (const double value : draws) both += missing.mean_difference(value);
        both /= static_cast<double>(draws.size());
        for (int64_t i = class_start_[other]; i < class_start_[other + 1]; ++i)
            table[i] = std::isnan(own[i]) ? both : missing.mean_difference(own[i]);
    }
}

// Sets the expected differences that the next calls need.
void Relief::look_at(int64_t row, int64_t row_class) {
    for (int64_t j = 0; j < n_features(); ++j) {
        if (place_[j] < 0) continue;
        if (row_class != expected_class_) expect(j, row_class);
        const double value = column(j)[row];
        if (std::isnan(value)) continue;
        for (int64_t c = 0; c < n_classes(); ++c)
            of_row_[place_[j] * n_classes() + c] = known(j, c).mean_difference(value);
    }
    expected_class_ = row_class;
}

void Relief::find_distances(int64_t row) {
    std::fill(distance_.begin(), distance_.end(), 0.0);
    for (int64_t c = 0; c < n_classes(); ++c) {
        const int64_t end_of_class = class_start_[c + 1];
        for (int64_t start = class_start_[c]; start < end_of_class; start += BLOCK) {
            const int64_t end = std::min(start + BLOCK, end_of_class);
            if (levels_.empty()) {
                add_differences(row, c, start, end);
            } else {
                count_differences(row, start, end);
            }
        }
    }
}

RETREE_VECTOR void Relief::count_differences(int64_t row, int64_t start, int64_t end) {
    std::array<uint8_t, BLOCK> count{};
    const int64_t n = end - start;
    for (int64_t j = 0; j < n_features(); ++j) {
        const uint8_t *level = levels_.data() + j * n_rows();
        const uint8_t own = level[row];
        for (int64_t i = 0; i < n; ++i) count[i] += level[start + i] != own ? 1 : 0;
    }
    for (int64_t i = 0; i < n; ++i) distance_[start + i] = count[i];
}

RETREE_VECTOR void Relief::add_differences(int64_t row, int64_t c, int64_t start, int64_t end) {
    double *distance = distance_.data();
    for (int64_t j = 0; j < n_features(); ++j) {
        const double *own = column(j).data();
        const double value = own[row];
        if (place_[j] >= 0) {
            add_expected(j, row, c, start, end);
        } else if (nominal_[j] != 0) {
            for (int64_t i = start; i < end; ++i) distance[i] += own[i] != value ? 1.0 : 0.0;
        } else {
            for (int64_t i = start; i < end; ++i) distance[i] += std::abs(own[i] - value);
        }
    }
}

void Relief::add_expected(int64_t j, int64_t row, int64_t c, int64_t start, int64_t end) {
    for (int64_t i = start; i < end; ++i) distance_[i] += difference(j, row, i, c);
}

double Relief::difference(int64_t j, int64_t row, int64_t i, int64_t c) {
    const auto own = column(j);
    if (std::isnan(own[row])) return expected(j)[i];
    if (std::isnan(own[i])) return of_row_[place_[j] * n_classes() + c];
    const double distance = std::abs(own[row] - own[i]);
    return nominal_[j] != 0 && distance != 0.0 ? 1.0 : distance;
}

// Sets nearest_ to the smallest distances of a class, ascending, and candidates_ to all rows that
// are as near but for rounding; returns how many neighbours there are.
int64_t Relief::find_nearest(int64_t row, int64_t c) {
    double reach = std::numeric_limits<double>::infinity();
    int64_t n = 0;
    candidates_.clear();
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
RETREE_VECTOR void Relief::add_candidates(int64_t row, double reach, int64_t start, int64_t end) {
    int64_t n = 0;
    for (int64_t i = start; i < end; ++i) n += distance_[i] <= reach ? 1 : 0;
    if (n == 0) return;
    // Without branches: whether a row is within reach is hard to predict.
    std::array<int64_t, FEW + 1> found;
    n = 0;
    for (int64_t i = start; i < end; ++i) {
        found[n] = i;
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

// Rows that tie at the last place among the neighbours share the places that are left.
void Relief::add_mean_differences(int64_t row, int64_t c, double factor) {
    const int64_t n = find_nearest(row, c);
    if (n == 0) return;
    const double last = nearest_[n - 1];
    int64_t n_closer = 0, n_tied = 0;
    while (nearest_[n_closer] < last - TIE) ++n_closer;
    for (const int64_t i : candidates_) n_tied += std::abs(distance_[i] - last) <= TIE ? 1 : 0;
    std::erase_if(candidates_, [&](int64_t i) { return distance_[i] > last + TIE; });
    const double share = static_cast<double>(n - n_closer) / static_cast<double>(n_tied);
    const double whole = factor / static_cast<double>(n);
    part_.clear();
    for (const int64_t i : candidates_)
        part_.push_back(whole * (distance_[i] >= last - TIE ? share : 1.0));
    for (int64_t j = 0; j < n_features(); ++j) add_parts(j, row, c);
}

// Adds the parts of the candidates to the weight of a column.
void Relief::add_parts(int64_t j, int64_t row, int64_t c) {
    const double *own = column(j).data();
    const double value = own[row];
    double weight = weights_[j];
    if (place_[j] >= 0) {
        for (size_t q = 0; q < part_.size(); ++q)
            weight += part_[q] * difference(j, row, candidates_[q], c);
    } else if (nominal_[j] != 0) {
        for (size_t q = 0; q < part_.size(); ++q)
            weight += part_[q] * (own[candidates_[q]] != value ? 1.0 : 0.0);
    } else {
        for (size_t q = 0; q < part_.size(); ++q)
            weight += part_[q] * std::abs(own[candidates_[q]] - value);
    }
    weights_[j] = weight;
}

std::vector<double> Relief::weights(std::span<const int64_t> sampled, int64_t n_neighbors,
                                    Poll &poll) {
    weights_.assign(static_cast<size_t>(n_features()), 0.0);
    nearest_.assign(static_cast<size_t>(std::min(n_neighbors, n_rows())), 0.0);
    for (const int64_t row : sampled) {
        poll.check();
        const auto after = std::upper_bound(class_start_.begin(), class_start_.end(), row);
        const int64_t row_class = after - class_start_.begin() - 1;
        look_at(row, row_class);
        find_distances(row);
        const int64_t n_own = class_start_[row_class + 1] - class_start_[row_class];
        const auto n_others = static_cast<double>(n_rows() - n_own);
        for (int64_t c = 0; c < n_classes(); ++c) {
            const auto size = static_cast<double>(class_start_[c + 1] - class_start_[c]);
            add_mean_differences(row, c, c == row_class ? -1.0 : size / n_others);
        }
    }
    for (double &weight : weights_) weight /= static_cast<double>(sampled.size());
    return weights_;
}

}  // namespace retree

using namespace retree;

int32_t retree_relief_weights(const retree_array *rows, const retree_array *nominal,
                              const retree_array *class_start, const retree_array *sampled,
                              int64_t n_neighbors, retree_array *weights) {
    return guarded([&] {
        const auto X = matrix_of<const double>(rows, "rows");
        const auto is_nominal = vector_of<const uint8_t>(nominal, "nominal", X.columns);
        const auto start = vector_of<const int64_t>(class_start, "class_start");
        const auto drawn = vector_of<const int64_t>(sampled, "sampled rows");
        const auto out = vector_of<double>(weights, "weights", X.columns);
        require(start.size() >= 3 && start.front() == 0 && start.back() == X.rows &&
                    std::is_sorted(start.begin(), start.end()),
                "The engine needs at least two classes, whose rows follow one another.");
        require(n_neighbors > 0 && !drawn.empty(), "The engine needs rows and neighbours.");
        for (const int64_t row : drawn)
            require(row >= 0 && row < X.rows, "The engine needs sampled rows that there are.");
        Poll poll;
        std::vector<double> columns(static_cast<size_t>(X.rows * X.columns));
        for (int64_t i = 0; i < X.rows; ++i)
            for (int64_t j = 0; j < X.columns; ++j) columns[j * X.rows + i] = X(i, j);
        Relief relief(std::move(columns), is_nominal, start);
        const auto found = relief.weights(drawn, n_neighbors, poll);
        std::copy(found.begin(), found.end(), out.begin());
    });
}
