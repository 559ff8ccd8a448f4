#include "c45/gain.hpp"

namespace retree::c45 {
namespace {

constexpr double LARGEST_MINIMUM = 25.0;

}  // namespace

WholeWeights::WholeWeights(const WeightedColumns &columns) {
    const int64_t total = whole_total(columns);
    if (total < 0) return;
    if (!has_unit_weights(columns)) weight = whole_weights(columns);
    terms = xlog2x_table(total);
}

double smallest_side(double known, int64_t n_classes, double min_cases) {
    const double smallest = 0.1 * known / static_cast<double>(n_classes);
    if (smallest <= min_cases + TOLERANCE) return min_cases;
    return std::min(smallest, LARGEST_MINIMUM);
}

double gain_ratio(double gain, double terms, double missing, double total, const Logs &logs) {
    const double information = logs.term(total) - logs.term(missing) - terms;
    return information >= TOLERANCE ? gain * total / information : 0.0;
}

double gain_of_levels(Matrix<const double> counts, std::span<const double> sides, double total,
                      std::span<double> known, const Logs &logs) {
    std::ranges::fill(known, 0.0);
    double gain = 0.0;
    for (int64_t i = 0; i < counts.rows; ++i) {
        gain -= logs.term(sides[i]);
        for (int64_t c = 0; c < counts.columns; ++c) {
            known[c] += counts(i, c);
            gain += logs.term(counts(i, c));
        }
    }
    for (const double weight : known) gain -= logs.term(weight);
    const double weight = sum_of(known);
    gain += logs.term(weight);
    return gain * weight / total < TOLERANCE ? 0.0 : gain / total;
}

Scanner::Scanner(const WeightedColumns &columns, std::shared_ptr<const WholeWeights> whole)
    : whole_(std::move(whole)),
      scan_(columns.n_classes, whole_->terms.empty() ? 0 : columns.rows.size(), whole_->terms,
            whole_->weight),
      fractional_(columns.n_classes) {}

Cut Scanner::best_cut(const WeightedColumns &columns, const KnownRows &known) {
    // Where rows were divided, their weights are no longer whole.
    if (whole_->terms.empty() || !columns.origin.empty())
        return fractional_.best_cut(columns, known);
    return best_whole(columns, known);
}

// Finds the best cut of those that leave enough on both sides.
Cut Scanner::best_whole(const WeightedColumns &columns, const KnownRows &known) {
    scan_.sum_terms(known.segment, columns.packing, known.counts);
    const auto least = static_cast<int32_t>(std::ceil(known.least - TOLERANCE));
    int32_t first = 0, last = static_cast<int32_t>(known.segment.size()) - 1;
    while (first < last && scan_.left_of(first) < least) ++first;
    while (first < last && scan_.total() - scan_.left_of(last - 1) < least) --last;
    Cut best;
    if (first == last) return best;
    set_gains(columns, known, first, last);
    best.position = first_best(first, last, TOLERANCE * known.total);
    if (best.position < 0) return best;
    best.n_tries = scan_.n_cuts();
    best.gain = scan_.gains()[best.position] / known.total;
    best.n_left = scan_.left_of(static_cast<int32_t>(best.position));
    return best;
}

void Scanner::set_gains(const WeightedColumns &columns, const KnownRows &known, int32_t first,
                        int32_t last) {
    if (!columns.has_many_near[known.column]) return scan_.set_gains(first, last);
    scan_.set_gains(first, last, [&](int32_t start, int32_t end, double *gains) {
        for (int32_t i = start; i < end; ++i)
            if (columns.are_near(known.column, known.segment[i], known.segment[i + 1]))
                gains[i] = WholeScan::NO_GAIN;
    });
}

// Returns the place of the cut that is left if one takes each cut that gains more than the last one
// taken by `slack`, and the first if it gains as much; -1 if none does.
int64_t Scanner::first_best(int32_t first, int32_t last, double slack) const {
    const auto greatest = scan_.greatest(), gains = scan_.gains();
    const double limit = std::ranges::max(greatest);
    if (!(limit > slack)) return -1;
    // After a gain so near the greatest, none is taken any more. It is taken itself if all before
    // are smaller by more than `slack`.
    const auto is_near = [&](double gain) { return gain + slack >= limit; };
    const auto most = [](double a, double b) { return std::max(a, b); };
    const auto block = std::ranges::find_if(greatest, is_near);
    const auto begin = gains.begin() + first + (block - greatest.begin()) * WholeScan::BLOCK;
    const auto found = std::find_if(begin, gains.end(), is_near);
    const double before =
        std::reduce(begin, found, std::reduce(greatest.begin(), block, 0.0, most), most);
    if (*found > before + slack) return found - gains.begin();
    int64_t best = -1;
    double bar = slack;
    for (int32_t i = first; i < last; ++i) {
        if (!(gains[i] > bar)) continue;
        best = i;
        bar = gains[i] + slack;
    }
    return best;
}

}  // namespace retree::c45
