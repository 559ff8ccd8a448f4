// Ranking by gain ratio and by Hellinger distance: what class frequencies say of binary splits.
//
// Both measures lie in [0, 1] or little above and may be 0, so candidates are ranked by 1 +
// measure: rounding then makes those tie whose measures differ by less than 1.5e-11, near 0 too.
#pragma once

#include "core/criteria.hpp"
#include "structure/columns.hpp"
#include "structure/ranking.hpp"

namespace retree::structure {

// Information gain over split information, which is never 0 as no child is empty. A `Count` is a
// number of rows, int64, or a weight, double.
class GainRatio {
public:
    // Numbers of rows up to `n_rows` can be measured, and any weights.
    explicit GainRatio(int64_t n_rows) : table_(xlog2x_table(n_rows)) {}

    template <class Count>
    double operator()(std::span<const Count> counts, std::span<const Count> left, Count n,
                      Count n_left) const;

private:
    double term(int64_t x) const { return table_[static_cast<size_t>(x)]; }
    static double term(double x) { return x > 0.0 ? x * log2_of(x) : 0.0; }

    std::vector<double> table_;  // x * log2(x) of 0, 1, ..., n_rows
};

// The mean over the classes of the Hellinger distance, up to sqrt(2), of two distributions over the
// two children: that of the rows of the class and that of all other rows.
struct Hellinger {
    template <class Count>
    double operator()(std::span<const Count> counts, std::span<const Count> left, Count n,
                      Count n_left) const;
};

// Offers the splits of all columns by a measure.
template <class Measure>
void rank_by_frequency(const Measure &measure, const Node &node, std::span<const double> counts,
                       const Table<double> &ones, double min_side, RankedList &list);

}  // namespace retree::structure
