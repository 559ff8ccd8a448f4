#include "c45/fractional_scan.hpp"

#include "core/criteria.hpp"

namespace retree::c45 {
namespace {

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
        set_gains(entries.first(n_moved), columns.packing);
        for (size_t i = 0; i < n_moved; ++i) {
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
        Sides &own = sides_[packing.label(entries[i])];
        double *const weights = weights_.data() + 4 * i;
        weights[0] = or_one(own.left += w);
        weights[1] = or_one(own.right -= w);
        weights[2] = or_one(left);
        weights[3] = or_one(right);
    }
    left_ = left;
    right_ = right;
    return i;
}

void FractionalScan::set_gains(std::span<const uint64_t> entries, Packing packing) {
    const size_t n = entries.size();
    log2_of_all(std::span(weights_).first(4 * n), std::span(logs_).first(4 * n));
    double terms = terms_;
    for (size_t i = 0; i < n; ++i) {
        const double *const x = weights_.data() + 4 * i, *const log = logs_.data() + 4 * i;
        const double both = x[0] * log[0] + x[1] * log[1];
        Sides &own = sides_[packing.label(entries[i])];
        terms = terms - own.terms + both;
        own.terms = both;
        gains_[i] = offset_ + terms - x[2] * log[2] - x[3] * log[3];
    }
    terms_ = terms;
}

}  // namespace retree::c45
