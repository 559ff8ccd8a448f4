#include "c45/gain.hpp"

namespace retree::c45 {
namespace {

constexpr double LARGEST_MINIMUM = 25.0;
constexpr size_t MOST_LOGS = 4096;
constexpr int32_t BLOCK = 32;  // entries

// Counts of all classes in one number: no addition then waits for memory.
class PackedCounts {
public:
    explicit PackedCounts(int width) : width_(width), mask_((uint64_t{1} << width) - 1) {}

    // Adds to the count of a class and returns it.
    int32_t add(int32_t c, int32_t n) {
        const int shift = c * width_;
        packed_ += static_cast<uint64_t>(n) << shift;
        return static_cast<int32_t>((packed_ >> shift) & mask_);
    }

private:
    int width_;
    uint64_t mask_, packed_ = 0;
};

class ListedCounts {
public:
    explicit ListedCounts(std::span<int32_t> counts) : counts_(counts.data()) {
        std::ranges::fill(counts, 0);
    }
    int32_t add(int32_t c, int32_t n) { return counts_[c] += n; }

private:
    int32_t *counts_;
};

}  // namespace

WholeWeights::WholeWeights(const WeightedColumns &columns) {
    const int64_t total = whole_total(columns);
    if (total < 0) return;
    are_unit = has_unit_weights(columns);
    weight.resize(columns.y.size());
    for (const int32_t row : columns.rows) weight[row] = static_cast<int32_t>(columns.weight[row]);
    terms.resize(static_cast<size_t>(total) + 1);
    logs.resize(std::min(terms.size(), MOST_LOGS));
    for (size_t n = 2; n < terms.size(); ++n) {
        const double log = log2_of(static_cast<double>(n));
        terms[n] = static_cast<double>(n) * log;
        if (n < logs.size()) logs[n] = log;
    }
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
      totals_(static_cast<size_t>(columns.n_classes)),
      lefts_of_(totals_.size()),
      class_terms_(totals_.size()),
      sums_(whole_->terms.empty() ? 0 : columns.rows.size()),
      lefts_(whole_->are_unit ? 0 : sums_.size()),
      may_cut_(sums_.size()),
      sides_(totals_.size()) {
    for (int64_t j = 0; j < columns.n_numeric(); ++j) {
        const auto n_near = columns.n_near.row(j);
        most_near_.push_back(std::reduce(n_near.begin(), n_near.end(), uint8_t{0},
                                         [](uint8_t a, uint8_t b) { return std::max(a, b); }));
    }
}

Cut Scanner::best_cut(const WeightedColumns &columns, const KnownRows &known) {
    // Where rows were divided, their weights are no longer whole.
    if (sums_.empty() || !columns.origin.empty()) return scan_fractional(columns, known);
    return whole_->are_unit ? scan_whole<true>(columns, known) : scan_whole<false>(columns, known);
}

// Sums up first and looks for the best cut then: neither pass has a branch that is hard to foresee.
template <bool IS_UNIT>
Cut Scanner::scan_whole(const WeightedColumns &columns, const KnownRows &known) {
    const auto total = static_cast<uint32_t>(sum_of(known.counts) + 0.5);
    const int width = std::bit_width(total);
    const auto sum = [&](auto &&counts) {
        return most_near_[known.column] > 0 ? sum_terms<IS_UNIT, true>(columns, known, counts)
                                            : sum_terms<IS_UNIT, false>(columns, known, counts);
    };
    const bool is_packed = width * std::ssize(totals_) <= 64;
    const double offset = is_packed ? sum(PackedCounts(width)) : sum(ListedCounts(lefts_of_));
    return best_of<IS_UNIT>(known, offset, static_cast<int32_t>(total));
}

// Sets, after each entry but the last, the sum of the classes' terms, the weight up to it and
// whether a threshold may follow; what makes a gain of that sum is returned.
template <bool IS_UNIT, bool HAS_NEAR, class Counts>
double Scanner::sum_terms(const WeightedColumns &columns, const KnownRows &known, Counts counts) {
    const Packing packing = columns.packing;
    const double *const table = whole_->terms.data();
    const int32_t *const weight = whole_->weight.data();
    const uint8_t *const n_near = columns.n_near.row(known.column).data();
    int32_t total = 0, n_left = 0;
    double terms = 0.0;
    for (size_t c = 0; c < totals_.size(); ++c) {
        const auto n = static_cast<int32_t>(known.counts[c] + 0.5);
        totals_[c] = n;
        class_terms_[c] = table[n];
        total += n;
        terms += table[n];
    }
    const double offset = table[total] - terms;
    const int32_t *const totals = totals_.data();
    double *const class_terms = class_terms_.data(), *const sums = sums_.data();
    int32_t *const lefts = lefts_.data();
    uint8_t *const may_cut = may_cut_.data();
    const uint64_t *const entries = known.segment.data();
    const size_t last = known.segment.size() - 1;
    for (size_t i = 0; i < last; ++i) {
        const uint64_t entry = entries[i], following = entries[i + 1];
        if constexpr (HAS_NEAR) {
            prefetch(n_near + packing.code(entries[std::min(i + ROWS_AHEAD, last)]));
            const uint64_t code = packing.code(entry), distance = packing.code(following) - code;
            may_cut[i] =
                distance > n_near[code] &&
                (n_near[code] < MANY_NEAR || !columns.are_near(known.column, entry, following));
        } else {
            may_cut[i] = !packing.is_same_value(entry, following);
        }
        const int32_t c = packing.label(entry), w = IS_UNIT ? 1 : weight[row_of(entry)];
        const int32_t left = counts.add(c, w);
        const double now = table[left] + table[totals[c] - left];
        terms += now - class_terms[c];
        class_terms[c] = now;
        sums[i] = terms;
        if constexpr (!IS_UNIT) lefts[i] = n_left += w;
    }
    return offset;
}

// Finds the first cut that no later one is better than, of those that leave enough on both sides.
template <bool IS_UNIT>
Cut Scanner::best_of(const KnownRows &known, double offset, int32_t total) {
    const auto least = static_cast<int32_t>(std::ceil(known.least - TOLERANCE));
    const auto n_cuts = static_cast<int32_t>(known.segment.size()) - 1;
    const auto left_of = [this](int32_t i) { return IS_UNIT ? i + 1 : lefts_[i]; };
    int32_t first = 0, last = n_cuts;
    while (first < last && left_of(first) < least) ++first;
    while (first < last && total - left_of(last - 1) < least) --last;
    Cut best;
    if (first == last) return best;
    set_gains<IS_UNIT>(first, last, offset, total);
    best.position = first_best(first, last, TOLERANCE * known.total);
    if (best.position < 0) return best;
    best.n_tries = std::reduce(may_cut_.begin() + first, may_cut_.begin() + last, int64_t{0});
    best.gain = sums_[best.position] / known.total;
    best.n_left = left_of(static_cast<int32_t>(best.position));
    return best;
}

// Turns sums into gains, minus infinity where there is no cut, and sets the greatest of each block.
template <bool IS_UNIT>
void Scanner::set_gains(int32_t first, int32_t last, double offset, int32_t total) {
    const std::array<double, 2> start{-std::numeric_limits<double>::infinity(), offset};
    const double *const table = whole_->terms.data();
    const uint8_t *const may_cut = may_cut_.data();
    const int32_t *const lefts = lefts_.data();
    double *const gains = sums_.data();
    greatest_.clear();
    for (int32_t block = first; block < last; block += BLOCK) {
        double greatest = start[0];
        for (int32_t i = block; i < std::min(block + BLOCK, last); ++i) {
            const int32_t n_left = IS_UNIT ? i + 1 : lefts[i];
            const double gain =
                start[may_cut[i]] + gains[i] - table[n_left] - table[total - n_left];
            gains[i] = gain;
            greatest = gain > greatest ? gain : greatest;
        }
        greatest_.push_back(greatest);
    }
}

// Returns the place of the cut that is left if one takes each cut that gains more than the last one
// taken by `slack`, and the first if it gains as much; -1 if none does.
int64_t Scanner::first_best(int32_t first, int32_t last, double slack) const {
    const double limit = std::ranges::max(greatest_);
    if (!(limit > slack)) return -1;
    // After a gain so near the greatest, none is taken any more. It is taken itself if all before
    // are smaller by more than `slack`.
    const auto is_near = [&](double gain) { return gain + slack >= limit; };
    const auto block = std::ranges::find_if(greatest_, is_near);
    const auto begin = sums_.begin() + first + (block - greatest_.begin()) * BLOCK;
    const auto found = std::find_if(begin, sums_.begin() + last, is_near);
    double before = 0.0;
    for (auto each = greatest_.begin(); each != block; ++each) before = std::max(before, *each);
    for (auto each = begin; each != found; ++each) before = std::max(before, *each);
    if (*found > before + slack) return found - sums_.begin();
    int64_t best = -1;
    double bar = slack;
    for (int32_t i = first; i < last; ++i) {
        if (!(sums_[i] > bar)) continue;
        best = i;
        bar = sums_[i] + slack;
    }
    return best;
}

Cut Scanner::scan_fractional(const WeightedColumns &columns, const KnownRows &known) {
    const Packing packing = columns.packing;
    double n_left = 0.0, n_right = 0.0, terms = 0.0;
    const auto xlog2x = [](double x) { return x >= TOLERANCE ? x * log2_of(x) : 0.0; };
    for (size_t c = 0; c < sides_.size(); ++c) {
        const double n = known.counts[c];
        sides_[c] = {0.0, n, xlog2x(n)};
        n_right += n;
        terms += sides_[c].terms;
    }
    const double offset = xlog2x(n_right) - terms;
    const double least = known.least - TOLERANCE, slack = TOLERANCE * known.total;
    Cut best;
    for (size_t i = 0; i + 1 < known.segment.size(); ++i) {
        const uint64_t entry = known.segment[i], following = known.segment[i + 1];
        const double w = columns.weight[row_of(entry)];
        n_left += w;
        n_right -= w;
        if (n_right < least) break;
        Sides &own = sides_[packing.label(entry)];
        const double old = own.terms;
        own.left += w;
        own.right -= w;
        const auto [inside, outside] = both_xlog2x(own.left, own.right, TOLERANCE);
        own.terms = inside + outside;
        terms = terms - old + own.terms;
        if (n_left < least || packing.is_same_value(entry, following) ||
            columns.are_near(known.column, entry, following))
            continue;
        ++best.n_tries;
        const auto [left, right] = both_xlog2x(n_left, n_right, TOLERANCE);
        const double gain = offset + terms - left - right;
        if (gain > best.gain + slack) {
            best.gain = gain;
            best.position = static_cast<int64_t>(i);
            best.n_left = n_left;
        }
    }
    best.gain /= known.total;
    return best;
}

}  // namespace retree::c45
