// Arithmetic that several families share.
#pragma once

#include "core/elementary.hpp"

namespace retree {

constexpr double TOLERANCE = 1e-6;  // of C4.5 as in J48: numbers closer are equal, less is nothing
constexpr double SHARE_TIE = 1e-6;  // class shares that differ by less are tied

// The sum in the order of the values.
inline double sum_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// Keeps 37 bits of the significand (Veltkamp splitting), so that numbers that are equal in exact
// arithmetic are equal here, however their sums were added up; infinities stay.
inline double rounded(double number) {
    if (!std::isfinite(number)) return number;
    const double spread = number * (65536.0 + 1.0);
    return spread - (spread - number);
}

// The middle between two numbers, or the lower one if it rounds up.
inline double middle_of(double low, double high) {
    // The sum of halves stays finite.
    const double value = low / 2 + high / 2;
    return value >= high ? low : value;
}

// Returns the place of the greatest value, the first of those that tie with it.
inline size_t first_greatest(std::span<const double> values) {
    const double limit = *std::max_element(values.begin(), values.end()) - SHARE_TIE;
    for (size_t k = 0; k < values.size(); ++k)
        if (values[k] > limit) return k;
    return 0;
}

}  // namespace retree
