// The C interface of OC1 and CART-LC.
#include "oblique/cart_lc.hpp"
#include "oblique/grow.hpp"
#include "oblique/oc1.hpp"
#include "oblique/original_grow.hpp"
#include "retree/oblique.h"

using namespace retree;
using namespace retree::oblique;

namespace {

void require_finite(std::span<const double> numbers) {
    const auto is_finite = [](double number) { return std::isfinite(number); };
    require(std::ranges::all_of(numbers, is_finite), "The engine needs finite numbers.");
}

Criterion criterion_of(int64_t number) { return choice_of(number, Criterion::MAX_MINORITY); }

Data data_of(const retree_array *X, const retree_array *y, int64_t n_classes, Poll &poll) {
    const auto rows = matrix_of<const double>(X, "X");
    const auto codes = codes_of<const int32_t>(y, rows.rows, n_classes);
    require(rows.rows > 0 && rows.rows <= INT32_MAX && rows.columns > 0,
            "The engine needs a column, at least one row, and fewer than 2^31.");
    require_finite({rows.data, static_cast<size_t>(rows.rows * rows.columns)});
    return {rows, codes, n_classes, poll};
}

int64_t count_classes(const retree_array *y) {
    const auto codes = vector_of<const int32_t>(y, "y");
    return codes.empty() ? 1 : int64_t{*std::ranges::max_element(codes)} + 1;
}

Climbing climbing_of(int64_t order, int64_t n_restarts, int64_t max_jumps, double stagnation) {
    require(!std::isnan(stagnation), "The engine needs a probability of stagnation.");
    return {choice_of(order, Order::RANDOM), n_restarts, max_jumps, stagnation};
}

Search oc1(Climbing climbing) {
    return
        [climbing](const NodeSample &sample, std::span<const double> start, uint64_t seed,
                   Poll &poll) { return OC1Search(sample, start, climbing, seed, poll).search(); };
}

Search cart_lc(Cycling cycling) {
    return [cycling](const NodeSample &sample, std::span<const double> start, uint64_t,
                     Poll &poll) { return CartLCSearch(sample, start, cycling, poll).search(); };
}

void add_nodes(Nodes nodes, int64_t n_classes, int64_t n_features, retree_result *result) {
    const int64_t n_nodes = nodes.size();
    const auto n_oblique = std::ranges::count(nodes.feature, OBLIQUE);
    result->add(std::move(nodes.parent));
    result->add(std::move(nodes.feature));
    result->add(std::move(nodes.threshold));
    result->add(std::move(nodes.counts), n_nodes, n_classes);
    result->add(std::move(nodes.normals), n_oblique, n_features);
}

void grow_tree(const retree_array *X, const retree_array *y, int64_t n_classes, const Rule &rule,
               uint64_t seed, retree_result *result) {
    Poll poll;
    Data data = data_of(X, y, n_classes, poll);
    add_nodes(grow(data, rule, seed, poll), n_classes, data.X.columns, result);
}

// All rows as the sample of one node, their features as they are.
struct WholeSample {
    Poll poll;
    Data data;
    std::vector<double> table;
    NodeSample sample;

    WholeSample(const retree_array *X, const retree_array *y, Criterion criterion)
        : data(data_of(X, y, count_classes(y), poll)),
          table(make_table(data.X.rows, criterion)),
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

int32_t retree_grow_oc1(const retree_array *X, const retree_array *y, int64_t n_classes,
                        int64_t criterion, int64_t scaling, double rows_per_feature,
                        int64_t min_samples_split, int64_t max_depth, int64_t order,
                        int64_t n_restarts, int64_t max_jumps, double stagnation, uint64_t seed,
                        retree_result *result) {
    return guarded([&] {
        const auto climbing = climbing_of(order, n_restarts, max_jumps, stagnation);
        const Rule rule{criterion_of(criterion),
                        choice_of(scaling, Scaling::BY_QUARTILES),
                        rows_per_feature,
                        min_samples_split,
                        max_depth,
                        oc1(climbing)};
        grow_tree(X, y, n_classes, rule, seed, result);
    });
}

int32_t retree_grow_cart_lc(const retree_array *X, const retree_array *y, int64_t n_classes,
                            int64_t criterion, int64_t scaling, double rows_per_feature,
                            int64_t min_samples_split, int64_t max_depth, int64_t max_cycles,
                            double elimination, retree_result *result) {
    return guarded([&] {
        const Rule rule{criterion_of(criterion),
                        choice_of(scaling, Scaling::BY_QUARTILES),
                        rows_per_feature,
                        min_samples_split,
                        max_depth,
                        cart_lc({max_cycles, elimination})};
        grow_tree(X, y, n_classes, rule, 0, result);
    });
}

int32_t retree_grow_original(const retree_array *X, const retree_array *y, int64_t n_classes,
                             int64_t shifts, double rows_per_feature, int64_t min_samples_split,
                             int64_t max_depth, int64_t is_cart, int64_t max_cycles,
                             int64_t n_restarts, int64_t max_jumps, uint64_t state,
                             retree_result *result) {
    return guarded([&] {
        Poll poll;
        const auto rows = matrix_of<const double>(X, "X");
        const auto codes = codes_of<const int32_t>(y, rows.rows, n_classes);
        require(rows.rows > 0 && rows.columns > 0, "The engine needs a row and a column.");
        const OriginalRule rule{shifts != 0,  rows_per_feature, min_samples_split, max_depth,
                                is_cart != 0, max_cycles,       n_restarts,        max_jumps};
        add_nodes(grow_original(rows, codes, n_classes, rule, state, poll), n_classes, rows.columns,
                  result);
    });
}

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
                           const retree_array *y, int64_t criterion, double width, double bar,
                           retree_result *result) {
    return guarded([&] {
        const auto v = matrix_of<const double>(value, "value", ANY, 1);
        const auto d = vector_of<const double>(direction, "direction", v.rows);
        require_finite(d);
        require(width > 0.0 && std::isfinite(width), "The engine needs a positive width.");
        const WholeSample whole(value, y, criterion_of(criterion));
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
        for (size_t c = 0; c < all.size(); ++c)
            require(0.0 <= low[c] && low[c] <= high[c] && high[c] <= all[c] && all[c] <= 1e6,
                    "The engine needs 0 <= left <= most <= totals <= 1e6.");
        const double n = std::accumulate(all.begin(), all.end(), 0.0);
        const auto kind = criterion_of(criterion);
        const auto table = make_table(static_cast<int64_t>(n), kind);
        const Measure measure{kind, all, n, table.data()};
        const double n_left = std::accumulate(low.begin(), low.end(), 0.0);
        double bound = std::numeric_limits<double>::quiet_NaN();
        // Less than a row has no cut.
        if (kind != Criterion::TWOING)
            bound = n < 1.0 ? NONE : measure.bound_box(low.data(), high.data());
        result->add(std::vector<double>{measure.goodness(low.data(), n_left), bound});
    });
}
