#include "structure/compactness.hpp"
#include "core/numbers.hpp"

#include "structure/cuts.hpp"
#include "structure/geometry.hpp"

namespace retree::structure {
namespace {

// Squared distance, in unit ranges, below which two centroids are the same but for rounding.
constexpr double COINCIDENT = 1e-24;

}  // namespace

Summary::Summary(const Columns &columns)
    : counts(static_cast<size_t>(columns.n_classes)),
      mean(columns.n_classes, columns.n_wide()),
      scatter(columns.n_classes, columns.n_wide()),
      ones(columns.n_classes, columns.n_pair()),
      low(static_cast<size_t>(columns.n_wide()), INF),
      high(low.size(), -INF) {}

void Summary::clear() {
    std::ranges::fill(counts, 0.0);
    mean.fill(0.0);
    scatter.fill(0.0);
    ones.fill(0.0);
    std::ranges::fill(low, INF);
    std::ranges::fill(high, -INF);
}

// Two passes, as sums of squares of one pass cancel.
void Summary::summarise_wide(const Columns &columns, std::span<const int32_t> rows) {
    const size_t n_wide = low.size();
    for (const int32_t row : rows) {
        const int32_t c = columns.y[row];
        const auto values = columns.scaled.row(row);
        const auto sums = mean.row(c);
        const double w = columns.weight[row];
        counts[c] += w;
        for (size_t j = 0; j < n_wide; ++j) {
            sums[j] += w * values[j];
            low[j] = values[j] < low[j] ? values[j] : low[j];
            high[j] = values[j] > high[j] ? values[j] : high[j];
        }
    }
    for (int64_t c = 0; c < columns.n_classes; ++c)
        for (double &value : mean.row(c)) value /= counts[c] > 0.0 ? counts[c] : 1.0;
    for (const int32_t row : rows) {
        const int32_t c = columns.y[row];
        const auto values = columns.scaled.row(row);
        const double w = columns.weight[row];
        const auto centre = mean.row(c), squares = scatter.row(c);
        for (size_t j = 0; j < n_wide; ++j) {
            const double difference = values[j] - centre[j];
            squares[j] += w * (difference * difference);
        }
    }
}

void Summary::merge(const Summary &other) {
    for (int64_t c = 0; c < std::ssize(counts); ++c) {
        if (other.counts[c] == 0.0) continue;
        const double both = counts[c] + other.counts[c];
        const double share = other.counts[c] / both;
        const double weight = counts[c] * share;
        const auto centre = mean.row(c), squares = scatter.row(c), bits = ones.row(c);
        const auto other_centre = other.mean.row(c), other_squares = other.scatter.row(c);
        for (size_t j = 0; j < centre.size(); ++j) {
            const double difference = other_centre[j] - centre[j];
            squares[j] += other_squares[j] + difference * difference * weight;
            centre[j] += difference * share;
        }
        const auto other_bits = other.ones.row(c);
        for (size_t j = 0; j < bits.size(); ++j) bits[j] += other_bits[j];
        counts[c] = both;
    }
    for (size_t j = 0; j < low.size(); ++j) {
        low[j] = std::min(low[j], other.low[j]);
        high[j] = std::max(high[j], other.high[j]);
    }
}

Compactness::Compactness(const Columns &columns, Matrix<const int8_t> codes, bool scale_by_child)
    : columns_(columns),
      codes_(codes),
      scale_by_child_(scale_by_child),
      child_(columns),
      child_weight_(static_cast<size_t>(columns.n_wide())),
      sides_(2, columns.n_columns()) {}

void Compactness::measure(std::span<const int32_t> rows, std::span<const int64_t> cuts,
                          const Table<double> &ones, std::span<const double> node_weight,
                          std::span<double> csn) {
    summarise_runs(rows, cuts, ones);
    double n = 0.0;
    for (size_t i = 0; i <= cuts.size(); ++i) n += sum_of(runs_[i].counts);
    child_.clear();
    for (size_t i = 0; i < cuts.size(); ++i) {
        child_.merge(runs_[i]);
        csn[i] = sum_of(child_.counts) / n * csn_of_child(node_weight);
    }
    child_.clear();
    for (size_t i = cuts.size(); i-- > 0;) {
        child_.merge(runs_[i + 1]);
        csn[i] += sum_of(child_.counts) / n * csn_of_child(node_weight);
    }
}

// The bits of the longest run are what the other runs leave of those of the node.
void Compactness::summarise_runs(std::span<const int32_t> rows, std::span<const int64_t> cuts,
                                 const Table<double> &ones) {
    const Runs edges(cuts, rows.size());
    while (runs_.size() < edges.size()) runs_.emplace_back(columns_);
    for (size_t i = 0; i < edges.size(); ++i) runs_[i].clear();
    Table<double> &rest = runs_[edges.longest()].ones;
    for (int64_t c = 0; c < ones.rows(); ++c) std::ranges::copy(ones.row(c), rest.row(c).begin());
    for (size_t i = 0; i < edges.size(); ++i) {
        const auto members = edges.of(rows, i);
        runs_[i].summarise_wide(columns_, members);
        if (i != edges.longest() && columns_.n_pair() > 0) count_bits(members, runs_[i].ones, rest);
    }
}

void Compactness::count_bits(std::span<const int32_t> rows, Table<double> &own,
                             Table<double> &rest) const {
    for (const int32_t row : rows) {
        const auto own_bits = own.row(columns_.y[row]), rest_bits = rest.row(columns_.y[row]);
        for (const int32_t j : columns_.set_of(row)) {
            own_bits[j] += columns_.weight[row];
            rest_bits[j] -= columns_.weight[row];
        }
    }
}

double Compactness::csn_of_child(std::span<const double> node_weight) {
    if (scale_by_child_) {
        for (size_t j = 0; j < child_weight_.size(); ++j)
            child_weight_[j] = inverse_square(child_.high[j] - child_.low[j]);
    }
    const std::span<const double> weight = scale_by_child_ ? child_weight_ : node_weight;
    int64_t present = 0;
    double within = 0.0, n_rows = 0.0;
    for (int64_t c = 0; c < columns_.n_classes; ++c) {
        const double n = child_.counts[c];
        if (n == 0.0) continue;
        ++present;
        n_rows += n;
        const auto squares = child_.scatter.row(c);
        for (size_t j = 0; j < squares.size(); ++j) within += weight[j] * squares[j];
        for (const double ones : child_.ones.row(c)) within += ones * (1.0 - ones / n);
    }
    if (present < 2) return 0.0;
    const double between = separation(weight);
    if (between <= COINCIDENT) return INF;
    // Rows of a class that coincide have no scatter, however their sum was rounded.
    return within > COINCIDENT * n_rows ? within / between : 0.0;
}

// BCM: the squared distances of the two sides' means, summed over the dichotomies.
double Compactness::separation(std::span<const double> weight) {
    const int64_t n_wide = columns_.n_wide(), n_pair = columns_.n_pair();
    double total = 0.0;
    for (int64_t d = 0; d < codes_.columns; ++d) {
        double n_rows[2] = {0.0, 0.0};
        sides_.fill(0.0);
        for (int64_t c = 0; c < columns_.n_classes; ++c) {
            const double n = child_.counts[c];
            if (codes_(c, d) == 0 || n == 0.0) continue;
            const int side = codes_(c, d) > 0 ? 1 : 0;
            n_rows[side] += n;
            const auto sums = sides_.row(side);
            const auto centre = child_.mean.row(c), ones = child_.ones.row(c);
            for (int64_t j = 0; j < n_wide; ++j) sums[j] += n * centre[j];
            for (int64_t j = 0; j < n_pair; ++j) sums[n_wide + j] += ones[j];
        }
        if (n_rows[0] == 0.0 || n_rows[1] == 0.0) continue;
        for (int64_t j = 0; j < n_wide + n_pair; ++j) {
            const double difference = sides_(1, j) / n_rows[1] - sides_(0, j) / n_rows[0];
            total += difference * difference * (j < n_wide ? weight[j] : 1.0);
        }
    }
    return total;
}

}  // namespace retree::structure
