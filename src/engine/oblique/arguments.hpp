// What callers of the C interface hand over, checked.
#pragma once

#include "oblique/cart_lc.hpp"
#include "oblique/oc1.hpp"
#include "oblique/test_choice.hpp"

namespace retree::oblique {

inline void require_finite(std::span<const double> numbers) {
    const auto is_finite = [](double number) { return std::isfinite(number); };
    require(std::ranges::all_of(numbers, is_finite), "The engine needs finite numbers.");
}

inline Criterion criterion_of(int64_t number) { return choice_of(number, Criterion::MAX_MINORITY); }

// Without a `weight` all rows weigh 1.
inline Data data_of(const retree_array *X, const retree_array *y, const retree_array *weight,
                    int64_t n_classes, Poll &poll) {
    const auto rows = matrix_of<const double>(X, "X");
    const auto codes = codes_of<const int32_t>(y, rows.rows, n_classes);
    require(rows.rows > 0 && rows.rows <= INT32_MAX && rows.columns > 0,
            "The engine needs a column, at least one row, and fewer than 2^31.");
    require_finite({rows.data, static_cast<size_t>(rows.rows * rows.columns)});
    const auto weights = weight == nullptr ? ExactWeights() : ExactWeights(weight, rows.rows);
    return {rows, codes, weights, n_classes, poll};
}

inline Climbing climbing_of(int64_t order, int64_t n_restarts, int64_t max_jumps,
                            double stagnation) {
    require(!std::isnan(stagnation), "The engine needs a probability of stagnation.");
    return {choice_of(order, Order::RANDOM), n_restarts, max_jumps, stagnation};
}

inline Search oc1(Climbing climbing) {
    return
        [climbing](const NodeSample &sample, std::span<const double> start, uint64_t seed,
                   Poll &poll) { return OC1Search(sample, start, climbing, seed, poll).search(); };
}

inline Search cart_lc(Cycling cycling) {
    return [cycling](const NodeSample &sample, std::span<const double> start, uint64_t,
                     Poll &poll) { return CartLCSearch(sample, start, cycling, poll).search(); };
}

}  // namespace retree::oblique
