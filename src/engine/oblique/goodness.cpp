#include "oblique/goodness.hpp"

namespace retree::oblique {

double Measure::goodness(const double *left, double n_left) const {
    const double n_right = n - n_left;
    if (n_left <= 0.0 || n_right <= 0.0) return NONE;
    const size_t k = totals.size();
    if (criterion == Criterion::TWOING) {
        const double difference = twoing_difference({left, k}, n_left, totals, n);
        return difference * difference / (n * n_left * n_right);
    }
    if (criterion == Criterion::GINI) {
        const auto [squares_left, squares_right] = squares_of({left, k}, totals);
        return squares_left / n_left + squares_right / n_right;
    }
    if (criterion == Criterion::ENTROPY) {
        double terms = 0.0;
        for (size_t c = 0; c < k; ++c) terms += term(left[c]) + term(totals[c] - left[c]);
        return terms - term(n_left) - term(n_right);
    }
    double most_left = 0.0, most_right = 0.0;
    for (size_t c = 0; c < k; ++c) {
        most_left = std::max(most_left, left[c]);
        most_right = std::max(most_right, totals[c] - left[c]);
    }
    if (criterion == Criterion::SUM_MINORITY) return most_left - n_left + most_right - n_right;
    return std::min(most_left - n_left, most_right - n_right);
}

double Measure::bound_box(const double *low, const double *high) const {
    const size_t k = totals.size();
    const double n_low = std::max(std::accumulate(low, low + k, 0.0), least);
    const double n_high = std::min(std::accumulate(high, high + k, 0.0), n - least);
    const double least_right = n - n_high;
    double terms_left = 0.0, terms_right = 0.0, most_left = 0.0, most_right = 0.0;
    for (size_t c = 0; c < k; ++c) {
        const double inside = high[c], outside = totals[c] - low[c];
        if (criterion == Criterion::GINI) {
            terms_left += inside * inside;
            terms_right += outside * outside;
        } else if (criterion == Criterion::ENTROPY) {
            terms_left += term(inside);
            terms_right += term(outside);
        }
        most_left = std::max(most_left, inside);
        most_right = std::max(most_right, outside);
    }
    if (criterion == Criterion::GINI)
        return std::min(n, terms_left / n_low + terms_right / least_right);
    if (criterion == Criterion::ENTROPY)
        return std::min(0.0, terms_left + terms_right - (term(n_low) + term(least_right)));
    const double minority_left = std::max(0.0, n_low - most_left);
    const double minority_right = std::max(0.0, least_right - most_right);
    if (criterion == Criterion::SUM_MINORITY) return -(minority_left + minority_right);
    return -std::max(minority_left, minority_right);
}

double Measure::computed_term(double x) const {
    return x > 0.0 ? x * (log2_of(x) - std::ilogb(least)) : 0.0;
}

double Measure::greatest_goodness() const {
    if (totals.size() != 2) return -NONE;
    const double left[2] = {totals[0], 0.0};
    return goodness(left, left[0]);
}

}  // namespace retree::oblique
