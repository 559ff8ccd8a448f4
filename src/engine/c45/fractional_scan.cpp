#include "c45/fractional_scan.hpp"

#include "core/criteria.hpp"

namespace retree::c45 {
namespace {

constexpr double PER_LN2 = 1.4426950408889634;
constexpr double NO_BOUND = INF;

double xlog2x(double x) { return x >= TOLERANCE ? x * log2_of(x) : 0.0; }

// What has the logarithm 0 in place of a weight that is no more than rounding.
double or_one(double x) { return x >= TOLERANCE ? x : 1.0; }

}  // namespace

Cut FractionalScan::best_cut(const WeightedColumns &columns, const KnownRows &known) {
    const double least = known.least - TOLERANCE, slack = TOLERANCE * known.total;
    const size_t n = known.segment.size() - 1;
    start(known.counts);
    Cut best;
    for (size_t first = 0; first < n; first += MOST) {
        const auto entries = known.segment.subspan(first, std::min(MOST, n - first));
        const size_t n_moved = move_over(columns, entries, least);
        add_terms(entries.first(n_moved), columns.packing);
        for (size_t i = 0; i < n_moved; ++i) {
            if (i % BLOCK == 0) set_gains(i, std::min(i + BLOCK, n_moved), best.gain, slack);
            const uint64_t *const entry = entries.data() + i;
            if (lefts_[i] < least || columns.are_near(known.column, entry[0], entry[1])) continue;
            ++best.n_tries;
            if (!(gains_[i] > best.gain + slack)) continue;
            best.gain = gains_[i];
            best.position = static_cast<int64_t>(first + i);
            best.n_left = lefts_[i];
        }
        if (n_moved < entries.size()) break;
    }
    best.gain /= known.total;
    return best;
}

void FractionalScan::start(std::span<const double> counts) {
    left_ = right_ = terms_ = 0.0;
    for (size_t c = 0; c < sides_.size(); ++c) {
        sides_[c] = {0.0, counts[c], xlog2x(counts[c])};
        right_ += counts[c];
        terms_ += sides_[c].terms;
    }
    offset_ = xlog2x(right_) - terms_;
}

// Moves entries to the left until too little is on the right; returns how many it moved.
size_t FractionalScan::move_over(const WeightedColumns &columns, std::span<const uint64_t> entries,
                                 double least) {
    const Packing packing = columns.packing;
    double left = left_, right = right_;
    size_t i = 0;
    for (; i < entries.size(); ++i) {
        const double w = columns.weight[row_of(entries[i])];
        left += w;
        right -= w;
        if (right < least) break;
        lefts_[i] = left;
        rights_[i] = right;
        Sides &own = sides_[packing.label(entries[i])];
        weights_[2 * i] = or_one(own.left += w);
        weights_[2 * i + 1] = or_one(own.right -= w);
    }
    left_ = left;
    right_ = right;
    return i;
}

void FractionalScan::add_terms(std::span<const uint64_t> entries, Packing packing) {
    const size_t n = entries.size();
    log2_of_all(std::span(weights_).first(2 * n), std::span(logs_).first(2 * n));
    double terms = terms_;
    for (size_t i = 0; i < n; ++i) {
        const size_t at = 2 * i;
        const double both = weights_[at] * logs_[at] + weights_[at + 1] * logs_[at + 1];
        Sides &own = sides_[packing.label(entries[i])];
        terms = terms - own.terms + both;
        own.terms = both;
        gains_[i] = offset_ + terms;
    }
    terms_ = terms;
}

// Takes the terms of both sides off, and so makes gains of the sums of some cuts, unless none of
// these can be more than `best` by `slack`.
void FractionalScan::set_gains(size_t first, size_t end, double best, double slack) {
    if (greatest(first, end) < best + (1.0 - 1e-3) * slack) {
        std::fill(gains_.begin() + first, gains_.begin() + end, 0.0);
        return;
    }
    const size_t n = end - first;
    std::array<double, 2 * BLOCK> weights, logs;
    for (size_t i = 0; i < n; ++i) {
        weights[i] = or_one(lefts_[first + i]);
        weights[n + i] = or_one(rights_[first + i]);
    }
    log2_of_all(std::span(weights).first(2 * n), std::span(logs).first(2 * n));
    for (size_t i = 0; i < n; ++i)
        gains_[first + i] = gains_[first + i] - weights[i] * logs[i] - weights[n + i] * logs[n + i];
}

// Returns what no gain of some cuts exceeds but by rounding: x * log2(x) is not less than its
// tangent at the weights of the cut in the middle.
double FractionalScan::greatest(size_t first, size_t end) const {
    const size_t middle = (first + end) / 2;
    const double left = lefts_[middle], right = rights_[middle];
    if (!(left >= TOLERANCE && right >= TOLERANCE)) return NO_BOUND;
    const double on_left = std::log2(left) + PER_LN2, on_right = std::log2(right) + PER_LN2;
    double most = -NO_BOUND;
    for (size_t i = first; i < end; ++i)
        most = std::max(most, gains_[i] - on_left * lefts_[i] - on_right * rights_[i]);
    return most + PER_LN2 * (left + right);
}

}  // namespace retree::c45
