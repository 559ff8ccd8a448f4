#include "clustering/clusters.hpp"

#include "core/tests.hpp"
#include "retree/clustering.h"

namespace retree {
namespace {

constexpr double TIE = 1e-12;   // part of a cost by which it must fall
constexpr int64_t BLOCK = 256;  // rows whose distances stay in the first cache
// Columns that are summed together: the sums of one alone would wait for one another.
constexpr int64_t FEW_COLUMNS = 8;

// Sums, or counts of levels, of each slot, and the number of known values of each column.
struct Counts {
    Positions sums;
    std::vector<int64_t> sizes;
};

using Block = std::array<double, BLOCK>;

// Finds the nearest centres of some rows after another.
class Assignment {
public:
    Assignment(const Rows &rows, const Positions &positions, const Space &space)
        : rows_(rows), positions_(positions), space_(space) {}

    // Gives rows the label of the nearest centre, the first where distances tie, -1 to rows without
    // values; returns the cost with their distances.
    double assign(int64_t first, int64_t last, std::span<int32_t> labels, double cost) {
        least_.fill(INF);
        std::fill(labels.begin() + first, labels.begin() + last, -1);
        find_known(first, last);
        for (int64_t c = 0; c < positions_.n; ++c) {
            in_numeric_.fill(0.0);
            in_nominal_.fill(0.0);
            for (size_t j = 0; j < space_.weight.size(); ++j)
                if (space_.weight[j] != 0.0)
                    add_column(static_cast<int64_t>(j), first, last, positions_.at(c));
            for (int64_t i = first; i < last; ++i) {
                const double d = combine(in_numeric_[i - first], in_nominal_[i - first],
                                         space_.gamma, space_.metric);
                if (is_known_[i - first] == 0 || !(d < least_[i - first])) continue;
                least_[i - first] = d;
                labels[i] = static_cast<int32_t>(c);
            }
        }
        for (int64_t i = first; i < last; ++i)
            if (is_known_[i - first] != 0) cost += least_[i - first];
        return cost;
    }

private:
    void find_known(int64_t first, int64_t last) {
        is_known_.fill(0);
        for (size_t j = 0; j < space_.weight.size(); ++j) {
            if (space_.weight[j] == 0.0) continue;
            const auto values = rows_.column(static_cast<int64_t>(j));
            for (int64_t i = first; i < last; ++i)
                is_known_[i - first] |= std::isnan(values[i]) ? 0 : 1;
        }
    }

    RETREE_VECTOR void add_column(int64_t j, int64_t first, int64_t last,
                                  const double *position) noexcept {
        const double *values = rows_.column(j).data() + first;
        const double weight = space_.weight[j], *slot = position + space_.start[j];
        const int64_t n = last - first;
        if (space_.nominal[j] != 0) {
            for (int64_t i = 0; i < n; ++i)
                if (!std::isnan(values[i]))
                    in_nominal_[i] += weight * (1.0 - slot[static_cast<int64_t>(values[i])]);
        } else if (space_.metric == MANHATTAN) {
            for (int64_t i = 0; i < n; ++i) {
                const double part = weight * std::abs(values[i] - *slot);
                in_numeric_[i] += part != part ? 0.0 : part;
            }
        } else {
            for (int64_t i = 0; i < n; ++i) {
                const double difference = values[i] - *slot;
                const double part = weight * (difference * difference);
                in_numeric_[i] += part != part ? 0.0 : part;
            }
        }
    }

    const Rows &rows_;
    const Positions &positions_;
    const Space &space_;
    Block in_numeric_, in_nominal_, least_;
    std::array<uint8_t, BLOCK> is_known_;
};

// Gives each row its label; returns the sum of the distances.
double assign(const Rows &rows, const Positions &positions, const Space &space,
              std::span<int32_t> labels, Poll &poll) {
    double cost = 0.0;
    Assignment assignment(rows, positions, space);
    for (int64_t first = 0; first < rows.size(); first += BLOCK) {
        poll.check();
        cost = assignment.assign(first, std::min(first + BLOCK, rows.size()), labels, cost);
    }
    return cost;
}

// The last row of the counts is left for those of all clusters.
Counts count_values(const Rows &rows, std::span<const int32_t> labels, int64_t n_clusters,
                    const Space &space) {
    const int64_t p = space.n_features();
    Counts counts{{n_clusters + 1, space.n_slots()},
                  std::vector<int64_t>(static_cast<size_t>((n_clusters + 1) * p))};
    for (int64_t first = 0; first < p; first += FEW_COLUMNS) {
        const int64_t last = std::min(first + FEW_COLUMNS, p);
        for (int64_t i = 0; i < rows.size(); ++i) {
            const int64_t c = labels[i];
            if (c < 0) continue;
            double *const sums = counts.sums.at(c);
            for (int64_t j = first; j < last; ++j) {
                const double value = rows.columns(j, rows.start + i);
                if (std::isnan(value)) continue;
                ++counts.sizes[c * p + j];
                if (space.nominal[j] != 0) {
                    sums[space.start[j] + static_cast<int64_t>(value)] += 1.0;
                } else {
                    sums[space.start[j]] += value;
                }
            }
        }
    }
    return counts;
}

// Turns the sums of a column's slots into a centre; the first of equally frequent levels is the
// mode.
void to_centre(std::span<double> sums, int64_t size, bool is_mode) {
    if (!is_mode) {
        for (double &sum : sums) sum /= static_cast<double>(size);
        return;
    }
    const auto mode = std::max_element(sums.begin(), sums.end());
    std::fill(sums.begin(), sums.end(), 0.0);
    *mode = 1.0;
}

void find_column_centres(Counts &counts, int64_t j, int64_t n_clusters, const Space &space) {
    const int64_t p = space.n_features(), first = space.start[j];
    const auto n_slots = static_cast<size_t>(space.start[j + 1] - first);
    const auto slots = [&](int64_t c) {
        return std::span<double>(counts.sums.at(c) + first, n_slots);
    };
    const auto size = [&](int64_t c) -> int64_t & { return counts.sizes[c * p + j]; };
    for (int64_t c = 0; c < n_clusters; ++c) {
        for (size_t s = 0; s < n_slots; ++s) slots(n_clusters)[s] += slots(c)[s];
        size(n_clusters) += size(c);
    }
    if (size(n_clusters) == 0) return;
    for (int64_t c = 0; c <= n_clusters; ++c)
        if (size(c) > 0) to_centre(slots(c), size(c), space.modes && space.nominal[j] != 0);
    for (int64_t c = 0; c < n_clusters; ++c)
        if (size(c) == 0) std::copy_n(slots(n_clusters).begin(), n_slots, slots(c).begin());
}

// Renumbers `labels` without the clusters that have no rows; returns the others' centres.
Positions drop_empty(std::span<int32_t> labels, const Positions &positions) {
    std::vector<int32_t> number(static_cast<size_t>(positions.n), 0);
    for (const int32_t label : labels)
        if (label >= 0) number[label] = 1;
    Positions used(std::count(number.begin(), number.end(), 1), positions.n_slots);
    int32_t n = 0;
    for (int64_t c = 0; c < positions.n; ++c) {
        if (number[c] == 0) continue;
        std::copy_n(positions.at(c), positions.n_slots, used.at(n));
        number[c] = n++;
    }
    for (int32_t &label : labels)
        if (label >= 0) label = number[label];
    return used;
}

}  // namespace

void Space::check(const Rows &rows) const {
    const int64_t p = rows.columns.rows;
    require(p == n_features() && static_cast<int64_t>(start.size()) == p + 1 && start[0] == 0,
            "The engine needs slots for each column.");
    for (int64_t j = 0; j < p; ++j)
        require(nominal[j] != 0 ? start[j] <= start[j + 1]
                                : start[j] < start[j + 1] && start[j + 1] - start[j] == 1,
                "The engine needs one slot for a numeric column.");
    for (int64_t j = 0; j < p; ++j) {
        if (nominal[j] == 0) continue;
        for (const double value : rows.column(j))
            if (!std::isnan(value)) level_of(value, start[j + 1] - start[j]);
    }
}

Positions find_centres(const Rows &rows, std::span<const int32_t> labels, int64_t n_clusters,
                       const Space &space) {
    Counts counts = count_values(rows, labels, n_clusters, space);
    for (int64_t j = 0; j < space.n_features(); ++j)
        find_column_centres(counts, j, n_clusters, space);
    counts.sums.n = n_clusters;
    counts.sums.values.resize(static_cast<size_t>(n_clusters * space.n_slots()));
    return std::move(counts.sums);
}

Clustering cluster(const Rows &rows, Positions positions, const Space &space, int64_t max_rounds,
                   bool must_fall, std::span<int32_t> labels, Poll &poll) {
    double cost = assign(rows, positions, space, labels, poll);
    positions = drop_empty(labels, positions);
    std::vector<int32_t> moved_labels(labels.size());
    int64_t n_rounds = 0;
    bool stays = false;
    while (n_rounds < max_rounds && !stays) {
        const Positions moved = find_centres(rows, labels, positions.n, space);
        const double moved_cost = assign(rows, moved, space, moved_labels, poll);
        if (must_fall && moved_cost >= cost * (1.0 - TIE)) break;
        ++n_rounds;
        stays = std::equal(labels.begin(), labels.end(), moved_labels.begin());
        cost = moved_cost;
        positions = drop_empty(moved_labels, moved);
        std::copy(moved_labels.begin(), moved_labels.end(), labels.begin());
    }
    return {std::move(positions), cost, n_rounds};
}

}  // namespace retree

using namespace retree;

int32_t retree_find_centres(const retree_array *columns, const retree_array *labels,
                            const retree_array *start, const retree_array *nominal, int64_t modes,
                            retree_array *positions) {
    return guarded([&] {
        const auto X = matrix_of<const double>(columns, "columns");
        const Rows rows{X, 0, X.columns};
        Space space{};
        space.start = vector_of<const int32_t>(start, "start", X.rows + 1);
        space.nominal = vector_of<const uint8_t>(nominal, "nominal", X.rows);
        space.modes = modes != 0;
        space.check(rows);
        const auto out = matrix_of<double>(positions, "positions", ANY, space.n_slots());
        const auto codes = vector_of<const int32_t>(labels, "labels", X.columns);
        for (const int32_t code : codes)
            require(code < out.rows, "The engine needs a centre for each label.");
        const auto found = find_centres(rows, codes, out.rows, space);
        std::copy(found.values.begin(), found.values.end(), out.data);
    });
}

int32_t retree_cluster(const retree_array *columns, const retree_array *positions,
                       const retree_array *weight, double gamma, int64_t metric,
                       const retree_array *start, const retree_array *nominal, int64_t modes,
                       int64_t max_rounds, retree_array *labels, retree_result *result) {
    return guarded([&] {
        const auto X = matrix_of<const double>(columns, "columns");
        const Rows rows{X, 0, X.columns};
        const Space space{vector_of<const double>(weight, "weight", X.rows),
                          gamma,
                          static_cast<int32_t>(metric),
                          vector_of<const int32_t>(start, "start", X.rows + 1),
                          vector_of<const uint8_t>(nominal, "nominal", X.rows),
                          modes != 0};
        space.check(rows);
        const auto given = matrix_of<const double>(positions, "positions", ANY, space.n_slots());
        Positions centres(given.rows, given.columns);
        std::copy_n(given.data, centres.values.size(), centres.values.begin());
        const auto codes = vector_of<int32_t>(labels, "labels", X.columns);
        Poll poll;
        auto found = cluster(rows, std::move(centres), space, max_rounds, true, codes, poll);
        const int64_t n = found.positions.n;
        result->add(std::move(found.positions.values), n, space.n_slots());
        result->add(std::vector<double>{found.cost});
        result->add(std::vector<int64_t>{found.n_rounds});
    });
}
