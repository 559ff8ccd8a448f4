// How good a cut of a node's rows is, and how good it can at most be.
//
// A goodness is what an impurity of Murthy, Kasif and Salzberg becomes when greater is better and
// the unit is a row: n times twoing; n less n times the weighted Gini index; minus n times the
// weighted entropy in bits; minus the minority. Counts are whole numbers stored as doubles.
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

constexpr double NONE = -std::numeric_limits<double>::infinity();
constexpr double TIE = 0x1p-37;  // goodnesses that differ by less than this share are tied

// x * log2(x) of 0, 1, ..., n if the criterion needs it.
inline std::vector<double> make_table(int64_t n, Criterion criterion) {
    return criterion == Criterion::ENTROPY ? xlog2x_table(n) : std::vector<double>();
}

// The criterion in a node: rows of each class, their sum, and the table of `make_table`.
struct Measure {
    Criterion criterion;
    std::span<const double> totals;
    double n;
    const double *table;

    // The goodness of a cut by the rows of each class on its left side and their sum; NONE if a
    // side has no rows.
    double goodness(const double *left, double n_left) const;

    // What no cut exceeds whose counts on the left are from `low` to `high`; not for twoing.
    // Numerators and denominators are bounded apart from each other.
    double bound_box(const double *low, const double *high) const;

    // What no hyperplane exceeds: of two classes their perfect separation.
    double greatest_goodness() const;
};

}  // namespace retree::oblique
