// What is known of the rows left of a threshold that sweeps through a column.
#pragma once

#include "structure/geometry.hpp"

namespace retree::structure {

// With n rows of a class in the node, l left and r right of the threshold, and A the sum of the
// left rows' deviations from the class mean, the distance of the centroids is |A| n / (l r). |A|
// grows by at most a row's own distance from the mean, and |A|^2 <= scatter * l r / n, as
// between-group scatter is part of the scatter.
class Sweep {
public:
    explicit Sweep(const Columns &columns);

    void reset();
    // Lets the sweep stand for the rows with the larger value of pair column `j`. The margin is
    // symmetric, so these may as well be called the left ones.
    void stand_for_pair(const Geometry &geometry, int64_t j);
    // Moves a row of class `c` at `position`, of a weight and a distance from its mean, to the
    // left.
    void pass(int32_t c, int64_t position, double weight, double distance) {
        left[c] += weight;
        last[c] = position;
        reach[c] += weight * distance;
        ahead[c] -= weight * distance;
    }

    // Returns an upper bound of the first term of BNM.
    double margin_bound(const Geometry &geometry, bool squared) const;
    // Bounds the first term of BNM up to the next border of a bin, which has `n_rows` of each
    // class by weight.
    void bound_bin(const Geometry &geometry, std::span<const double> n_rows, bool squared);
    // Returns the first term of BNM and tightens the reach of each class to |A|; the sums of the
    // rows of class c stand at `sums + c * stride`.
    double margin(const Geometry &geometry, const double *sums, int64_t stride, bool squared);

    std::vector<double> left;        // weight of each class
    std::vector<int64_t> last;       // position of the last row of each class on the left
    std::vector<int64_t> following;  // position of the first row of each class on the right
    std::vector<double> reach;       // upper bound of |A| of each class, from the left
    std::vector<double> ahead;       // the same from the next border of a bin
    double bin_bound = 0.0;          // upper bound of the first term of BNM in the bin

private:
    double least_;  // weight of any row
};

}  // namespace retree::structure
