// How good a cut of a node's rows is, and how good it can at most be.
//
// A goodness is what an impurity of Murthy, Kasif and Salzberg becomes when greater is better and
// the unit is a row: n times twoing; n less n times the weighted Gini index; minus n times the
// weighted entropy in bits; minus the minority. Counts are sums of weights, and exact.
#pragma once

#include "core/criteria.hpp"
#include "retree/oblique.h"

namespace retree::oblique {

enum class Criterion : int64_t {
    TWOING = RETREE_OBLIQUE_TWOING,
    GINI = RETREE_OBLIQUE_GINI,
    ENTROPY = RETREE_OBLIQUE_ENTROPY,
    SUM_MINORITY = RETREE_OBLIQUE_SUM_MINORITY,
    MAX_MINORITY = RETREE_OBLIQUE_MAX_MINORITY
};

constexpr double NONE = -INF;
constexpr double TIE = 0x1p-37;  // goodnesses that differ by less than this share are tied

// x * log2(x) of 0, 1, ..., n if the criterion needs it and rows are counted.
inline std::vector<double> make_table(int64_t n, Criterion criterion, bool is_weighted) {
    return criterion == Criterion::ENTROPY && !is_weighted ? xlog2x_table(n)
                                                           : std::vector<double>();
}

inline const double *table_of(std::span<const double> table) {
    return table.empty() ? nullptr : table.data();
}

// The criterion in a node: weight of each class, their sum, what any row weighs at least, and the
// table of `make_table`, null if rows have weights.
struct Measure {
    Criterion criterion;
    std::span<const double> totals;
    double n;
    double least;
    const double *table;

    // The goodness of a cut by the rows of each class on its left side and their sum; NONE if a
    // side has no rows.
    double goodness(const double *left, double n_left) const;

    // What no cut exceeds whose counts on the left are from `low` to `high`; not for twoing.
    // Numerators and denominators are bounded apart from each other.
    double bound_box(const double *low, const double *high) const;

    // What no hyperplane exceeds: of two classes their perfect separation.
    double greatest_goodness() const;

private:
    // x * log2(x / u), u a power of 2 that no weight is below, which leaves no sum of terms that is
    // an entropy different; so terms grow with x.
    double term(double x) const {
        return table != nullptr ? table[static_cast<int64_t>(x)] : computed_term(x);
    }
    double computed_term(double x) const;
};

}  // namespace retree::oblique
