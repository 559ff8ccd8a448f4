// Parts of the search for an oblique test, by themselves.
#include "testing/oblique_parts.h"

#include "oblique/arguments.hpp"

using namespace retree;
using namespace retree::oblique;

namespace {

int64_t count_classes(const retree_array *y) {
    const auto codes = vector_of<const int32_t>(y, "y");
    return codes.empty() ? 1 : int64_t{*std::ranges::max_element(codes)} + 1;
}

// All rows as the sample of one node, their features as they are.
struct WholeSample {
    Poll poll;
    Data data;
    std::vector<double> table;
    NodeSample sample;

    WholeSample(const retree_array *X, const retree_array *y, Criterion criterion,
                const retree_array *weight = nullptr)
        : data(data_of(X, y, weight, count_classes(y), poll)),
          table(make_table(data.X.rows, criterion, data.weight.differ())),
          sample(data, 0, data.X.rows, scale_features(data, 0, data.X.rows, Scaling::AS_IS),
                 criterion, table, poll) {}

    std::span<double> weights_of(retree_array *weights) const {
        require(static_cast<int64_t>(sample.n_weights()) == data.X.columns + 1,
                "The engine needs columns that vary, of numbers up to 1e100.");
        const auto numbers = vector_of<double>(weights, "weights", data.X.columns + 1);
        require_finite(numbers);
        require(std::ranges::any_of(numbers, [](double w) { return w != 0.0; }),
                "The engine needs weights that are not all 0.");
        return numbers;
    }
};

void search_whole(const retree_array *X, const retree_array *y, Criterion criterion,
                  const Search &search, uint64_t seed, retree_array *weights) {
    WholeSample whole(X, y, criterion);
    const auto start = whole.weights_of(weights);
    std::ranges::copy(search(whole.sample, start, seed, whole.poll), start.begin());
}

}  // namespace

int32_t retree_search_oc1(const retree_array *X, const retree_array *y, int64_t criterion,
                          int64_t order, int64_t n_restarts, int64_t max_jumps, double stagnation,
                          uint64_t seed, retree_array *weights) {
    return guarded([&] {
        const auto climbing = climbing_of(order, n_restarts, max_jumps, stagnation);
        search_whole(X, y, criterion_of(criterion), oc1(climbing), seed, weights);
    });
}

int32_t retree_search_cart_lc(const retree_array *X, const retree_array *y, int64_t criterion,
                              int64_t max_cycles, double elimination, retree_array *weights) {
    return guarded([&] {
        search_whole(X, y, criterion_of(criterion), cart_lc({max_cycles, elimination}), 0, weights);
    });
}

int32_t retree_oblique_step(const retree_array *X, const retree_array *y, int64_t criterion,
                            int64_t m, int64_t stagnant, retree_array *weights,
                            retree_result *result) {
    return guarded([&] {
        WholeSample whole(X, y, criterion_of(criterion));
        const auto start = whole.weights_of(weights);
        require(m >= 0 && m <= whole.data.X.columns, "The engine needs a coefficient's number.");
        Plane plane(whole.sample, start, whole.poll);
        plane.place();
        std::ranges::copy(plane.weights, start.begin());
        const Step step = plane.try_weight(static_cast<size_t>(m), stagnant != 0);
        result->add(std::vector<double>{plane.score, step.reached, step.size});
    });
}

int32_t retree_oblique_cut(const retree_array *value, const retree_array *direction,
                           const retree_array *y, const retree_array *weight, int64_t criterion,
                           double width, double bar, retree_result *result) {
    return guarded([&] {
        const auto v = matrix_of<const double>(value, "value", ANY, 1);
        const auto d = vector_of<const double>(direction, "direction", v.rows);
        require_finite(d);
        require(width > 0.0 && std::isfinite(width), "The engine needs a positive width.");
        const WholeSample whole(value, y, criterion_of(criterion), weight);
        std::vector<double> values, directions;
        for (const int32_t row : whole.sample.row) {
            values.push_back(v(row, 0));
            directions.push_back(d[row]);
        }
        const Cut cut = LineSearch(whole.sample).search(values, directions, width, bar);
        result->add(std::vector<double>{cut.goodness});
        const auto row = [&](int64_t place) -> int64_t {
            return place < 0 ? -1 : whole.sample.row[place];
        };
        result->add(std::vector<int64_t>{row(cut.below), row(cut.above)});
    });
}

int32_t retree_oblique_goodness(const retree_array *left, const retree_array *most,
                                const retree_array *totals, int64_t criterion,
                                retree_result *result) {
    return guarded([&] {
        const auto all = vector_of<const double>(totals, "totals");
        const auto size = static_cast<int64_t>(all.size());
        const auto low = vector_of<const double>(left, "left", size);
        const auto high = vector_of<const double>(most, "most", size);
        for (size_t c = 0; c < all.size(); ++c) {
            require(0.0 <= low[c] && low[c] <= high[c] && high[c] <= all[c] && all[c] <= 1e6,
                    "The engine needs 0 <= left <= most <= totals <= 1e6.");
            require(low[c] == std::floor(low[c]) && high[c] == std::floor(high[c]) &&
                        all[c] == std::floor(all[c]),
                    "The engine needs whole numbers of rows.");
        }
        const double n = std::accumulate(all.begin(), all.end(), 0.0);
        const auto kind = criterion_of(criterion);
        const auto table = make_table(static_cast<int64_t>(n), kind, false);
        const Measure measure{kind, all, n, 1.0, table_of(table)};
        const double n_left = std::accumulate(low.begin(), low.end(), 0.0);
        double bound = std::numeric_limits<double>::quiet_NaN();
        if (kind != Criterion::TWOING)
            bound = n == 0.0 ? NONE : measure.bound_box(low.data(), high.data());
        result->add(std::vector<double>{measure.goodness(low.data(), n_left), bound});
    });
}
