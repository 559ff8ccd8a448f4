// The test of Weka's DecisionStump, to the last bit.
//
// Boosting makes tests that are equally good in exact arithmetic, so which one comes first hangs on
// the order in which Weka adds up. It sorts its rows in place by one numeric feature after the
// other, and counts them in the order that the feature before has left.
#include "retree/stump.h"

#include "core/interface.hpp"
#include "core/numbers.hpp"
#include "core/weka_sort.hpp"

namespace retree::weka {
namespace {

enum Side { LEFT, RIGHT, UNKNOWN, N_SIDES };

constexpr double LOG_2 = 0x1.62e42fefa39efp-1;

double x_log_x(double x) { return x > 0.0 ? x * log_of(x) : 0.0; }

// Class weights of both sides of a test, and of the rows that lack the value.
class Sides {
public:
    explicit Sides(size_t n_classes) : n_classes_(n_classes) {
        weights_.resize(N_SIDES * n_classes);
        terms_.resize(weights_.size());
    }

    std::span<const double> of(Side side) const {
        return std::span(weights_).subspan(side * n_classes_, n_classes_);
    }
    void set(Side side, size_t label, double weight) {
        const size_t at = side * n_classes_ + label;
        weights_[at] = weight;
        terms_[at] = x_log_x(weight);
    }
    void add(Side side, size_t label, double weight) {
        set(side, label, weights_[side * n_classes_ + label] + weight);
    }

    // The entropy in bits that is left, added up in the order of Weka's ContingencyTables.
    double entropy() const {
        double found = 0.0, total = 0.0;
        for (size_t side = 0; side < N_SIDES; ++side) {
            double sum = 0.0;
            for (size_t k = side * n_classes_; k < (side + 1) * n_classes_; ++k) {
                found += terms_[k];
                sum += weights_[k];
            }
            found -= x_log_x(sum);
            total += sum;
        }
        return -found / (total * LOG_2);
    }

private:
    size_t n_classes_;
    std::vector<double> weights_, terms_;  // (N_SIDES, n_classes)
};

struct Stump {
    double entropy = std::numeric_limits<double>::max();
    int32_t feature = -1, level = -1;
    double threshold = 0.0;
    bool lacks_values = false;
    std::vector<double> whole;  // class weights of all rows
    Sides sides{0};
};

struct Data {
    Matrix<const double> X;
    std::span<const int32_t> y;
    std::span<const double> weight;
    size_t n_classes;

    std::vector<double> sums() const { return std::vector<double>(n_classes); }
};

// Returns the class weights of the rows with a value, and of those that lack it.
std::array<std::vector<double>, 2> count(const Data &data, int32_t feature,
                                         std::span<const int32_t> rows, bool &lacks_values) {
    std::array counts{data.sums(), data.sums()};
    lacks_values = false;
    for (const int32_t row : rows) {
        const bool lacks = std::isnan(data.X(row, feature));
        counts[lacks][data.y[row]] += data.weight[row];
        lacks_values |= lacks;
    }
    return counts;
}

// `before`: the rows as they were before they were sorted by the feature.
Stump numeric_test(const Data &data, int32_t feature, std::span<const int32_t> before,
                   std::span<const int32_t> rows) {
    Stump best;
    best.feature = feature;
    const auto counts = count(data, feature, before, best.lacks_values);
    Sides sides(data.n_classes);
    best.whole = counts[0];
    for (size_t c = 0; c < data.n_classes; ++c) {
        sides.set(RIGHT, c, counts[0][c]);
        sides.set(UNKNOWN, c, counts[1][c]);
        best.whole[c] += counts[1][c];
    }
    best.sides = sides;
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
        const double value = data.X(rows[i], feature), following = data.X(rows[i + 1], feature);
        if (std::isnan(following)) break;
        const int32_t label = data.y[rows[i]];
        sides.add(LEFT, label, data.weight[rows[i]]);
        sides.add(RIGHT, label, -data.weight[rows[i]]);
        if (!(value < following)) continue;
        const double entropy = sides.entropy();
        if (!(entropy < best.entropy)) continue;
        best.entropy = entropy;
        // Halves, so that the sum stays finite.
        best.threshold = value / 2 + following / 2;
        best.sides = sides;
    }
    return best;
}

// One level against all others.
Stump nominal_test(const Data &data, int32_t feature, int32_t n_levels,
                   std::span<const int32_t> rows) {
    Stump best;
    best.feature = feature;
    const auto unknown = static_cast<size_t>(n_levels);
    std::vector<double> counts((unknown + 1) * data.n_classes);
    for (const int32_t row : rows) {
        const double value = data.X(row, feature);
        const size_t level = std::isnan(value) ? unknown : static_cast<size_t>(value);
        require(level <= unknown, "The engine needs level codes of the levels.");
        best.lacks_values |= level == unknown;
        counts[level * data.n_classes + data.y[row]] += data.weight[row];
    }
    auto known = data.sums();
    for (size_t k = 0; k < unknown * data.n_classes; ++k) known[k % data.n_classes] += counts[k];
    best.whole = known;
    Sides sides(data.n_classes);
    for (size_t c = 0; c < data.n_classes; ++c) {
        sides.set(UNKNOWN, c, counts[unknown * data.n_classes + c]);
        best.whole[c] += counts[unknown * data.n_classes + c];
    }
    best.sides = sides;
    for (int32_t level = 0; level < n_levels; ++level) {
        for (size_t c = 0; c < data.n_classes; ++c) {
            const double own = counts[static_cast<size_t>(level) * data.n_classes + c];
            sides.set(LEFT, c, own);
            sides.set(RIGHT, c, known[c] - own);
        }
        const double entropy = sides.entropy();
        if (!(entropy < best.entropy)) continue;
        best.entropy = entropy;
        best.level = level;
        best.sides = sides;
    }
    return best;
}

Stump best_test(const Data &data, std::span<const int32_t> n_levels, Matrix<const int32_t> orders) {
    Poll poll;
    Stump best;
    int64_t sorted = 0;
    for (int32_t j = 0; j < std::ssize(n_levels); ++j) {
        poll.check();
        const auto before = orders.row(sorted);
        sorted += n_levels[j] < 0;
        const Stump found = n_levels[j] < 0 ? numeric_test(data, j, before, orders.row(sorted))
                                            : nominal_test(data, j, n_levels[j], before);
        if (j == 0 || found.entropy < best.entropy) best = found;
    }
    return best;
}

std::span<const int32_t> levels_of(const retree_array *n_levels, const Matrix<const double> &X) {
    require(X.rows > 0 && X.columns > 0, "The engine needs at least one row and one column.");
    return vector_of<const int32_t>(n_levels, "n_levels", X.columns);
}

}  // namespace
}  // namespace retree::weka

using namespace retree;

int32_t retree_stump_orders(const retree_array *X, const retree_array *n_levels,
                            retree_array *orders) {
    return guarded([&] {
        const auto values = matrix_of<const double>(X, "X");
        const auto levels = weka::levels_of(n_levels, values);
        const auto n_numeric = std::ranges::count_if(levels, [](int32_t n) { return n < 0; });
        const auto out = matrix_of<int32_t>(orders, "orders", n_numeric + 1, values.rows);
        auto rows = row_numbers(values.rows);
        std::ranges::copy(rows, out.row(0).begin());
        std::vector<Keyed> keyed;
        Poll poll;
        int64_t sorted = 0;
        for (int32_t j = 0; j < std::ssize(levels); ++j) {
            if (levels[j] >= 0) continue;
            poll.check();
            keyed.clear();
            for (const int32_t row : rows) keyed.push_back({values(row, j), row});
            weka_sort(keyed);
            std::ranges::transform(keyed, rows.begin(), &Keyed::item);
            std::ranges::copy(rows, out.row(++sorted).begin());
        }
    });
}

int32_t retree_grow_stump(const retree_array *X, const retree_array *y, const retree_array *weight,
                          const retree_array *n_levels, const retree_array *orders,
                          int64_t n_classes, retree_result *result) {
    return guarded([&] {
        const auto values = matrix_of<const double>(X, "X");
        const auto levels = weka::levels_of(n_levels, values);
        const weka::Data data{values, codes_of<const int32_t>(y, values.rows, n_classes),
                              vector_of<const double>(weight, "weight", values.rows),
                              static_cast<size_t>(n_classes)};
        const auto n_numeric = std::ranges::count_if(levels, [](int32_t n) { return n < 0; });
        const auto rows = matrix_of<const int32_t>(orders, "orders", n_numeric + 1, values.rows);
        for (int64_t i = 0; i < rows.rows; ++i)
            for (const int32_t row : rows.row(i))
                require(0 <= row && row < values.rows, "The engine needs numbers of rows.");
        auto best = weka::best_test(data, levels, rows);
        const bool is_test = best.entropy < std::numeric_limits<double>::max();
        result->add(std::vector<int32_t>{best.feature, best.level, best.lacks_values, is_test});
        result->add(std::vector<double>{best.threshold});
        std::vector<double> counts = std::move(best.whole);
        for (const auto side : {weka::LEFT, weka::RIGHT, weka::UNKNOWN}) {
            const auto own = best.sides.of(side);
            counts.insert(counts.end(), own.begin(), own.end());
        }
        result->add(std::move(counts), 4, n_classes);
    });
}
