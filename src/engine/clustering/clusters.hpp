// Clusters of rows with numeric and nominal columns about weighted centres.
#pragma once

#include "core/interface.hpp"

namespace retree {

// Rows that follow one another in a matrix whose rows are their columns.
struct Rows {
    Matrix<const double> columns;
    int64_t start, end;

    int64_t size() const { return end - start; }
    std::span<const double> column(int64_t j) const {
        return columns.row(j).subspan(static_cast<size_t>(start), static_cast<size_t>(size()));
    }
};

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
