// Numbers without their last bits.
#pragma once

#include <cmath>

namespace retree {

// Keeps 37 bits of the significand (Veltkamp splitting), so that numbers that are equal in exact
// arithmetic are equal here, however their sums were added up; infinities stay.
inline double rounded(double number) {
    if (!std::isfinite(number)) return number;
    const double spread = number * (65536.0 + 1.0);
    return spread - (spread - number);
}

}  // namespace retree
