// Clusters of rows with numeric and nominal columns about weighted centres.
#pragma once

#include "core/interface.hpp"

namespace retree {

// Rows of a matrix, in row-major or column-major order.
struct Rows {
    const double *first;
    int64_t n, n_features;
    int64_t row_step, column_step;  // from a value to that of the next row, of the next column

    int64_t size() const { return n; }
    // Returns the values of a row; they are copied to `scratch`, which has room for them, if they
    // do not follow one another.
    const double *at(int64_t i, std::vector<double> &scratch) const {
        const double *row = first + i * row_step;
        if (column_step == 1) return row;
        for (int64_t j = 0; j < n_features; ++j) scratch[j] = row[j * column_step];
        return scratch.data();
    }
};

// The rows of a matrix whose rows they are.
inline Rows rows_of(Matrix<const double> X) { return {X.data, X.rows, X.columns, X.columns, 1}; }

// What a centre and a distance are; fields as those of `Centres` if not said otherwise.
struct Space {
    std::span<const double> weight;  // of each column
    double gamma;
    int32_t metric;
    std::span<const int32_t> start;
    std::span<const uint8_t> nominal;
    bool modes;  // whether a centre has the mode of a nominal column, and not the shares

    int64_t n_features() const { return static_cast<int64_t>(nominal.size()); }
    int64_t n_slots() const { return start.back(); }
    double distance(const double *row, const double *position) const;
    bool has_values(const double *row) const;

    // Raises unless the slots follow one another and the rows hold codes of levels that have one.
    void check(const Rows &rows) const;
};

// Centres, a row of slots each.
struct Positions {
    std::vector<double> values;
    int64_t n = 0;
    int64_t n_slots = 0;

    Positions(int64_t n_centres, int64_t slots)
        : values(static_cast<size_t>(n_centres * slots)), n(n_centres), n_slots(slots) {}
    double *at(int64_t c) { return values.data() + c * n_slots; }
    const double *at(int64_t c) const { return values.data() + c * n_slots; }
};

// Returns the centres of the clusters. A cluster without a known value in a column has there the
// centre of all rows, and zeros if there is no known value at all.
Positions find_centres(const Rows &rows, std::span<const int32_t> labels, int64_t n_clusters,
                       const Space &space);

struct Clustering {
    Positions positions;
    double cost;
    int64_t n_rounds;
};

// Moves centres to the middle of the rows nearest to them, until no label changes; clusters that
// lose all rows are dropped. With `must_fall`, a round that does not lower the cost is taken back
// and is the last. Sets `labels` to the nearest of the centres.
Clustering cluster(const Rows &rows, Positions positions, const Space &space, int64_t max_rounds,
                   bool must_fall, std::span<int32_t> labels, Poll &poll);

}  // namespace retree
