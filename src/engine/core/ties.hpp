// Which of several numbers that are nearly equal is taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace retree {

constexpr double SHARE_TIE = 1e-6;  // class shares that differ by less are tied

// Returns the place of the greatest value, the first of those that tie with it.
inline size_t first_greatest(std::span<const double> values) {
    const double limit = *std::max_element(values.begin(), values.end()) - SHARE_TIE;
    for (size_t k = 0; k < values.size(); ++k)
        if (values[k] > limit) return k;
    return 0;
}

}  // namespace retree
