#include "structure/penalty.hpp"

namespace retree::structure {
namespace {

// The mean over the classes of own distance plus least distance of another class; 0 with fewer than
// two classes.
double nearest_pair(std::span<const double> distances) {
    double least = INF, second = INF, total = 0.0;
    int64_t present = 0;
    for (const double d : distances) {
        if (!(d < INF)) continue;
        ++present;
        total += d;
        if (d < least) {
            second = least;
            least = d;
        } else if (d < second) {
            second = d;
        }
    }
    if (present < 2) return 0.0;
    // The nearest class meets the second nearest, every other one meets the nearest.
    const auto n = static_cast<double>(present);
    return (total + (n - 1.0) * least + second) / n;
}

// The mean over the classes of `own` of their distance plus the least of another class among
// `other`, the distances on the far side of the threshold.
double across(std::span<const double> own, std::span<const double> other) {
    double total = 0.0;
    int64_t present = 0;
    for (size_t c = 0; c < own.size(); ++c) {
        if (own[c] == INF) continue;
        ++present;
        double opposite = INF;
        for (size_t q = 0; q < other.size(); ++q)
            if (q != c) opposite = std::min(opposite, other[q]);
        if (opposite < INF) total += own[c] + opposite;
    }
    return present > 0 ? total / static_cast<double>(present) : 0.0;
}

}  // namespace

double penalty_of(int64_t kind, std::span<const double> left, std::span<const double> right) {
    if (kind == RETREE_PENALTY_NONE) return 0.0;
    if (kind == RETREE_PENALTY_WITHIN) return nearest_pair(left) + nearest_pair(right);
    return across(left, right) + across(right, left);
}

}  // namespace retree::structure
