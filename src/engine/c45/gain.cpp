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

// Whole weights, all of them 1 if IS_UNIT, whose x * log2(x) is looked up.
template <bool IS_UNIT>
struct WholeWeights {
    int64_t of(int32_t row) const { return IS_UNIT ? 1 : static_cast<int64_t>(weight[row]); }
    int64_t sum(double value) const { return static_cast<int64_t>(value + 0.5); }
    int64_t least(double value) const { return static_cast<int64_t>(std::ceil(value)); }
    double term(int64_t n) const { return table[n]; }
    std::array<double, 2> terms(int64_t n, int64_t m) const { return {table[n], table[m]}; }
    double replaced(double terms, double old, double now) const { return terms + (now - old); }

    const double *weight, *table;
};

struct FractionalWeights {
    double of(int32_t row) const { return weight[row]; }
    double sum(double value) const { return value; }
    double least(double value) const { return value; }
    double term(double value) const { return xlog2x(value); }
    std::array<double, 2> terms(double a, double b) const { return both_xlog2x(a, b, TOLERANCE); }
    double replaced(double terms, double old, double now) const { return terms - old + now; }

    const double *weight;
};

template <class Weights, class Number>
Cut scan(const WeightedColumns &columns, const KnownRows &known, const Weights weights,
         std::span<Sides<Number>> sides) {
    const Packing packing = columns.packing;
    Number n_left = 0, n_right = 0;
    double terms = 0.0;
    for (size_t c = 0; c < sides.size(); ++c) {
        const Number n = weights.sum(known.counts[c]);
        sides[c] = {0, n, weights.term(n)};
        n_right += n;
        terms += sides[c].terms;
    }
    const double offset = weights.term(n_right) - terms;
    const Number least = weights.least(known.least - TOLERANCE);
    const double slack = TOLERANCE * known.total;
    Cut best;
    for (size_t i = 0; i + 1 < known.segment.size(); ++i) {
        const uint64_t entry = known.segment[i];
        const uint64_t later = known.segment[std::min(i + ROWS_AHEAD, known.segment.size() - 1)];
        prefetch(&columns.n_near(known.column, static_cast<int64_t>(packing.code(later))));
        const Number w = weights.of(row_of(entry));
        n_left += w;
        n_right -= w;
        if (n_right < least) break;
        Sides<Number> &own = sides[static_cast<size_t>(packing.label(entry))];
        const double old = own.terms;
        own.left += w;
        own.right -= w;
        const auto [inside, outside] = weights.terms(own.left, own.right);
        own.terms = inside + outside;
        terms = weights.replaced(terms, old, own.terms);
        if (n_left < least || !is_candidate(columns, known.column, entry, known.segment[i + 1]))
            continue;
        ++best.n_tries;
        const auto [left, right] = weights.terms(n_left, n_right);
        const double gain = offset + terms - left - right;
        if (gain > best.gain + slack) {
            best.gain = gain;
            best.position = static_cast<int64_t>(i);
            best.n_left = static_cast<double>(n_left);
        }
    }
    best.gain /= known.total;
    return best;
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

double gain_of_levels(Matrix<const double> counts, std::span<const double> sides, double total,
                      std::span<double> known) {
    std::ranges::fill(known, 0.0);
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
      table_(std::make_shared<const std::vector<double>>(log_table(columns))),
      whole_(static_cast<size_t>(columns.n_classes)),
      fractional_(whole_.size()) {}

Cut Scanner::best_cut(const WeightedColumns &columns, const KnownRows &known) {
    const double *weight = columns.weight.data();
    // Where rows were divided, their weights are no longer whole.
    if (table_->empty() || !columns.origin.empty())
        return scan(columns, known, FractionalWeights{weight}, std::span(fractional_));
    const double *table = table_->data();
    return is_unit_ ? scan(columns, known, WholeWeights<true>{weight, table}, std::span(whole_))
                    : scan(columns, known, WholeWeights<false>{weight, table}, std::span(whole_));
}

}  // namespace retree::c45
