// Geometry of a node: class means, ranges and scatter, from which BNM and its bounds are made.
//
// All distances are those of the node's rows scaled to [0, 1] feature by feature. The rows are
// never copied: `Columns::scaled` holds them scaled over the whole training set, and squared
// differences are weighted by the inverse squared range of the feature in the node. Pair columns
// are 0 or 1 and need no weight.
#pragma once

#include "structure/columns.hpp"

namespace retree::structure {

// Wide columns come before pair columns.
struct Geometry {
    // Row distances are kept only if they are needed.
    Geometry(const Columns &columns, bool distances);

    // Fills all but counts and ones, which are known already, for the rows of a node.
    void measure(const Node &node);
    // Sets the weights of the wide columns to their inverse squared ranges in a node.
    void weigh(const Node &node);

    std::vector<double> counts;    // weight of each class
    Table<double> ones;            // (n_classes, n_pair) of it, the larger value of each column
    Table<double> mean;            // (n_classes, n_columns) class centroids
    std::vector<double> weight;    // of each column, inverse squared range, 0 where constant
    std::vector<double> scatter;   // of each class, sum of squared distances to its mean
    std::vector<double> distance;  // of each training row to the mean of its class

private:
    void measure_distances(const Node &node);
};

// A constant feature counts for nothing.
inline double inverse_square(double extent) { return extent > 0.0 ? 1.0 / (extent * extent) : 0.0; }

// Adds a row, all its columns, to `total`, as often as its weight says.
inline void add_row(const Columns &columns, int32_t row, double *total) {
    const auto values = columns.scaled.row(row);
    const double w = columns.weight[row];
    for (size_t j = 0; j < values.size(); ++j) total[j] += w * values[j];
    double *pairs = total + values.size();
    for (const int32_t j : columns.set_of(row)) pairs[j] += w;
}

// Returns the weighted squared norm of `total - n * mean`.
double squared_norm(const double *total, const double *mean, double n,
                    std::span<const double> weight);

}  // namespace retree::structure
