#include "c45/gain.hpp"

namespace retree::c45 {
namespace {

constexpr double LARGEST_MINIMUM = 25.0;

// Whether a threshold may stand between two neighbouring entries.
inline bool is_candidate(const WeightedColumns &columns, int64_t j, uint64_t entry,
                         uint64_t following) {
    if (columns.packing.is_same_value(entry, following)) return false;
    return !columns.are_near(j, entry, following);
}

}  // namespace

double sum_xlog2x(std::span<const double> weights) {
    double total = 0.0;
    for (const double weight : weights) total += xlog2x(weight);
    return total;
}

double smallest_side(double known, int64_t n_classes, double min_cases) {
    const double smallest = 0.1 * known / static_cast<double>(n_classes);
    if (smallest <= min_cases + TOLERANCE) return min_cases;
    return std::min(smallest, LARGEST_MINIMUM);
}

double gain_ratio(double gain, double terms, double missing, double total) {
    const double information = xlog2x(total) - xlog2x(missing) - terms;
    return information >= TOLERANCE ? gain * total / information : 0.0;
}

double gain_of_levels(Matrix<const double> counts, std::span<const double> sides, double total) {
    std::vector<double> known(static_cast<size_t>(counts.columns));
    double gain = 0.0;
    for (int64_t i = 0; i < counts.rows; ++i) {
        gain -= xlog2x(sides[i]);
        for (int64_t c = 0; c < counts.columns; ++c) {
            known[c] += counts(i, c);
            gain += xlog2x(counts(i, c));
        }
    }
    for (const double weight : known) gain -= xlog2x(weight);
    const double weight = sum_of(known);
    gain += xlog2x(weight);
    return gain * weight / total < TOLERANCE ? 0.0 : gain / total;
}

Scanner::Scanner(const WeightedColumns &columns)
    : is_unit_(has_unit_weights(columns)),
      table_(log_table(columns)),
      whole_(static_cast<size_t>(columns.n_classes)),
      left_(whole_.size()),
      right_(whole_.size()) {}

Cut Scanner::best_cut(const WeightedColumns &columns, const KnownRows &known) {
    // Where rows were divided, their weights are no longer whole.
    if (table_.empty() || !columns.origin.empty()) return scan_fractional(columns, known);
    return is_unit_ ? scan_whole<true>(columns, known) : scan_whole<false>(columns, known);
}

template <bool IS_UNIT>
Cut Scanner::scan_whole(const WeightedColumns &columns, const KnownRows &known) {
    const Packing packing = columns.packing;
    const double *table = table_.data();
    Whole *whole = whole_.data();
    int64_t n_left = 0, n_right = 0;
    double terms = 0.0;
    for (size_t c = 0; c < known.counts.size(); ++c) {
        const auto n = static_cast<int64_t>(known.counts[c] + 0.5);
        whole[c] = {0, n, table[n]};
        n_right += n;
        terms += table[n];
    }
    const double offset = table[n_right] - terms;
    const auto low = static_cast<int64_t>(std::ceil(known.least - TOLERANCE));
    const double slack = TOLERANCE * known.total;
    Cut best;
    for (size_t i = 0; i + 1 < known.segment.size(); ++i) {
        const uint64_t entry = known.segment[i];
        const uint64_t later = known.segment[std::min(i + ROWS_AHEAD, known.segment.size() - 1)];
        prefetch(&columns.n_near(known.column, static_cast<int64_t>(packing.code(later))));
        Whole &of_class = whole[packing.label(entry)];
        const int64_t w = IS_UNIT ? 1 : static_cast<int64_t>(columns.weight[row_of(entry)]);
        n_left += w;
        n_right -= w;
        if (n_right < low) break;
        const double before = of_class.terms;
        of_class.left += w;
        of_class.right -= w;
        of_class.terms = table[of_class.left] + table[of_class.right];
        terms += of_class.terms - before;
        if (n_left >= low && is_candidate(columns, known.column, entry, known.segment[i + 1])) {
            ++best.n_tries;
            const double gain = offset + terms - table[n_left] - table[n_right];
            if (gain > best.gain + slack) {
                best.gain = gain;
                best.position = static_cast<int64_t>(i);
                best.n_left = static_cast<double>(n_left);
            }
        }
    }
    best.gain /= known.total;
    return best;
}

Cut Scanner::scan_fractional(const WeightedColumns &columns, const KnownRows &known) {
    const Packing packing = columns.packing;
    double n_left = 0.0, n_right = 0.0, terms = 0.0;
    for (size_t c = 0; c < known.counts.size(); ++c) {
        left_[c] = {0.0, 0.0};
        right_[c] = {known.counts[c], xlog2x(known.counts[c])};
        n_right += known.counts[c];
        terms += right_[c].term;
    }
    const double offset = xlog2x(n_right) - terms;
    const double slack = TOLERANCE * known.total;
    Cut best;
    for (size_t i = 0; i + 1 < known.segment.size(); ++i) {
        const uint64_t entry = known.segment[i];
        const double w = columns.weight[row_of(entry)];
        Side &left = left_[packing.label(entry)], &right = right_[packing.label(entry)];
        n_left += w;
        n_right -= w;
        if (n_right < known.least - TOLERANCE) break;
        left.weight += w;
        right.weight -= w;
        terms -= left.term + right.term;
        left.term = xlog2x(left.weight);
        right.term = xlog2x(right.weight);
        terms += left.term + right.term;
        if (n_left >= known.least - TOLERANCE &&
            is_candidate(columns, known.column, entry, known.segment[i + 1])) {
            ++best.n_tries;
            const double gain = offset + terms - xlog2x(n_left) - xlog2x(n_right);
            if (gain > best.gain + slack) {
                best.gain = gain;
                best.position = static_cast<int64_t>(i);
                best.n_left = n_left;
            }
        }
    }
    best.gain /= known.total;
    return best;
}

}  // namespace retree::c45
